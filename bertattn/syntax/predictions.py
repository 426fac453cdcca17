"""Each head's guess at each word's governor (Clark et al. 2019, section 4.2).

``dependent->governor``: the word that the dependent attends to most. ``governor->dependent``: of
all words, the one that attends to the dependent most. The word itself, special tokens and words
without pieces are no candidates. Of equals the first in the sentence is taken.
"""

from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_numpy_array
from jaxtyping import Bool, Float, Int, Integer

from bertattn.reducer import as_numpy

NOTHING = -2  # where there is no candidate
SHORT = 64  # words, beyond which numpy's own argmax is the faster one


def governors(
    between_words: Float[Any, "batch head word word"],
    candidates: Bool[np.ndarray, "batch word"] | None = None,
) -> Int[np.ndarray, "direction batch head word"]:
    """The governor that every head gives every word, in both directions.

    Rows and columns beyond a sentence's end, which hold zeros, must be its last ones.

    Args:
        between_words: Attention between words, which may be overwritten.
        candidates: Which words may be chosen; None: all of them. Where there is none but the word
            itself, the answer is -2.

    Example:
        >>> looks_back = np.eye(3, k=-1, dtype=np.float32)[None, None]
        >>> governors(looks_back)[:, 0, 0].tolist()
        [[1, 0, 1], [1, 2, 0]]
    """
    if candidates is None and is_numpy_array(between_words):
        return _on_the_cpu(between_words)
    xp = array_namespace(between_words)
    turned = xp.asarray(xp.permute_dims(between_words, (0, 1, 3, 2)), copy=True)
    return np.stack([_largest(xp, maps, candidates) for maps in (between_words, turned)])


def _on_the_cpu(weights: np.ndarray) -> np.ndarray:
    """The same, faster than by ``argmax`` alone; in memory heads of all inputs lie side by side."""
    n_inputs, _, n_words, _ = weights.shape
    weights = np.ascontiguousarray(weights)
    weights.reshape(-1, n_words * n_words)[:, :: n_words + 1] = -1.0  # the word itself
    maps = np.ascontiguousarray(weights.transpose(2, 3, 0, 1)).reshape(n_words, n_words, -1)
    forward = first_largest(maps)
    if n_words > SHORT:
        backward = weights.argmax(axis=-1).reshape(-1, n_words).T
    else:
        backward = first_largest(maps.swapaxes(0, 1))
    found = np.stack([backward, forward], dtype=np.int16, casting="unsafe")
    return found.reshape(2, n_words, n_inputs, -1).transpose(0, 2, 3, 1)


def first_largest(
    values: Float[np.ndarray, "candidate *rest"],
) -> Integer[np.ndarray, "*rest"]:
    """Which candidate has the largest value, the first of equals: ``argmax`` along the first axis.

    numpy's own walks along the last axis and is slow when that is as short as a sentence.

    Example:
        >>> first_largest(np.array([[0.2], [0.5], [0.5]])).tolist()
        [1]
    """
    largest = values.max(axis=0)
    counter = np.uint8 if len(values) < 256 else np.uint16
    before = np.zeros(largest.shape, dtype=counter)  # candidates before the first that reaches it
    searching = np.ones(largest.shape, dtype=np.uint8)
    below = np.empty(largest.shape, dtype=bool)
    for candidate in values[:-1]:
        np.less(candidate, largest, out=below)
        np.bitwise_and(searching, below.view(np.uint8), out=searching)
        np.add(before, searching, out=before)
    return before


def _largest(xp: Any, maps: Any, candidates: np.ndarray | None) -> np.ndarray:
    diagonal = xp.arange(maps.shape[-1])
    maps[..., diagonal, diagonal] = -1.0
    if candidates is None:
        return as_numpy(xp.argmax(maps, axis=-1))
    for number, allowed in enumerate(candidates):
        maps[number][..., ~allowed] = -1.0
    n_others = candidates.sum(axis=1, keepdims=True) - candidates
    return np.where(n_others[:, None] > 0, as_numpy(xp.argmax(maps, axis=-1)), NOTHING)
