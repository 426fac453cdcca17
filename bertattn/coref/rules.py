"""Baselines that look at no attention (Clark et al. 2019, section 4.3), and the four sieves.

A rule gives each mention one other mention, told by its head word. Nearest is nearest by head
word, of equals the earlier one. The sieves look at preceding mentions: the first that leaves any
wins, and the nearest of these is taken: (1) the same words, (2) the same head word, (3) number,
gender and person that agree, (4) any mention.
"""

import csv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bertattn.coref.windows import Window
from bertattn.corpora import Mention

WORDS = Path(__file__).with_name("words.csv")
NOBODY = -1


class Features(NamedTuple):
    """Number, gender and person of a mention; "" where it could be any."""

    number: str
    gender: str
    person: str


def nearest_preceding(window: Window, mention: Mention) -> int:
    """The head word of the nearest mention before."""
    return _nearest(mention, _preceding(window, mention))


def nearest(window: Window, mention: Mention) -> int:
    """The head word of the nearest other mention, before or after."""
    return _nearest(mention, _others(window, mention))


def match_preceding(window: Window, mention: Mention) -> int:
    """The nearest mention before that has the same head word, else none."""
    return _nearest(mention, _matching(window, mention, _preceding(window, mention)))


def match(window: Window, mention: Mention) -> int:
    """The nearest other mention that has the same head word, else none."""
    return _nearest(mention, _matching(window, mention, _others(window, mention)))


def match_else_nearest(window: Window, mention: Mention) -> int:
    """The nearest mention before with the same head word, else the nearest before."""
    found = match_preceding(window, mention)
    return found if found != NOBODY else nearest_preceding(window, mention)


def sieves(window: Window, mention: Mention) -> int:
    """The four sieves."""
    before = _preceding(window, mention)
    said, mine = _text(window, mention), features(window, mention)
    steps: tuple[Callable[[Mention], bool], ...] = (
        lambda other: _text(window, other) == said,
        lambda other: _head(window, other) == _head(window, mention),
        lambda other: agree(mine, features(window, other)),
        lambda other: True,
    )
    for passes in steps:
        found = _nearest(mention, [other for other in before if passes(other)])
        if found != NOBODY:
            return found
    return NOBODY


RULES: dict[str, Callable[[Window, Mention], int]] = {
    "nearest before": nearest_preceding,
    "nearest": nearest,
    "head match before": match_preceding,
    "head match": match,
    "head match, else nearest": match_else_nearest,
    "four sieves": sieves,
}


def features(window: Window, mention: Mention) -> Features:
    """Number, gender and person, from a list of words, the tag of the head, and *and*."""
    listed = _listed().get(_head(window, mention), Features("", "", ""))
    if mention.kind == "pronoun":
        return listed
    tag = window.tags[mention.head_word]
    words = [window.words[i].lower() for i in range(mention.start, mention.stop)]
    number = listed.number or ("plural" if tag in ("NNS", "NNPS") else "singular")
    gender = listed.gender or next((g for w in words if (g := _names().get(w))), "")
    if mention.kind == "proper" and any(w == "and" for w in words):
        number, gender = "plural", ""
    return Features(number, gender, "3")


def agree(one: Features, other: Features) -> bool:
    """Is nothing in the one that the other contradicts?

    Example:
        >>> agree(Features("singular", "female", "3"), Features("singular", "", "3"))
        True
        >>> agree(Features("singular", "female", "3"), Features("singular", "neuter", "3"))
        False
    """
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))


def _nearest(mention: Mention, others: Sequence[Mention]) -> int:
    places = sorted({other.head_word for other in others})
    key = lambda place: abs(place - mention.head_word)  # noqa: E731
    return min(places, key=key) if places else NOBODY


def _others(window: Window, mention: Mention) -> list[Mention]:
    return [m for m in window.mentions if m.head_word != mention.head_word]


def _preceding(window: Window, mention: Mention) -> list[Mention]:
    return [m for m in window.mentions if m.head_word < mention.head_word]


def _matching(window: Window, mention: Mention, others: Sequence[Mention]) -> list[Mention]:
    return [m for m in others if _head(window, m) == _head(window, mention)]


def _head(window: Window, mention: Mention) -> str:
    return window.words[mention.head_word].lower()


def _text(window: Window, mention: Mention) -> str:
    words = window.words[mention.start : mention.stop]
    return " ".join(words).lower().removesuffix(" 's").removesuffix(" '")


@cache
def _rows() -> list[dict[str, str]]:
    with WORDS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@cache
def _listed() -> dict[str, Features]:
    """Pronouns, and nouns for people, by word."""
    return {
        row["word"]: Features(row["number"], row["gender"], row["person"])
        for row in _rows()
        if row["kind"] != "name"
    }


@cache
def _names() -> dict[str, str]:
    """The gender of titles and given names."""
    return {row["word"]: row["gender"] for row in _rows() if row["kind"] in ("name", "title")}
