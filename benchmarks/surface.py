"""Section 3's measures beside loops over heads and rows, written from the paper's formulas."""

import numpy as np

from benchmarks.models import bert_base
from benchmarks.timing import Line, medians
from bertattn import corpora, measure, surface
from bertattn.attention import Kind
from bertattn.model import AttentionModel, load
from bertattn.reducer import Batch
from bertattn.segments import Segments
from bertattn.surface import SurfaceSums

N_SEGMENTS = 8


def lines(rounds: int = 5) -> list[Line]:
    """Entropies alone and all measures, for 72 and 144 heads."""
    found = []
    for model in (load("minilm", device="cpu"), bert_base()):
        segments = Segments(corpora.load("sample"), model.encoder, n=N_SEGMENTS)
        kept = _Kept()
        for batch in measure.batches(segments):
            model.run(batch, [kept])
        found += _of(model, kept, rounds)
    return found


class _Kept:
    """Every layer's maps of one batch after another."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, np.ndarray, Batch]] = []

    def update(self, layer: int, weights: object, batch: Batch) -> None:
        """Keep them."""
        self.seen.append((layer, np.array(weights), batch))


def _of(model: AttentionModel, kept: _Kept, rounds: int) -> list[Line]:
    costs = medians(
        {
            "entropies": lambda: [surface.entropy(weights) for _, weights, _ in kept.seen],
            "loop of entropies": lambda: [
                _entropy(own) for maps in _cut(kept) for own in maps
            ],
            "all": lambda: _summed(model, kept),
            "loop of all": lambda: _looped(kept),
        },
        rounds,
    )  # fmt: skip
    heads = f"{np.prod(model.shape)} heads, {N_SEGMENTS} segments"
    return [
        Line(f"{heads}: entropies, row by row / all heads at once",
             costs["loop of entropies"] / costs["entropies"]),
        Line(f"{heads}: every measure, head by head / all heads at once, sums by document included",
             costs["loop of all"] / costs["all"]),
    ]  # fmt: skip


def _cut(kept: _Kept) -> list[np.ndarray]:
    """Each input's maps of one layer, without padding."""
    return [
        maps[:, : len(tokens), : len(tokens)]
        for _, weights, batch in kept.seen
        for maps, tokens in zip(weights, batch.tokens, strict=True)
    ]


def _entropy(weights: np.ndarray) -> list[float]:
    """-sum a' ln a' of each row, a' = 0.9999 a + 0.0001 / n."""
    rows = []
    for row in weights:
        smoothed = 0.9999 * row + 0.0001 / len(row)
        rows.append(-(smoothed * np.log(smoothed)).sum())
    return rows


def _summed(model: AttentionModel, kept: _Kept) -> SurfaceSums:
    sums = SurfaceSums.empty(*model.shape)
    for layer, weights, batch in kept.seen:
        sums.update(layer, weights, batch)
    return sums


def _looped(kept: _Kept) -> list[list[float]]:
    """All measures of one head's map after another."""
    found = []
    for _, weights, batch in kept.seen:
        for maps, tokens in zip(weights, batch.tokens, strict=True):
            n, kinds = len(tokens), np.asarray(tokens.kinds)
            marks = [kinds == k for k in (Kind.START, Kind.SEPARATOR, Kind.PUNCTUATION)]
            found += [_measures(own[:n, :n], marks) for own in maps]
    return found


def _measures(own: np.ndarray, marks: list[np.ndarray]) -> list[float]:
    n = len(own)
    positions = [np.trace(own, offset=offset) / n for offset in (0, 1, -1)]
    to = [own[:, mark].sum() / n for mark in marks]
    separator = marks[1]
    from_separators = own[separator][:, separator].sum() / max(separator.sum(), 1)
    from_others = own[~separator][:, separator].sum() / max((~separator).sum(), 1)
    entropies = _entropy(own)
    return [*positions, own[:, 0].sum() / n, *to, from_separators, from_others,
            sum(entropies) / n, entropies[0]]  # fmt: skip
