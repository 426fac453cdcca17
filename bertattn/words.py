"""Pieces to words (Clark et al. 2019, section 4.1).

Attention *to* a split word is the sum over its pieces; attention *from* it is the mean
over them. Rows still sum to 1. Words without pieces have no row and no column.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float, Int

from bertattn.attention import AttentionMap, Kind, WordAttention
from bertattn.reducer import Batch, as_numpy, padded_to

From = Literal["mean", "first", "max"]


def merge(attention: AttentionMap, from_word: From = "mean") -> WordAttention:
    """Word-level attention of every head.

    Args:
        attention: The piece-level map.
        from_word: The row of a split word: the "mean" of its pieces' rows (the paper), the
            "first" piece's (the released code's default), or the "max" of each entry, whose
            rows no longer sum to 1.
    """
    tokens = attention.tokens
    present = np.unique(tokens.unit_of)
    word_index = present[present < len(tokens.words)]
    return WordAttention(
        words=tuple(tokens.words[i] for i in word_index),
        word_index=word_index,
        weights=unit_weights(attention.weights, tokens.unit_of, from_word),
        specials=tokens.units[len(tokens.words) :],
    )


def unit_weights(
    weights: Float[np.ndarray, "*heads token token"],
    unit_of: Int[np.ndarray, " token"],
    from_word: From = "mean",
) -> Float[np.ndarray, "*heads unit unit"]:
    """Merge rows and columns by unit, units in order of their number.

    Example:
        >>> halves = np.full((2, 2), 0.5)
        >>> unit_weights(halves, np.array([0, 0])).tolist()
        [[1.0]]
    """
    member = np.equal.outer(np.unique(unit_of), unit_of).astype(weights.dtype)  # [unit, token]
    to_unit = weights @ member.T
    match from_word:
        case "mean":
            share = member / member.sum(axis=1, keepdims=True)
            return share @ to_unit
        case "first":
            return to_unit[..., member.argmax(axis=1), :]
        case "max":
            rows = [to_unit[..., pieces.astype(bool), :].max(axis=-2) for pieces in member]
            return np.stack(rows, axis=-2)
    raise ValueError(f"wanted 'mean', 'first' or 'max' for a split word's row, got {from_word!r}")


@dataclass(frozen=True, eq=False)
class Members:
    """Which pieces make up which word, for a whole batch at once.

    Special tokens belong to no word here, and padding and words without pieces have empty rows.

    Attributes:
        of_word: 1 where a piece belongs to a word.
        share: The part that a piece has in its word's row: 1/n of its n pieces for "mean", 1 for
            the "first".
    """

    of_word: Float[Any, "batch piece word"]
    share: Float[Any, "batch word piece"]

    @classmethod
    def of(
        cls,
        batch: Batch,
        from_word: Literal["mean", "first"] = "mean",
        as_array: Callable[[np.ndarray], Any] = np.asarray,
        marks: Sequence[Kind] = (),
    ) -> "Members":
        """Those of a batch's inputs.

        Args:
            batch: The inputs.
            from_word: What the row of a split word is, see ``merge``.
            as_array: Moves a numpy array to the model's device.
            marks: Kinds of special tokens that count as a word each, after all others.
        """
        n_words = max(len(tokens.words) for tokens in batch.tokens)
        units = padded_to([t.unit_of for t in batch.tokens], batch.kinds.shape[1])
        ordinary = units[..., None] == np.arange(n_words)
        inside = units < np.array([len(t.words) for t in batch.tokens])[:, None]
        of_mark = [as_numpy(batch.kinds == kind)[..., None] for kind in marks]
        member = np.concatenate([ordinary & inside[..., None], *of_mark], axis=-1)
        member = member.astype(np.float32)
        share = _share(member.swapaxes(1, 2), from_word)
        return cls(as_array(member), as_array(share))

    def between_words(
        self, weights: Float[Any, "batch head piece piece"]
    ) -> Float[Any, "batch head word word"]:
        """Attention between words: summed over pieces that are looked at, averaged over others.

        Example:
            >>> halves = np.full((1, 1, 2, 2), 0.5, dtype=np.float32)
            >>> both_in_one = np.ones((1, 2, 1), dtype=np.float32)
            >>> Members(both_in_one, both_in_one.swapaxes(1, 2) / 2).between_words(halves).item()
            1.0
        """
        xp = array_namespace(weights)
        n_inputs, n_heads, n_pieces, _ = weights.shape
        flat = xp.reshape(weights, (n_inputs, n_heads * n_pieces, n_pieces))
        to_word = xp.matmul(flat, self.of_word)
        to_word = xp.reshape(to_word, (n_inputs, n_heads, n_pieces, -1))
        return xp.matmul(self.share[:, None], to_word)


def _share(member: np.ndarray, from_word: str) -> np.ndarray:
    if from_word == "first":
        first = np.cumsum(member, axis=-1) == 1
        return (member * first).astype(np.float32)
    if from_word != "mean":
        raise ValueError(f"wanted 'mean' or 'first' for a split word's row, got {from_word!r}")
    n_pieces = member.sum(axis=-1, keepdims=True)
    return member / np.maximum(n_pieces, 1)
