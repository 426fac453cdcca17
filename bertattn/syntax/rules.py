"""Baselines that look at no attention: fixed offsets, and the nearest word of a part of speech.

A rule gives each word the governor that stands at a fixed distance ("-2"), or the nearest word of a
class on one side ("next noun").
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

OFFSETS = (*range(-5, 0), *range(1, 6))
CLASSES = {
    "noun": "NN NNS NNP NNPS NP NPS NOUN PROPN",
    "verb": "VB VBD VBG VBN VBP VBZ MD VV VVD VVG VVN VVP VVZ VH VHD VHG VHN VHP VHZ VERB AUX",
    "adjective": "JJ JJR JJS ADJ",
    "adverb": "RB RBR RBS WRB RP ADV",
    "preposition": "IN TO ADP",
    "pronoun": "PRP PRP$ PP PP$ WP WP$ EX PRON",
    "determiner": "DT PDT WDT DET",
    "number": "CD NUM",
    "conjunction": "CC CCONJ",
}
CLASS_OF = {tag: name for name, tags in CLASSES.items() for tag in tags.split()}
NAMES = (
    *(f"{offset:+d}" for offset in OFFSETS),
    *(f"{side} {name}" for name in CLASSES for side in ("previous", "next")),
)
NOWHERE = -3  # no governor: neither a word, nor the root (-1), nor "no candidate" (-2)


def word_class(tag: str) -> str:
    """The class of a part of speech, of the Penn Treebank or of Universal Dependencies.

    Example:
        >>> word_class("NNS"), word_class("PROPN"), word_class("PRP$"), word_class("INTJ")
        ('noun', 'noun', 'pronoun', '')
    """
    return CLASS_OF.get(tag, "")


def governors(tags: Sequence[Sequence[str]], n_words: int) -> Int[np.ndarray, "rule batch word"]:
    """The governor that each rule gives each word of several sentences; -3 for none.

    Args:
        tags: The parts of speech of each sentence.
        n_words: The words of the longest sentence.

    Example:
        >>> found = governors([["DT", "JJ", "NN"]], 3)
        >>> found[NAMES.index("next noun"), 0].tolist()
        [2, 2, -3]
        >>> found[NAMES.index("-1"), 0].tolist()
        [-3, 0, 1]
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
