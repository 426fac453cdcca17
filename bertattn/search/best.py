"""The largest values of many lanes at once, bounded: what a stream leaves behind.

A heap for every head would be walked in Python. Here a lane (a head, say) is a row of an array that
is sorted, and a batch's values are merged into all rows at once, after a look at the smallest value
kept. Values are compared rounded to four digits, so that most of what processors round differently
is a tie, and ties go by a hash of the input: the same whatever the order of the stream.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from bertattn.attention import Tokens
from bertattn.corpora import ParsedSentence

DIGITS = 4
NOBODY = np.iinfo(np.int64).max  # the key where nothing is kept
NOTHING = -1


@dataclass(frozen=True, eq=False)
class Best:
    """The ``n`` largest values of each lane, the largest first; -inf where there are fewer.

    Attributes:
        values: The values.
        keys: The input that each comes from (``key_of``).
        details: Two whole numbers about it: words, from and to, say.
    """

    values: Float[np.ndarray, "*lanes n"]
    keys: Int[np.ndarray, "*lanes n"]
    details: Int[np.ndarray, "*lanes n two"]

    @classmethod
    def empty(cls, *shape: int) -> "Best":
        """Nothing kept yet; the last number is how many each lane keeps."""
        keys = np.full(shape, NOBODY, dtype=np.int64)
        return cls(np.full(shape, -np.inf), keys, np.full((*shape, 2), NOTHING, dtype=np.int64))

    def put(
        self,
        values: Float[np.ndarray, "lane candidate"],
        keys: Int[np.ndarray, " candidate"],
        details: Int[np.ndarray, "lane candidate two"],
        place: tuple = (),
    ) -> None:
        """Take in candidates of some lanes; of equal values the one with the smaller key stays.

        Args:
            values: The candidates' values.
            keys: The inputs that they come from.
            details: Two numbers about each.
            place: Which lanes, an index of the arrays' first axes.

        Example:
            >>> best = Best.empty(1, 2)
            >>> nowhere = np.zeros((1, 3, 2), dtype=np.int64)
            >>> best.put(np.array([[0.1, 0.5, 0.3]]), np.array([7, 8, 9]), nowhere)
            >>> best.values.tolist(), best.keys.tolist()
            ([[0.5, 0.3]], [[8, 9]])
        """
        rounded = np.round(values, DIGITS)
        able = (rounded >= self.values[*place, ..., -1:]).any(axis=0)
        if able.any():
            wide = np.broadcast_to(keys[able], rounded[:, able].shape)
            old = (self.values[place], self.keys[place], self.details[place])
            merged = _merged(old, (rounded[:, able], wide, details[:, able]))
            self.values[place], self.keys[place], self.details[place] = merged

    def used(self) -> list[int]:
        """The keys of all inputs that something is kept of."""
        keys = np.unique(self.keys)
        return keys[keys != NOBODY].tolist()

    def rows(self, lane: tuple[int, ...]) -> list[tuple[float, int, tuple[int, int]]]:
        """What one lane keeps: values, keys and details."""
        columns = (array[lane].tolist() for array in vars(self).values())
        rows = zip(*columns, strict=True)
        return [(value, key, (one, two)) for value, key, (one, two) in rows if key != NOBODY]

    def __add__(self, other: "Best") -> "Best":
        """The largest of both."""
        return Best(*_merged(tuple(vars(self).values()), tuple(vars(other).values())))


Columns = tuple[np.ndarray, ...]


def _merged(one: Columns, two: Columns) -> Columns:
    """Values, keys and details of two, as many of them as the first has."""
    n = one[0].shape[-1]
    values, keys = (np.concatenate(pair, axis=-1) for pair in zip(one[:2], two[:2], strict=True))
    details = np.concatenate([one[2], two[2]], axis=-2)
    order = np.lexsort((keys, -values), axis=-1)[..., :n]
    taken = (np.take_along_axis(array, order, axis=-1) for array in (values, keys))
    return *taken, np.take_along_axis(details, order[..., None], axis=-2)


def first_largest(
    values: Float[np.ndarray, "pair head"], starts: Int[np.ndarray, " input"]
) -> Int[np.ndarray, "input head"]:
    """The place of each input's largest value in each column, the first of equals.

    Args:
        values: A row a pair, those of an input one after another.
        starts: Where each input's rows begin.

    Example:
        >>> first_largest(np.array([[0.1], [0.4], [0.4], [0.2]]), np.array([0, 3])).tolist()
        [[1], [3]]
    """
    rounded = np.round(values, DIGITS)
    largest = np.maximum.reduceat(rounded, starts, axis=0)
    counts = np.diff(np.append(starts, len(values)))
    reaches = rounded == np.repeat(largest, counts, axis=0)
    places = np.where(reaches, np.arange(len(values))[:, None], len(values))
    return np.minimum.reduceat(places, starts, axis=0)


def key_of(tokens: Tokens) -> int:
    """A number that stands for an input: a hash of its words and of its sentence's name.

    Inputs that agree in both are one and the same.
    """
    name = tokens.source.id if isinstance(tokens.source, ParsedSentence) else ""
    text = "\0".join((name, *tokens.words))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1
