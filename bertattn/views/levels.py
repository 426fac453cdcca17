"""What of a map stands in a view: words in the order of the text, or pieces."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from bertattn import words
from bertattn.attention import SPECIAL, AttentionMap, Kind, WordAttention

Level = Literal["word", "piece"]


@dataclass(frozen=True, eq=False)
class Part:
    """The maps of a level that stand in a page."""

    name: str
    labels: tuple[str, ...]
    special: np.ndarray
    texts: np.ndarray
    weights: Float[np.ndarray, "layer head unit unit"]

    def as_data(self, offset: int) -> dict[str, Any]:
        """As the script is given it; ``offset`` is where its codes begin."""
        return {
            "name": self.name,
            "n": len(self.labels),
            "offset": offset,
            "labels": list(self.labels),
            "special": self.special.astype(int).tolist(),
            "texts": self.texts.tolist(),
        }


def levels_of(attention: AttentionMap | WordAttention, first: Level) -> list[Part]:
    """The levels of a map, the one to be shown first in front."""
    if isinstance(attention, WordAttention):
        if first == "piece":
            raise ValueError("wanted pieces of a map merged into words; give the map of pieces")
        n_words, n = len(attention.words), attention.weights.shape[-1]
        labels = attention.words + attention.specials
        parts = [
            Part(
                "word",
                labels,
                np.arange(n) >= n_words,
                np.zeros(n, dtype=int),
                attention.weights,
            )
        ]
    else:
        parts = [_pieces(attention)]
        if len(set(attention.tokens.unit_of.tolist())) < len(attention.tokens):
            parts = [_words(attention), parts[0]][:: 1 if first == "word" else -1]
        else:
            parts = [replace(parts[0], name="word")]
    if not parts[0].labels:
        raise ValueError("nothing to show: the text has no tokens")
    return parts


def _pieces(attention: AttentionMap) -> Part:
    tokens = attention.tokens
    return Part("piece", tokens.pieces, tokens.special, _text_of(attention), attention.weights)


def _words(attention: AttentionMap) -> Part:
    """Words in the order of the text, special tokens where they stand."""
    units, first = np.unique(attention.tokens.unit_of, return_index=True)
    order = np.argsort(first)
    merged = words.merge(attention)
    in_place = merged.weights[:, :, order][..., order]
    tokens = attention.tokens
    labels = tuple(tokens.units[unit] for unit in units[order])
    at = first[order]
    return Part("word", labels, tokens.special[at], _text_of(attention)[at], in_place)


def _text_of(attention: AttentionMap) -> np.ndarray:
    """0 for a token of the first text, 1 for one of the second: after a separator, to the next."""
    kinds = attention.tokens.kinds
    before = np.cumsum(kinds == Kind.SEPARATOR) - (kinds == Kind.SEPARATOR)
    ordinary = ~np.isin(kinds, SPECIAL)
    return (before > 0).astype(int) if (before[ordinary] > 0).any() else np.zeros(len(kinds), int)
