"""An example as a reader sees it: a sentence, and a word of it that looks at another."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bertattn.attention import Tokens
from bertattn.corpora import ParsedSentence


class Shown(NamedTuple):
    """What a stored example needs of its input.

    Attributes:
        words: Its words.
        source: The name of its sentence, or "".
        n_tokens: How many tokens it has.
    """

    words: tuple[str, ...]
    source: str
    n_tokens: int

    @classmethod
    def of(cls, tokens: Tokens) -> "Shown":
        """That of an input."""
        source = tokens.source
        name = source.id if isinstance(source, ParsedSentence) else ""
        return cls(tokens.words, name, len(tokens))

    @staticmethod
    def read(stored: Mapping[str, list]) -> "dict[int, Shown]":
        """Inputs by key, as JSON gives them back."""
        return {int(key): Shown(tuple(words), *more) for key, (words, *more) in stored.items()}


@dataclass(frozen=True)
class Example:
    """Attention of one head from a word of a sentence.

    Attributes:
        words: The words of the sentence.
        from_word: The word that looks.
        to_word: The word that it is asked about; None for what is no word (a special token).
        weight: The attention, of 1.
        note: What it is about, in a few words.
        source: The name of the sentence in its corpus.
    """

    words: tuple[str, ...]
    from_word: int
    to_word: int | None
    weight: float
    note: str = ""
    source: str = ""

    @classmethod
    def of(cls, shown: Shown, words: tuple[int, int], weight: float, note: str) -> "Example":
        """One of a stored input; a word of -1 is none."""
        from_word, to_word = words
        to = None if to_word < 0 else to_word
        return cls(shown.words, from_word, to, weight, note, shown.source)
