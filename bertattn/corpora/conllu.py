"""CoNLL-U, the format of Universal Dependencies, read by the library of that name.

Ranges of multiword words (``4-5``) and empty nodes (``8.1``) are no words and are left out. HEAD
and DEPREL are used, never DEPS; the part of speech is XPOS, or UPOS where there is none.
"""

from collections.abc import Iterator
from pathlib import Path

import conllu
from conllu.exceptions import ParseException

from bertattn.corpora.articles import CorpusError
from bertattn.corpora.brackets import Cell
from bertattn.corpora.conllx import named_blocks
from bertattn.corpora.plain import Line
from bertattn.corpora.trees import ParsedSentence, fault

REMEDY = "see universaldependencies.org/format.html"


def read(path: Path, skipped: list[CorpusError] | None = None) -> Iterator[ParsedSentence]:
    """Read a file's sentences one after another.

    Args:
        path: The file.
        skipped: If given, a sentence that is no tree is left out and its error is put there.

    Raises:
        CorpusError: If a line is not UTF-8, a sentence is no tree of words, or there is none.
    """
    for sentence, _ in read_marked(path, skipped):
        yield sentence


def read_marked(
    path: Path,
    skipped: list[CorpusError] | None = None,
    failed: dict[str, CorpusError] | None = None,
) -> Iterator[tuple[ParsedSentence, list[Cell]]]:
    """The same, and beside each word what ``Entity=`` in its last column says.

    If given, ``failed`` is told the first error of each document that has one.
    """
    for rows, name, document in named_blocks(path, "CoNLL-U"):
        try:
            yield _sentence(rows, name, document, path)
        except CorpusError as error:
            if failed is not None:
                failed.setdefault(document, error)
            elif skipped is not None:
                skipped.append(error)
            else:
                raise


def _sentence(
    rows: list[Line], name: str, document: str, path: Path
) -> tuple[ParsedSentence, list[Cell]]:
    nodes = [(line, _node(path, line, text)) for line, text in rows]
    words = [(line, node) for line, node in nodes if isinstance(node["id"], int)]
    first = rows[0][0]
    if not words:
        raise CorpusError(path, first, f"sentence {name!r} has no word, only ranges; {REMEDY}")
    governors = []
    for wanted, (line, node) in enumerate(words, start=1):
        if node["id"] != wanted:
            reason = f"word number {node['id']}, wanted {wanted}; is a blank line missing?"
            raise CorpusError(path, line, reason)
        governors.append(_governor(path, line, node["head"], len(words)))
    if (wrong := fault(tuple(governors))) is not None:
        raise CorpusError(path, first, f"sentence {name!r} is no tree: {wrong}")
    cells = [Cell((node["misc"] or {}).get("Entity") or "", line) for line, node in words]
    return ParsedSentence(
        name,
        tuple(node["form"] for _, node in words),
        tuple(node["xpos"] or node["upos"] or "_" for _, node in words),
        tuple(governors),
        tuple(node["deprel"] or "_" for _, node in words),
        document,
        str(path),
        first,
    ), cells


def _node(path: Path, line: int, text: str) -> conllu.Token:
    n_columns = len(text.split("\t"))
    if n_columns != 10:
        blanks = "; are there blanks for tabs?" if len(text.split()) >= 10 else ""
        raise CorpusError(path, line, f"{n_columns} columns, wanted 10{blanks}")
    try:
        [[node]] = conllu.parse(f"{text}\n\n")
    except (ParseException, ValueError) as error:
        raise CorpusError(path, line, f"{error}; {REMEDY}") from error
    if not node["form"].strip():
        raise CorpusError(path, line, "the word is empty; write the form in the second column")
    return node


def _governor(path: Path, line: int, number: int | None, n_words: int) -> int | None:
    if number is None or not 0 <= number <= n_words:
        shown = "_" if number is None else number
        reason = f"governor {shown}, wanted a number of 0 (root) to {n_words}, in column 7"
        raise CorpusError(path, line, reason)
    return number - 1 if number else None
