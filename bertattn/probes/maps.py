"""Word-level maps for probes: every head's attention between words, [CLS] and [SEP].

A sentence of n words and K heads has an array of n + 2 by n + 2 by K numbers: words in order, then
the start token and the separator; entry (i, j, k) is how much i attends to j in head k, heads layer
by layer. What a model does not have is 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
from array_api_compat import is_torch_array
from jaxtyping import Float, Shaped

import bertattn
from bertattn.attention import Kind, Tokens
from bertattn.probes.store import Store, Writer, key_of, stored
from bertattn.probes.threads import passes
from bertattn.reducer import Batch, as_numpy
from bertattn.words import Members

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

MARKS = (Kind.START, Kind.SEPARATOR)
From = Literal["mean", "first"]


@runtime_checkable
class Maps(Protocol):
    """Maps by the number of their sentence."""

    def __getitem__(self, number: int) -> Float[np.ndarray, "unit unit head"]: ...


def word_maps(
    model: "AttentionModel",
    inputs: Sequence[Tokens],
    from_word: From = "mean",
    folder: Path | None = None,
) -> Store:
    """Maps of all inputs, from the cache if they are there, else by running the model.

    Args:
        model: The model.
        inputs: The sentences; their maps are numbered in this order.
        from_word: What the row of a split word is, see ``words.merge``.
        folder: Where stores lie; by default the folder named by ``BERTATTN_CACHE``, else the
            user's cache.

    Raises:
        CacheError: If the cache cannot be written.
        ValueError: If there is no input.
    """
    if not inputs:
        raise ValueError("wanted sentences to make maps of, got none; is the corpus empty?")
    key = key_of(_made_from(model, inputs, from_word), _sources())
    return stored(key, partial(_make, model, inputs, from_word), folder)


def _make(
    model: "AttentionModel", inputs: Sequence[Tokens], from_word: From, writer: Writer
) -> None:
    def of_words(own: "AttentionModel", batch: list[Tokens]) -> list[np.ndarray]:
        own.run(batch, [keeping := _Keeping(own.n_layers, from_word)])
        return keeping.maps

    numbered = [replace(tokens, source=number) for number, tokens in enumerate(inputs)]
    for batch, maps in passes(of_words, model, numbered):
        for tokens, one in zip(batch, maps, strict=True):
            writer.add(tokens.source, one)


def _made_from(model: "AttentionModel", inputs: Iterable[Tokens], from_word: str) -> dict[str, Any]:
    """What the maps depend on: the inputs' ids say all about the text that a model reads."""
    return {
        "weights": model.sha256,
        "config": model.module.config.to_dict(),
        "max_pieces": model.max_pieces,
        "dtype": model.dtype,
        "device": model.device.type,
        "from_word": from_word,
        "libraries": {name: version(name) for name in ("torch", "transformers")},
        "inputs": [
            (t.ids.tolist(), t.type_ids.tolist(), t.unit_of.tolist(), t.kinds.tolist())
            for t in inputs
        ],
    }


def _sources() -> list[Path]:
    """The code that makes maps."""
    folder = Path(bertattn.__file__).parent
    names = [
        "measure/batching.py",
        "reducer.py",
        "words.py",
        *(f"probes/{name}.py" for name in ("maps", "store", "threads")),
    ]
    return [folder / name for name in names] + sorted((folder / "model").glob("*.py"))


class _Keeping:
    """An observer that makes word-level maps of one batch.

    Attributes:
        maps: Those of each input, after the last layer.
    """

    def __init__(self, n_layers: int, from_word: From) -> None:
        self._n_layers, self._from_word = n_layers, from_word
        self._members: Members | None = None
        self._layers: list[np.ndarray] = []
        self.maps: list[np.ndarray] = []

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Merge one layer's maps; after the last layer, cut out those of every sentence."""
        if layer == 0:
            on_device = is_torch_array(weights) and weights.device.type != "cpu"
            as_array = (lambda a: weights.new_tensor(a)) if on_device else np.asarray
            self._members = Members.of(batch, self._from_word, as_array, MARKS)
        assert self._members is not None, "layers come in order, the first one first"
        near = weights if is_torch_array(self._members.share) else as_numpy(weights)
        self._layers.append(as_numpy(self._members.between_words(near)))
        if layer == self._n_layers - 1:
            together = np.concatenate(self._layers, axis=1).transpose(0, 2, 3, 1)
            self.maps = [
                cut(maps, len(tokens.words))
                for tokens, maps in zip(batch.tokens, together, strict=True)
            ]


def cut(
    maps: Float[np.ndarray, "unit unit head"], n_words: int
) -> Float[np.ndarray, "own own head"]:
    """One sentence's units out of a batch's: its words, and at the end both marks."""
    kept = [*range(n_words), -2, -1]
    return maps[np.ix_(kept, kept)].astype(np.float16)


class Uniform:
    """One head that attends alike to all words, to the start token and to the separator.

    What a probe reaches with it, it reaches by words and their number alone.
    """

    def __init__(self, inputs: Sequence[Tokens]) -> None:
        self._lengths = [len(tokens.words) for tokens in inputs]

    def __getitem__(self, number: int) -> Float[np.ndarray, "unit unit head"]:
        n_units = self._lengths[number] + len(MARKS)
        return np.full((n_units, n_units, 1), 1 / n_units, dtype=np.float16)


class Centred:
    """Maps as n a - 1, with n words and marks to attend to: 0 is what uniform attention gives.

    For heads whose attention is nearly uniform: what differs from it is what can be learned.
    """

    def __init__(self, maps: Maps) -> None:
        self._maps = maps

    def __getitem__(self, number: int) -> Float[np.ndarray, "unit unit head"]:
        weights = self._maps[number].astype(np.float32)
        return len(weights) * weights - 1
