"""Pieces to words (Clark et al. 2019, section 4.1).

Attention *to* a split word is the sum over its pieces; attention *from* it is the mean
over them. Rows still sum to 1. Words without pieces have no row and no column.
"""

from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from bertattn.attention import AttentionMap, WordAttention

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
