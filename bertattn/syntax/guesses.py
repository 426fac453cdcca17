"""What every head predicts for some sentences, kept for pictures and for the null."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from bertattn.corpora import ParsedSentence


@dataclass(frozen=True, eq=False)
class Guesses:
    """What every head predicts for one sentence, kept for pictures and for the null.

    Attributes:
        sentence: The sentence.
        governors: The predicted governor of each word.
        document: The number of its document.
    """

    sentence: ParsedSentence
    governors: Int[np.ndarray, "direction layer head word"]
    document: int

    def __str__(self) -> str:
        return f"{' '.join(self.sentence.words[:7])} ... ({self.sentence.id})"


def examples(guesses: Sequence[Guesses], n: int = 40, n_words: int = 14) -> list[Guesses]:
    """Some guesses that fit into a picture: of sentences with about ``n_words`` words."""
    by_length = sorted(guesses, key=lambda one: abs(len(one.sentence) - n_words))
    return by_length[:n]
