"""Batches of sentences of about one length, as tensors, padded at the end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from bertattn.probes.data import NO_TARGET, ProbeData

BATCH_SENTENCES = 32
BATCH_PAIRS = 40_000
KEPT_BYTES = 1_000_000_000


@dataclass(frozen=True, eq=False)
class ProbeBatch:
    """Some sentences as tensors, padded at the end. Candidate 0 is ROOT, word j is j + 1.

    Attributes:
        numbers: The sentences' numbers.
        lengths: How many words each has.
        maps: How much i attends to j.
        turned: How much j attends to i: the same with i and j exchanged.
        to_marks: How much i attends to the start token and to the separator.
        from_marks: How much they attend to i.
        vectors: Words' vectors; zeros for unknown ones.
        candidates: Which candidates each word has: not itself, no padding, no word without pieces.
        governors: The right candidate; -1 for padding and words that cannot be asked.
        scored: Which words count in scores: those asked that are no punctuation.
    """

    numbers: list[int]
    lengths: Int[torch.Tensor, " batch"]
    maps: Float[torch.Tensor, "batch word word head"]
    turned: Float[torch.Tensor, "batch word word head"]
    to_marks: Float[torch.Tensor, "batch word mark head"]
    from_marks: Float[torch.Tensor, "batch word mark head"]
    vectors: Float[torch.Tensor, "batch word dim"]
    candidates: Bool[torch.Tensor, "batch word candidate"]
    governors: Int[torch.Tensor, "batch word"]
    scored: Bool[torch.Tensor, "batch word"]


class Batches:
    """Sentences in batches of about one length, the same ones each time they are gone through.

    They are kept in memory if all together are small enough, else made as they are asked for.

    Args:
        data: The sentences.
        numbers: Which of them.
        targets: What is to be predicted for every sentence in place of the governors: for each word
            a candidate, or -1.
        allow_self: Whether a word may be its own governor.
        rng: Mixes sentences of one length; None: as they come.
        device: Where tensors go.
    """

    def __init__(
        self,
        data: ProbeData,
        numbers: Sequence[int],
        *,
        targets: Sequence[np.ndarray] | None = None,
        allow_self: bool = False,
        rng: np.random.Generator | None = None,
        device: str = "cpu",
    ) -> None:
        self._data, self._groups = data, groups(data, numbers, rng)
        self._options = targets, allow_self, device
        n_pairs = sum(len(data.inputs[number].words) ** 2 for number in numbers)
        self._keep = 8 * n_pairs * data.n_heads <= KEPT_BYTES
        self._kept: dict[int, ProbeBatch] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def __getitem__(self, place: int) -> ProbeBatch:
        if place in self._kept:
            return self._kept[place]
        batch = _batch(self._data, self._groups[place], *self._options)
        if self._keep:
            self._kept[place] = batch
        return batch

    def __iter__(self) -> Iterator[ProbeBatch]:
        return (self[place] for place in range(len(self)))


def groups(
    data: ProbeData, numbers: Sequence[int], rng: np.random.Generator | None = None
) -> list[list[int]]:
    """Sentences of about one length together: at most 32, and 40,000 pairs of words."""
    numbers = list(numbers) if rng is None else rng.permutation(list(numbers)).tolist()
    numbers.sort(key=lambda number: len(data.inputs[number].words))
    made: list[list[int]] = []
    for number in numbers:
        n_pairs = len(data.inputs[number].words) ** 2
        full = not made or len(made[-1]) == BATCH_SENTENCES
        if full or (len(made[-1]) + 1) * n_pairs > BATCH_PAIRS:
            made.append([])
        made[-1].append(number)
    return made


def _batch(
    data: ProbeData,
    numbers: list[int],
    targets: Sequence[np.ndarray] | None,
    allow_self: bool,
    device: str,
) -> ProbeBatch:
    lengths = np.array([len(data.inputs[number].words) for number in numbers])
    n_words = int(lengths.max())
    maps, to_marks, from_marks = (
        torch.from_numpy(array).to(device).float() for array in _padded_maps(data, numbers, n_words)
    )
    words = _padded_words(data, numbers, n_words, targets)
    vectors, candidates, governors, scored = (torch.from_numpy(a).to(device) for a in words)
    if not allow_self:
        itself = torch.arange(n_words, device=device)
        candidates[:, itself, itself + 1] = False
    return ProbeBatch(
        numbers=numbers,
        lengths=torch.from_numpy(lengths).to(device),
        maps=maps,
        turned=maps.transpose(1, 2).contiguous(),
        to_marks=to_marks,
        from_marks=from_marks,
        vectors=vectors,
        candidates=candidates,
        governors=governors,
        scored=scored,
    )


def _padded_maps(data: ProbeData, numbers: list[int], n_words: int) -> tuple[np.ndarray, ...]:
    """Maps between words, from words to marks, and from marks to words, as they are stored."""
    stored = [data.maps[number] for number in numbers]
    shape = (len(numbers), n_words)
    maps = np.zeros((*shape, n_words, data.n_heads), dtype=stored[0].dtype)
    to_marks = np.zeros((*shape, 2, data.n_heads), dtype=stored[0].dtype)
    from_marks = np.zeros_like(to_marks)
    for place, one in enumerate(stored):
        n = len(one) - 2
        if not np.isfinite(one).all():
            name = data.sentence(numbers[place]).id
            raise ValueError(f"sentence {name!r}: its attention maps hold what is no number")
        maps[place, :n, :n] = one[:n, :n]
        to_marks[place, :n] = one[:n, n:]
        from_marks[place, :n] = one[n:, :n].swapaxes(0, 1)
    return maps, to_marks, from_marks


def _padded_words(
    data: ProbeData, numbers: list[int], n_words: int, targets: Sequence[np.ndarray] | None
) -> tuple[np.ndarray, ...]:
    """Vectors, candidates, right governors, and which words count."""
    shape = (len(numbers), n_words)
    vectors = np.zeros((*shape, data.vectors.n_dimensions), dtype=np.float32)
    candidates = np.zeros((*shape, n_words + 1), dtype=bool)
    governors = np.full(shape, NO_TARGET)
    scored = np.zeros(shape, dtype=bool)
    for place, number in enumerate(numbers):
        words = data.words[number]
        n, known = len(words.rows), words.rows >= 0
        vectors[place, :n][known] = data.vectors.matrix[words.rows[known]]
        candidates[place, :, 0] = True
        candidates[place, :, 1 : n + 1] = words.present
        governors[place, :n] = words.governors if targets is None else targets[number]
        scored[place, :n] = words.scored(governors[place, :n])
    return vectors, candidates, governors, scored
