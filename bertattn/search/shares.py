"""Where a head's attention goes in an input, each weight counted once, and where it usually goes.

The measures of section 3 overlap: the next token can be [SEP]. Here a weight belongs to the first
of these parts that fits, so that the parts of an input sum to 1:

============== =========================================================================
to_start       to [CLS] (or <s>)
to_separator   to [SEP] (or </s>)
to_first       to the first token, where that is no special one
to_self        to the token itself
to_previous    to the token before
to_next        to the token after
to_punctuation to "." and ","
to_other       to anything else
============== =========================================================================
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float, Int, Shaped

from bertattn.attention import SPECIAL, Kind
from bertattn.files import replacing
from bertattn.reducer import Batch, as_numpy

PARTS = (
    "to_start",
    "to_separator",
    "to_first",
    "to_self",
    "to_previous",
    "to_next",
    "to_punctuation",
    "to_other",
)
OFFSETS = (0, -1, 1)
N_LENGTHS = 16


def parts(
    weights: Shaped[Any, "batch head token token"], batch: Batch
) -> Float[np.ndarray, "part batch head"]:
    """The share of each part in each head's attention, mean over the rows of each input."""
    xp = array_namespace(weights)
    kinds = batch.kinds
    masks = [kinds == Kind.START, kinds == Kind.SEPARATOR, kinds == Kind.PUNCTUATION, kinds >= 0]
    start, separator, marks, rows = (xp.astype(mask, weights.dtype) for mask in masks)
    first = xp.zeros_like(rows)
    first[:, 0] = _ordinary(kinds, weights)[:, 0]
    rest = _ordinary(kinds, weights) - first
    columns = (rows[:, None, None, :] @ weights)[:, :, 0, :]
    near = [_at(weights, rows, rest, offset) for offset in OFFSETS]
    near_marks = [_at(weights, rows, rest * marks, offset) for offset in OFFSETS]
    to_marks = _sum(columns, rest * marks) - sum(near_marks)
    found = [*(_sum(columns, mask) for mask in (start, separator, first)), *near, to_marks]
    shares = as_numpy(xp.stack(found) / batch.lengths[:, None]).astype(np.float64)
    other = np.maximum(1 - shares.sum(axis=0, keepdims=True), 0)
    return np.maximum(np.concatenate([shares, other]), 0)


def _ordinary(kinds: Any, weights: Any) -> Any:
    """1 for tokens that are neither special nor padding."""
    xp = array_namespace(weights)
    ordinary = kinds >= 0
    for kind in SPECIAL:
        ordinary = ordinary & (kinds != kind)
    return xp.astype(ordinary, weights.dtype)


def _sum(columns: Any, chosen: Any) -> Any:
    return array_namespace(columns).linalg.vecdot(columns, chosen[:, None])


def _at(weights: Any, rows: Any, chosen: Any, offset: int) -> Any:
    """Attention so many tokens ahead, to chosen tokens."""
    xp = array_namespace(weights)
    if offset >= 0:
        both = rows[:, : rows.shape[1] - offset] * chosen[:, offset:]
    else:
        both = rows[:, -offset:] * chosen[:, :offset]
    return xp.linalg.vecdot(xp.linalg.diagonal(weights, offset=offset), both[:, None])


def length_class(lengths: Int[np.ndarray, " input"]) -> Int[np.ndarray, " input"]:
    """Inputs of 1 token, of 2 to 3, of 4 to 7, of 8 to 15, ...: 0, 1, 2, 3, ...

    Example:
        >>> length_class(np.array([3, 8, 15, 16])).tolist()
        [1, 3, 3, 4]
    """
    return np.minimum(np.log2(lengths).astype(np.int64), N_LENGTHS - 1)


@dataclass(eq=False)
class Shares:
    """Where each head's attention usually goes, by the length of the input: a reducer.

    In a short input every token gets much, so what is usual depends on the length.

    Attributes:
        sums: Over inputs, by ``length_class``.
        counts: How many inputs of each class there are.
    """

    sums: Float[np.ndarray, "length part layer head"]
    counts: Int[np.ndarray, " length"]

    @classmethod
    def empty(cls, n_layers: int, n_heads: int) -> "Shares":
        """Nothing seen yet."""
        shape = (N_LENGTHS, len(PARTS), n_layers, n_heads)
        return cls(np.zeros(shape), np.zeros(N_LENGTHS, dtype=np.int64))

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Add one layer's maps of one batch."""
        of_length = length_class(np.array([len(tokens) for tokens in batch.tokens]))
        np.add.at(self.sums[:, :, layer], of_length, parts(weights, batch).swapaxes(0, 1))
        if layer == 0:
            self.counts += np.bincount(of_length, minlength=N_LENGTHS)

    def __add__(self, other: "Shares") -> "Shares":
        return type(self)(self.sums + other.sums, self.counts + other.counts)

    def result(self) -> Float[np.ndarray, "length part layer head"]:
        """Means over inputs; NaN for lengths that no input has."""
        with np.errstate(invalid="ignore"):
            return self.sums / self.counts[:, None, None, None]

    def save(self, path: Path) -> None:
        """Write the sums to an ``.npz`` file, whole or not at all."""
        with replacing(path) as file:
            np.savez(file, sums=self.sums, counts=self.counts)

    @classmethod
    def load(cls, path: Path) -> "Shares":
        """Read the sums back."""
        with np.load(path, allow_pickle=False) as stored:
            return cls(stored["sums"], stored["counts"])
