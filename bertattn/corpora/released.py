"""The format that the paper's released code reads: a word a line, ``word governor-relation``.

Governors count from 1, and 0 is the root; a blank line ends a sentence. There are no parts of
speech. The same code also keeps sentences as JSON: a list of ``{"words", "heads", "relns"}``.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bertattn.corpora.articles import CorpusError
from bertattn.corpora.conllx import blocks
from bertattn.corpora.plain import Line
from bertattn.corpora.trees import ParsedSentence, fault

ROW = re.compile(r"(?P<word>\S+)\s+(?P<governor>\d+)-(?P<relation>\S+)")
KEYS = ("words", "heads", "relns")


def read(path: Path, skipped: list[CorpusError] | None = None) -> Iterator[ParsedSentence]:
    """Read a file of lines ``word governor-relation``.

    Args:
        path: The file.
        skipped: If given, a sentence that is no tree is left out and its error is put there.

    Raises:
        CorpusError: If a line is not UTF-8, a sentence is no tree of words, or there is none.
    """
    number = 0
    for number, block in enumerate(blocks(path), start=1):
        yield from _kept(path, number, block[0][0], skipped, _rows(path, block))
    if number == 0:
        raise CorpusError(path, 1, "the file holds no sentence")


def read_json(path: Path, skipped: list[CorpusError] | None = None) -> Iterator[ParsedSentence]:
    """Read a file of JSON, as the released code's preprocessing writes it.

    Errors name the line of the file, and the number of the sentence.

    Args:
        path: The file.
        skipped: If given, a sentence that is no tree is left out and its error is put there.

    Raises:
        CorpusError: If it is no such JSON, a sentence is no tree of words, or there is none.
    """
    try:
        examples = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise CorpusError(path, error.lineno, f"no JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise CorpusError(path, 0, "the file is not UTF-8; save it as UTF-8") from error
    if not isinstance(examples, list) or not examples:
        raise CorpusError(path, 1, "wanted a list of sentences with words, heads and relns")
    for number, example in enumerate(examples, start=1):
        yield from _kept(path, number, 1, skipped, _example(path, number, example))


def _kept(
    path: Path,
    number: int,
    line: int,
    skipped: list[CorpusError] | None,
    rows: Iterator[tuple[str, int | None, str]],
) -> Iterator[ParsedSentence]:
    try:
        words, governors, relations = zip(*rows, strict=True)
        name = f"{path.stem}-{number}"
        if (wrong := fault(governors)) is not None:
            raise CorpusError(path, line, f"sentence {number} is no tree: {wrong}")
        tags = ("_",) * len(words)
        yield ParsedSentence(name, words, tags, governors, relations, "", str(path), line)
    except CorpusError as error:
        if skipped is None:
            raise
        skipped.append(error)


def _rows(path: Path, block: list[Line]) -> Iterator[tuple[str, int | None, str]]:
    for line, text in block:
        row = ROW.fullmatch(text.strip())
        if row is None:
            reason = f"wanted 'word governor-relation' such as 'the 3-det', got {text.strip()!r}"
            raise CorpusError(path, line, reason)
        governor = int(row["governor"])
        if governor > len(block):
            reason = f"governor {governor}, wanted a number of 0 (root) to {len(block)}"
            raise CorpusError(path, line, reason)
        yield row["word"], governor - 1 if governor else None, row["relation"]


def _example(path: Path, number: int, example: Any) -> Iterator[tuple[str, int | None, str]]:
    if not isinstance(example, dict) or set(KEYS) - set(example):
        raise CorpusError(path, 1, f"sentence {number}: wanted the keys {', '.join(KEYS)}")
    lengths = [len(example[key]) for key in KEYS]
    if len(set(lengths)) != 1 or not lengths[0]:
        counted = ", ".join(f"{n} {key}" for n, key in zip(lengths, KEYS, strict=True))
        raise CorpusError(path, 1, f"sentence {number} has {counted}; wanted as many of each")
    for word, governor, relation in zip(*(example[key] for key in KEYS), strict=True):
        if type(governor) is not int or not 0 <= governor <= lengths[0]:
            reason = f"governor {governor!r}, wanted a number of 0 (root) to {lengths[0]}"
            raise CorpusError(path, 1, f"sentence {number}: {reason}")
        yield str(word), governor - 1 if governor else None, str(relation)
