"""Coreference brackets beside words: ``(3`` opens a mention of entity 3, ``3)`` closes it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bertattn.corpora.articles import CorpusError

BRACKET = re.compile(r"(?P<open>\()?(?P<name>[^()|]+)(?P<close>\))?")


class Cell(NamedTuple):
    """What stands beside one word, and where."""

    text: str
    line: int


def spans(cells: Sequence[Cell], path: object) -> Iterator[tuple[int, int, str]]:
    """First word, word after the last, and entity of each mention of a sentence.

    Mentions of different entities may cross. Of one entity's open mentions the last one is closed.
    What follows a hyphen in a name is not read: GUM writes kinds there.

    Raises:
        CorpusError: If a bracket is not opened, not closed in its sentence, or is none; or a
            mention has several parts (``(3[1/2]``), which is not supported.
    """
    opened: dict[str, list[tuple[int, int]]] = {}
    for word, (text, line) in enumerate(cells):
        for name, opens, closes in _brackets(text, path, line):
            if opens:
                opened.setdefault(name, []).append((word, line))
            if closes:
                if not opened.get(name):
                    reason = f"{name + ')'!r} closes a mention that was not opened in its sentence"
                    raise CorpusError(path, line, reason)
                yield opened[name].pop()[0], word + 1, name
    for name, left in opened.items():
        if left:
            reason = f"'({name}' is not closed in its sentence"
            raise CorpusError(path, left[-1][1], reason)


def _brackets(text: str, path: object, line: int) -> Iterator[tuple[str, bool, bool]]:
    if text in ("-", "_", "*", ""):
        return
    found = list(BRACKET.finditer(text))
    if "".join(m[0] for m in found) != text.replace("|", ""):
        raise CorpusError(path, line, f"cannot read {text!r}; wanted brackets such as '(3', '3)'")
    for bracket in found:
        name, opens, closes = bracket["name"], bool(bracket["open"]), bool(bracket["close"])
        if "[" in name:
            reason = f"{bracket[0]!r}: mentions of several parts are not supported"
            raise CorpusError(path, line, reason)
        if not (opens or closes):
            reason = f"cannot read {bracket[0]!r}; wanted brackets such as '(3', '3)' or '(3)'"
            raise CorpusError(path, line, reason)
        yield name.partition("-")[0], opens, closes
