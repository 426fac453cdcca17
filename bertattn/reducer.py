"""How attention maps stream by: batches, observers, and reducers that add up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from array_api_compat import to_device
from jaxtyping import Float, Int, Shaped

from bertattn.attention import AttentionMap, Tokens


@dataclass(frozen=True, eq=False)
class Batch:
    """Inputs of similar length, padded at the end, with what reducers need to know.

    Arrays stand on the model's device, so that a reducer is the same lines for torch and
    numpy. Padding has kind -1.

    Attributes:
        tokens: The inputs.
        lengths: How many tokens each has, as floats.
        kinds: The ``Kind`` of each token.
        documents: The document of each input.
        causal: Whether positions see only themselves and what is before them.
    """

    tokens: tuple[Tokens, ...]
    lengths: Float[Any, " batch"]
    kinds: Int[Any, "batch token"]
    documents: Int[np.ndarray, " batch"]
    causal: bool = False

    @classmethod
    def of(
        cls,
        tokens: Sequence[Tokens],
        as_array: Callable[[np.ndarray], Any] = np.asarray,
        widest: int | None = None,
        causal: bool = False,
    ) -> "Batch":
        """Pad and stack inputs.

        Args:
            tokens: The inputs.
            as_array: Moves a numpy array to the model's device.
            widest: The most positions that the model has.
            causal: Whether it is a decoder, whose positions see nothing after them.
        """
        return cls(
            tuple(tokens),
            as_array(np.array([len(t) for t in tokens], dtype=np.float32)),
            as_array(padded([t.kinds for t in tokens], -1, widest)),
            np.array([t.document for t in tokens]),
            causal,
        )


def padded(
    rows: Sequence[np.ndarray], fill: int, widest: int | None = None
) -> Int[np.ndarray, "batch token"]:
    """Integer rows of unequal length as one matrix, filled up at the end.

    The matrix is as wide as ``width`` says, but not wider than ``widest``; a single row is
    left as it is.

    Example:
        >>> padded([np.array([1, 2]), np.array([3])], fill=-1).tolist()
        [[1, 2], [3, -1]]
    """
    longest = max(map(len, rows))
    n_columns = longest if len(rows) == 1 else min(width(longest), widest or width(longest))
    return padded_to(rows, n_columns, fill)


def padded_to(
    rows: Sequence[np.ndarray], n_columns: int, fill: int = -1
) -> Int[np.ndarray, "batch token"]:
    """Integer rows of unequal length as one matrix of ``n_columns``, filled up at the end."""
    matrix = np.full((len(rows), n_columns), fill, dtype=np.int64)
    for row, values in zip(matrix, rows, strict=True):
        row[: len(values)] = values
    return matrix


def width(longest: int) -> int:
    """How wide a batch is made: its longest input, rounded up by an eighth to a quarter at most.

    Few different shapes keep memory flat over a long run, since blocks that were freed fit
    again.

    Example:
        >>> width(121), width(27), width(9)
        (128, 28, 10)
    """
    step = 1 << max(0, longest.bit_length() - 3)
    return -(-longest // step) * step


@runtime_checkable
class Observer(Protocol):
    """What is shown attention maps as they stream by.

    The model calls ``update`` once a layer and batch and drops the map afterwards, so a
    corpus of any size runs in the memory of one layer of one batch.
    """

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Take in one layer's maps of one batch.

        Weights to padding are 0; rows of padding mean nothing.
        """


@runtime_checkable
class Reducer(Observer, Protocol):
    """An observer that keeps sums: two of a kind add up, so parts of a corpus can be merged.

    Integers add exactly, float64 sums to rounding.
    """

    def fresh(self) -> Any:
        """An empty one with the same options, for a part of the corpus."""

    def __add__(self, other: Any) -> Any: ...

    def result(self) -> Any:
        """What the sums say, as numpy arrays."""

    def save(self, path: Path) -> None:
        """Write the sums to a file, whole or not at all."""

    @classmethod
    def load(cls, path: Path) -> Any:
        """Read them back."""


class KeepMaps:
    """An observer that keeps whole maps: for a picture, never for a corpus.

    Inputs come back in the order in which the model saw them.
    """

    def __init__(self) -> None:
        self._tokens: list[Tokens] = []
        self._layers: list[list[np.ndarray]] = []

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Keep each input's map of this layer, padding cut off."""
        if layer == 0:
            self._tokens.extend(batch.tokens)
            self._layers.extend([] for _ in batch.tokens)
        layers = self._layers[-len(batch.tokens) :]
        for tokens, kept, padded_map in zip(batch.tokens, layers, weights, strict=True):
            cut = padded_map[:, : len(tokens), : len(tokens)]
            kept.append(as_numpy(cut).astype(np.float32))

    def result(self) -> list[AttentionMap]:
        """One map an input."""
        pairs = zip(self._tokens, self._layers, strict=True)
        return [AttentionMap(tokens, np.stack(layers)) for tokens, layers in pairs]


def as_numpy(array: Any) -> np.ndarray:
    """An array of any kind and device as a numpy array."""
    return np.asarray(to_device(array, "cpu"))
