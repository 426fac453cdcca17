"""A sentence's tree above, and what heads or probes guess below."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bertattn import plots
from bertattn.corpora import ParsedSentence
from bertattn.heads import AttentionHead
from bertattn.syntax import DIRECTIONS, PUNCTUATION, Direction, Guesses, possessor_asks
from bertattn.views.page import View

if TYPE_CHECKING:
    from bertattn.probes import ProbeData, Result

LETTER, BETWEEN, LEAST = 7.4, 16, 20  # pixels
ROOT_RISE = 34.0
NO_GUESS = -1
LONGEST = 40  # letters of a word

Governors = Sequence[int | None]  # None: the root


class TreeView(View):
    """The treebank's tree above a sentence, guesses of governors below, right and wrong marked.

    Punctuation has no arcs. Pointing at a word, or moving to it with the keys, says what governs it
    and what the guess is.

    Args:
        sentence: The sentence.
        guesses: By name, a governor for each word: its place, None for the root, or a negative
            number where there is no guess.

    Raises:
        ValueError: If there is no guess, one is not as long as the sentence, or names a word that
            is not in it.
    """

    def __init__(self, sentence: ParsedSentence, guesses: Mapping[str, Governors]) -> None:
        if not guesses:
            raise ValueError("wanted at least one guess to show, got none")
        for name, guess in guesses.items():
            if len(guess) != len(sentence):
                raise ValueError(
                    f"wanted {len(sentence)} governors from {name}, one a word, got {len(guess)}"
                )
            if beyond := [g for g in guess if g is not None and g >= len(sentence)]:
                raise ValueError(
                    f"{name} names word {beyond[0]} of a sentence of {len(sentence)} words, "
                    "counted from 0"
                )
        asked = [i for i, name in enumerate(sentence.relations) if name != PUNCTUATION]
        middles, width = places(sentence.words)
        top, below = (
            max((_rise(middles, i, guess[i]) for guess in some for i in asked), default=0.0) + 18
            for some in ([sentence.governors], guesses.values())
        )
        gold = [_arc(middles, top, i, sentence.governors[i], -1) for i in asked]
        for drawn, i in zip(gold, asked, strict=True):
            drawn |= {"kind": "gold", "label": sentence.relations[i]}
        data = {
            "title": "a tree, and guesses at it",
            "width": round(width),
            "height": round(top + 26 + below),
            "line": round(top + 17),
            "words": [
                {"text": _cut(word), "x": x}
                for word, x in zip(sentence.words, middles, strict=True)
            ],
            "arcs": gold,
            "guesses": [_guess(sentence, n, g, asked, middles, top) for n, g in guesses.items()],
        }
        name, first = next(iter(guesses.items()))
        super().__init__(
            "tree",
            data,
            lambda: plots.two_trees(sentence, first, name),
            ("word", "relation", "governor", *guesses),
            [
                [
                    sentence.words[i],
                    sentence.relations[i],
                    *(_named(sentence, g[i]) for g in (sentence.governors, *guesses.values())),
                ]
                for i in asked
            ],
        )


def guessed_tree(
    heads: Sequence[AttentionHead], guesses: Guesses, direction: Direction = DIRECTIONS[0]
) -> TreeView:
    """What some heads guess for one sentence (``SyntaxCounts.guesses``).

    A head names a word, never the root, so it is not asked about the root.

    Args:
        heads: Which heads, the first one shown first.
        guesses: Kept guesses.
        direction: Who attends to whom.
    """
    sentence = guesses.sentence
    asks = [possessor_asks(sentence, word) for word in range(len(sentence))]
    of_heads = guesses.governors[DIRECTIONS.index(direction)]
    named = {
        f"head {h}, {direction}": [
            NO_GUESS if sentence.governors[word] is None else int(of_heads[h.layer, h.index, i])
            for word, i in enumerate(asks)
        ]
        for h in heads
    }
    return TreeView(sentence, named)


def probe_trees(data: "ProbeData", results: Sequence["Result"], sentence: int = 1) -> TreeView:
    """The most probable trees of some probes for one sentence of the test part.

    Args:
        data: The sentences.
        results: The probes, of each of which the first seed is shown.
        sentence: Which one, counted from 1; beyond the last, the last.

    Raises:
        ValueError: If a probe has no trees.
    """
    if sentence < 1:
        raise ValueError(f"sentences are counted from 1, got {sentence}")
    at = min(sentence, len(data.parts.test)) - 1
    named: dict[str, Governors] = {}
    for result in results:
        tree = result.runs[0].predictions[at].tree
        if tree is None:
            raise ValueError(f"{result.name!r} names no governors, so it has no tree to draw")
        named[result.name] = [None if int(c) == 0 else int(c) - 1 for c in tree]
    return TreeView(data.sentence(data.parts.test[at]), named)


def places(words: Sequence[str]) -> tuple[list[float], float]:
    """The middle of each word on a line, in pixels, and the line's length.

    Where most words are written from right to left, so is the line.

    Example:
        >>> places(["a", "dog"])
        ([18.0, 55.1], 74.2)
    """
    widths = [max(LETTER * _n_columns(_cut(word)), LEAST) + BETWEEN for word in words]
    ends = np.cumsum([0.0, *widths])
    middles = (ends[:-1] + ends[1:]) / 2
    if sum(_is_right_to_left(word) for word in words) > len(words) / 2:
        middles = ends[-1] - middles
    return np.round(middles, 1).tolist(), round(float(ends[-1]), 1)


def _n_columns(word: str) -> int:
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in word)
    return len(word) + wide - sum(unicodedata.combining(letter) > 0 for letter in word)


def _is_right_to_left(word: str) -> bool:
    return any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in word)


def _cut(word: str) -> str:
    return word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…"


def _rise(middles: Sequence[float], word: int, governor: int | None) -> float:
    if governor is None:
        return ROOT_RISE
    return 0.0 if governor < 0 else 14 + 5 * abs(middles[word] - middles[governor]) ** 0.5


def _arc(
    middles: Sequence[float], top: float, word: int, governor: int | None, side: int
) -> dict[str, Any]:
    """An arc from a word to its governor; the tip is at the word. Side -1 is above the words."""
    y = top if side < 0 else top + 26
    x, rise = middles[word], _rise(middles, word, governor)
    end = x if governor is None else middles[governor]
    bend = round(y + side * rise * 4 / 3)  # the curve reaches three quarters of this
    if governor is None:
        path = f"M{x:g} {y:.0f}V{y + side * rise:.0f}"
    else:
        end += 4 if x > end else -4  # so that arcs on both sides of a word stay apart
        path = f"M{x:g} {y:.0f}C{x:g} {bend} {end:g} {bend} {end:g} {y:.0f}"
    back = y + 7 * side
    at = (round((x + end) / 2, 1), round(y + side * rise + (-3 if side < 0 else 12)))
    if side > 0 and governor is not None:  # of a guess the sign stands at the word
        at = (x + (9 if end < x else -9), round(y + 13))
    return {
        "word": word,
        "path": path,
        "tip": f"M{x - 3:g} {back:.0f}L{x:g} {y:.0f}L{x + 3:g} {back:.0f}",
        "x": at[0],
        "y": at[1],
    }


def _guess(
    sentence: ParsedSentence,
    name: str,
    guess: Governors,
    asked: Sequence[int],
    middles: Sequence[float],
    top: float,
) -> dict[str, Any]:
    given = [i for i in asked if guess[i] is None or guess[i] >= 0]  # type: ignore[operator]
    right = {i for i in given if guess[i] == sentence.governors[i]}
    arcs = []
    for i in given:
        drawn = _arc(middles, top, i, guess[i], 1)
        kind, sign = ("right", "✓") if i in right else ("wrong", "✗")
        arcs.append(drawn | {"kind": kind, "label": f"root {sign}" if guess[i] is None else sign})
    return {
        "name": name,
        "arcs": arcs,
        "summary": f"{name}: {len(right)} of {len(given)} governors right. "
        "Above the treebank's tree, below the guesses.",
        "said": [
            _said(sentence, name, guess, i, i in asked, i in given, i in right)
            for i in range(len(sentence))
        ],
    }


def _said(
    sentence: ParsedSentence,
    name: str,
    guess: Governors,
    word: int,
    is_asked: bool,
    is_given: bool,
    is_right: bool,
) -> str:
    text = f"“{sentence.words[word]}”"
    if not is_asked:
        return f"{text}: punctuation, not asked."
    gold = _named(sentence, sentence.governors[word])
    said = f"{text}: {sentence.relations[word]} of {gold}"
    if not is_given:
        return f"{said}; no guess by {name}."
    verdict = "right" if is_right else "wrong"
    return f"{said}; {name} says {_named(sentence, guess[word])}, {verdict}."


def _named(sentence: ParsedSentence, governor: int | None) -> str:
    if governor is None:
        return "the root"
    return f"“{sentence.words[governor]}”" if governor >= 0 else "no guess"
