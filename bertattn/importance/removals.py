"""What changes without some heads: many choices of heads, over the same texts."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np
import torch
from tqdm import tqdm

from bertattn.attention import Tokens
from bertattn.importance.knockout import Knockout, Means
from bertattn.importance.outcomes import Asked, Outcome, States, Sums, Watch, key_of
from bertattn.importance.picks import Heads, Pick
from bertattn.importance.removed import Removals
from bertattn.measure import batches, progress
from bertattn.model.outlets import Kept, Outlets
from bertattn.reducer import Batch
from bertattn.stats import N_GROUPS

WINDOW = 4096  # pieces whose states are held at a time, of whole documents
N_THREADS = 2


def remove_heads(
    inputs: Iterable[Tokens],
    outlets: Outlets,
    picks: Sequence[Pick],
    outcomes: Sequence[Outcome],
    means: Means | None = None,
) -> Removals:
    """Take heads away, one pick after another, and ask the same of the model each time.

    Texts are read once as they are; what each layer gave is kept, so that a pass without some heads
    begins at the lowest layer that loses one. On a CPU with one thread a pass two picks are run at
    a time.

    Args:
        inputs: The texts, document after document.
        outlets: The model's.
        picks: The heads.
        outcomes: What is asked.
        means: Every head's mean output (``mean_outputs``), to be put in the place of its output;
            None puts 0 there.

    Raises:
        ValueError: If there was no text, no pick, or no such head.
    """
    _check(picks, outlets)
    found = _empty(picks, outcomes, means)
    texts = list(inputs)
    if not texts:
        raise ValueError("the corpus gave no input; is it empty, or is every sentence too long?")
    for outcome in outcomes:  # they may have been asked before
        outcome.left_out.clear()
    workers = _workers(outlets)
    with progress(len(texts) * (len(picks) + 1)) as bar:
        for window in _windows(texts):
            found += _of_window(window, workers, found, outcomes, means, bar)
    for outcome in outcomes:
        found.left_out += outcome.left_out
    return found


def _check(picks: Sequence[Pick], outlets: Outlets) -> None:
    n_layers, n_heads = outlets.model.shape
    if not picks:
        raise ValueError("wanted one pick of heads at least to take away, got none")
    for pick in picks:
        if beyond := [h for h in pick.heads if h.layer >= n_layers or h.index >= n_heads]:
            raise ValueError(f"wanted heads from 1-1 to {n_layers}-{n_heads}, got {beyond[0]}")


def _empty(picks: Sequence[Pick], outcomes: Sequence[Outcome], means: Means | None) -> Removals:
    names = tuple(name for outcome in outcomes for name in outcome.names)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"wanted one outcome at least, each once, got {', '.join(names)}")
    return Removals(
        tuple(picks),
        "zero" if means is None else "mean",
        names,
        np.array([sign for outcome in outcomes for sign in outcome.worse]),
        np.zeros((len(picks), N_GROUPS, len(names))),
        np.zeros((N_GROUPS, len(names))),
        np.zeros((N_GROUPS, len(names)), dtype=np.int64),
    )


def _workers(outlets: Outlets) -> "SimpleQueue[Outlets]":
    """The model, and a twin to run beside it where a pass takes one core."""
    free: SimpleQueue[Outlets] = SimpleQueue()
    free.put(outlets)
    if outlets.model.device.type == "cpu" and outlets.model.n_threads == 1:
        for _ in range(N_THREADS - 1):
            free.put(Outlets(outlets.model.twin()))
    return free


def _windows(texts: list[Tokens]) -> Iterator[list[Tokens]]:
    """Whole documents, about ``WINDOW`` pieces at a time."""
    held: list[Tokens] = []
    n_held = 0
    for tokens in sorted(texts, key=lambda t: t.document):
        if n_held >= WINDOW and tokens.document != held[-1].document:
            yield held
            held, n_held = [], 0
        held.append(tokens)
        n_held += len(tokens)
    yield held


@dataclass(frozen=True, eq=False)
class _Window:
    """Some documents: what the model reads of them, what is asked, and what it says as it is.

    The first batches are the texts', whose maps are watched; the others are inputs that outcomes
    need besides.
    """

    batches: list[list[Tokens]]
    n_watched: int
    asked: list[Asked]
    kept: list[Kept]
    plain: States
    watches: list[Watch | None]


def _of_window(
    texts: list[Tokens],
    workers: "SimpleQueue[Outlets]",
    like: Removals,
    outcomes: Sequence[Outcome],
    means: Means | None,
    bar: tqdm,
) -> Removals:
    outlets = workers.get()
    window = _as_it_is(texts, outlets, outcomes)
    workers.put(outlets)
    bar.update(len(texts))

    def without(pick: Pick) -> tuple[np.ndarray, np.ndarray]:
        own = workers.get()
        try:
            found = _without(pick.heads, window, own, means)
        finally:
            workers.put(own)
        bar.update(len(texts))
        return found

    plain, counts = _joined(window, window.plain, window.watches)
    with ThreadPoolExecutor(workers.qsize()) as pool:
        sums = np.stack([found for found, _ in pool.map(without, like.picks)])
    return Removals(
        like.picks, like.way, like.names, like.worse, sums, plain, counts, len(texts)
    )  # fmt: skip


def _as_it_is(texts: list[Tokens], outlets: Outlets, outcomes: Sequence[Outcome]) -> _Window:
    model, of_texts = outlets.model, list(batches(texts))
    padded = [Batch.of(b, widest=model.max_pieces, causal=model.causal) for b in of_texts]
    asked = [outcome.asked(texts, padded) for outcome in outcomes]
    there = {key_of(tokens) for tokens in texts}
    more = {key_of(t): t for one in asked for t in one.more if key_of(t) not in there}
    every = [*of_texts, *batches(more.values())]
    window = _Window(every, len(of_texts), asked, [], {}, [one.watch() for one in asked])
    plain = dict(_passes(window, outlets, None, window.watches, keep=True))
    return _Window(every, len(of_texts), asked, window.kept, plain, window.watches)


def _without(
    heads: Heads, window: _Window, outlets: Outlets, means: Means | None
) -> tuple[np.ndarray, np.ndarray]:
    first = min(attn_head.layer for attn_head in heads) if outlets.resumes else 0
    pairs = zip(window.asked, window.watches, strict=True)
    watches = [one.watch(first, plain) for one, plain in pairs]
    states = dict(_passes(window, outlets, Knockout(heads, means), watches, first))
    return _joined(window, states, watches)


def _passes(
    window: _Window,
    outlets: Outlets,
    put: Knockout | None,
    watches: Sequence[Watch | None],
    first: int = 0,
    keep: bool = False,
) -> Iterator[tuple[tuple[bytes, bytes], torch.Tensor]]:
    """Each input's final states; what layers give is kept on the way if ``keep``."""
    seeing = [watch for watch in watches if watch is not None]
    for number, batch in enumerate(window.batches):

        def see(layer: int, weights: torch.Tensor, number: int = number) -> None:
            for watch in seeing:
                watch.see(number, layer, weights)

        kept = Kept() if keep else None
        begin = (first, window.kept[number]) if first else None
        watched = see if seeing and number < window.n_watched else None
        hidden = outlets.hidden(batch, put, watched, kept, begin)
        if kept is not None:
            window.kept.append(kept)
        for tokens, states in zip(batch, hidden, strict=True):
            yield key_of(tokens), states[: len(tokens)]


def _joined(window: _Window, states: States, watches: Sequence[Watch | None]) -> Sums:
    """All outcomes' numbers side by side."""
    pairs = zip(window.asked, watches, strict=True)
    parts = [one.sums(states, window.plain, watch) for one, watch in pairs]
    sums, counts = zip(*parts, strict=True)
    return np.concatenate(sums, axis=1), np.concatenate(counts, axis=1)
