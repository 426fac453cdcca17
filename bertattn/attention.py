"""What passes between the parts: tokens and attention maps.

Position ``i`` attends *to* position ``j`` with weight ``weights[..., i, j]``; a row holds
where one position looks and sums to 1 (Clark et al. 2019, section 2).
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int


class Kind(IntEnum):
    """What a token is, as told by the tokenizer's own ids (never by a string like "[SEP]")."""

    ORDINARY = 0
    PUNCTUATION = 1  # a full stop or a comma, the two marks of the paper's section 3
    START = 2  # [CLS], <s>
    SEPARATOR = 3  # [SEP], </s>
    OTHER_SPECIAL = 4


SPECIAL = (Kind.START, Kind.SEPARATOR, Kind.OTHER_SPECIAL)


def read_only(array: np.ndarray) -> np.ndarray:
    """A view of an array that refuses to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, eq=False)
class Tokens:
    """One input of a model: wordpieces, and which word each belongs to.

    Units are the words in order, then the special tokens in order. A word of which the
    tokenizer makes no piece is a unit that no piece belongs to: see ``words_without_pieces``.

    Attributes:
        pieces: The wordpieces as readable text.
        ids: The model's vocabulary ids.
        type_ids: 0 for the first text, 1 for the second, as the tokenizer has it.
        unit_of: The unit of each piece.
        kinds: A ``Kind`` for each piece.
        words: The words, those without pieces too.
        document: The number of the document it comes from: the unit that statistics resample.
        source: What it was made of, for reducers that need more: a parsed sentence, say.
    """

    pieces: tuple[str, ...]
    ids: Int[np.ndarray, " token"]
    type_ids: Int[np.ndarray, " token"]
    unit_of: Int[np.ndarray, " token"]
    kinds: Int[np.ndarray, " token"]
    words: tuple[str, ...]
    document: int = 0
    source: Any = None

    def __post_init__(self) -> None:
        for name in ("ids", "type_ids", "unit_of", "kinds"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def special(self) -> Bool[np.ndarray, " token"]:
        """Which tokens the tokenizer put in: [CLS], [SEP] and their kin."""
        return np.isin(self.kinds, SPECIAL)

    @property
    def units(self) -> tuple[str, ...]:
        """The words, then the special tokens, each by its text."""
        return self.words + tuple(np.array(self.pieces, dtype=object)[self.special])

    @cached_property
    def words_without_pieces(self) -> tuple[int, ...]:
        """Positions in ``words`` of those that the tokenizer drops (a lone accent, say)."""
        present = set(self.unit_of.tolist())
        return tuple(i for i in range(len(self.words)) if i not in present)


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Every head's attention over one input, piece by piece.

    Raises:
        ValueError: If a row does not sum to 1.
    """

    tokens: Tokens
    weights: Float[np.ndarray, "layer head token token"]

    def __post_init__(self) -> None:
        check_rows(self.weights)
        object.__setattr__(self, "weights", read_only(self.weights))


@dataclass(frozen=True, eq=False)
class WordAttention:
    """Every head's attention over one input, word by word.

    Attributes:
        words: The words that have pieces.
        word_index: Where each of them stands among the input's words.
        weights: Rows and columns are ``words``, then the special tokens.
        specials: The special tokens' text.
    """

    words: tuple[str, ...]
    word_index: Int[np.ndarray, " word"]
    weights: Float[np.ndarray, "layer head unit unit"]
    specials: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "word_index", read_only(self.word_index))
        object.__setattr__(self, "weights", read_only(self.weights))

    @property
    def between_words(self) -> Float[np.ndarray, "layer head word word"]:
        """The weights with the special tokens left out; rows no longer sum to 1."""
        n_words = len(self.words)
        return self.weights[..., :n_words, :n_words]


def check_rows(weights: Any, tolerance: float = 1e-3) -> None:
    """Refuse a map whose rows do not sum to 1.

    Raises:
        ValueError: With the row sum that is furthest off.
    """
    sums = weights.sum(-1)
    worst = float(abs(sums - 1).max()) if sums.size else 0.0
    if not worst <= tolerance:  # so that NaN is refused too
        raise ValueError(
            f"rows of an attention map must sum to 1, got a sum that is off by {worst:.3g}; "
            "weights are wanted after the softmax, without dropout"
        )
