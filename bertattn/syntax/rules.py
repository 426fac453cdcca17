"""Baselines that look at no attention: fixed offsets, and the nearest word of a part of speech.

A rule gives each word the governor that stands at a fixed distance ("-2"), or the nearest word of a
class on one side ("next noun").
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Int

OFFSETS = (*range(-5, 0), *range(1, 6))
CLASSES = {
    "noun": ("NN", "NOUN", "PROPN"),
    "verb": ("VB", "VERB", "MD", "AUX"),
    "adjective": ("JJ", "ADJ"),
    "adverb": ("RB", "WRB", "RP", "ADV"),
    "preposition": ("IN", "TO", "ADP"),
    "pronoun": ("PRP", "WP", "EX", "PRON"),
    "determiner": ("DT", "PDT", "WDT", "DET"),
    "number": ("CD", "NUM"),
    "conjunction": ("CC", "CCONJ"),
}
NAMES = (
    *(f"{offset:+d}" for offset in OFFSETS),
    *(f"{side} {name}" for name in CLASSES for side in ("previous", "next")),
)
NOWHERE = -1


@cache
def word_class(tag: str) -> str:
    """The class of a part of speech, of the Penn Treebank or of Universal Dependencies.

    Example:
        >>> word_class("NNS"), word_class("PROPN"), word_class("PRP$"), word_class(".")
        ('noun', 'noun', 'pronoun', '')
    """
    found = [name for name, starts in CLASSES.items() if tag in starts]
    return (found or [n for n, starts in CLASSES.items() if tag.startswith(starts)] or [""])[0]


def governors(tags: Sequence[Sequence[str]], n_words: int) -> Int[np.ndarray, "rule batch word"]:
    """The governor that each rule gives each word of several sentences; -1 for none.

    Args:
        tags: The parts of speech of each sentence.
        n_words: The words of the longest sentence.

    Example:
        >>> found = governors([["DT", "JJ", "NN"]], 3)
        >>> found[NAMES.index("next noun"), 0].tolist()
        [2, 2, -1]
        >>> found[NAMES.index("-1"), 0].tolist()
        [-1, 0, 1]
    """
    lengths = np.array([len(sentence) for sentence in tags])[:, None]
    places = np.broadcast_to(np.arange(n_words), (len(tags), n_words))
    numbers = {name: number for number, name in enumerate(CLASSES)}
    classes = np.full((len(tags), n_words), NOWHERE, dtype=np.int8)
    for row, sentence in zip(classes, tags, strict=True):
        row[: len(sentence)] = [numbers.get(word_class(tag), NOWHERE) for tag in sentence]
    found = [_inside(places + offset, lengths) for offset in OFFSETS]
    for number in numbers.values():
        found += _nearest(classes == number)
    return np.stack(found)


def _inside(places: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    return np.where((places >= 0) & (places < lengths), places, NOWHERE)


def _nearest(member: np.ndarray) -> list[np.ndarray]:
    """The nearest member before each word, and the nearest after it."""
    n_words = member.shape[1]
    places = np.arange(n_words)
    before = np.maximum.accumulate(np.where(member, places, NOWHERE), axis=1)
    after = np.minimum.accumulate(np.where(member, places, n_words)[:, ::-1], axis=1)[:, ::-1]
    previous, following = np.full_like(before, NOWHERE), np.full_like(before, NOWHERE)
    previous[:, 1:] = before[:, :-1]
    following[:, :-1] = np.where(after[:, 1:] < n_words, after[:, 1:], NOWHERE)
    return [previous, following]
