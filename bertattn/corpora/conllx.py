"""CoNLL-X: a word a line, ten columns with tabs between, a blank line after each sentence.

The columns are those of Buchholz and Marsi (2006): number, form, lemma, coarse and fine part of
speech, features, governor, relation, and two that are not used here. Lines that begin with ``#``
are comments, of which ``# newdoc id = ...`` and ``# sent_id = ...`` are understood.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from bertattn.corpora.articles import CorpusError
from bertattn.corpora.plain import Line, raw_lines
from bertattn.corpora.trees import ParsedSentence, fault

N_COLUMNS = 10


def read(path: Path, skipped: list[CorpusError] | None = None) -> Iterator[ParsedSentence]:
    """Read a file's sentences one after another.

    Args:
        path: The file.
        skipped: If given, a sentence that is no tree is left out and its error is put there.

    Raises:
        CorpusError: If a line is not UTF-8, a sentence is no tree of words, or there is none.
    """
    for rows, name, document in named_blocks(path, "CoNLL-X"):
        try:
            yield _sentence(rows, name, document, path)
        except CorpusError as error:
            if skipped is None:
                raise
            skipped.append(error)


def named_blocks(path: Path, format: str) -> Iterator[tuple[list[Line], str, str]]:
    """The lines of each sentence's words, its name and its document's.

    Without names in comments, a document is called by its file, a sentence by its number in it.

    Raises:
        CorpusError: If a line is not UTF-8, or there is no sentence.
    """
    document, n_blocks = path.stem, 0
    for block in blocks(path):
        said = dict(comments(block))
        document = said.get("newdoc id", document)
        rows = [(number, text) for number, text in block if not is_comment(text)]
        if rows:
            n_blocks += 1
            yield rows, said.get("sent_id", f"{document}-{n_blocks}"), document
    if n_blocks == 0:
        raise CorpusError(path, 1, f"the file holds no sentence; give a file in {format}")


def written(sentences: Iterable[ParsedSentence], header: Iterable[str] = ()) -> str:
    r"""A treebank as text, with ``header`` as comments before the first sentence.

    Example:
        >>> tree = ParsedSentence("s1", ("Go", "!"), ("VB", "."), (None, 0), ("root", "punct"))
        >>> print(written([tree], ["two words"]).replace("\t", " "))
        # two words
        <BLANKLINE>
        # sent_id = s1
        1 Go _ VB VB _ 0 root _ _
        2 ! _ . . _ 1 punct _ _
        <BLANKLINE>
    """
    lines = [f"# {line}" for line in header]
    parts = ["\n".join(lines) + "\n"] if lines else []
    document = ""
    for sentence in sentences:
        lines = [f"# newdoc id = {sentence.document}"] if sentence.document != document else []
        document = sentence.document
        lines += [f"# sent_id = {sentence.id}", *_rows(sentence)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _rows(sentence: ParsedSentence) -> Iterator[str]:
    rows = zip(sentence.words, sentence.tags, sentence.governors, sentence.relations, strict=True)
    for number, (word, tag, governor, relation) in enumerate(rows, start=1):
        above = 0 if governor is None else governor + 1
        yield f"{number}\t{word}\t_\t{tag}\t{tag}\t_\t{above}\t{relation}\t_\t_"


def blocks(path: Path) -> Iterator[list[Line]]:
    """The lines between blank lines, with their numbers."""
    for filled, block in groupby(raw_lines(path), key=lambda line: bool(line[1].strip())):
        if filled:
            yield list(block)


def is_comment(text: str) -> bool:
    """Does the line say something about the sentence, not about a word?"""
    return text.startswith("#")


def comments(block: list[Line]) -> Iterator[tuple[str, str]]:
    """Key and value of each comment like ``# sent_id = 7``."""
    for _, text in block:
        key, equals, value = text.lstrip("# ").partition(" = ")
        if is_comment(text) and equals:
            yield key.strip(), value.strip()


def _sentence(rows: list[Line], name: str, document: str, path: Path) -> ParsedSentence:
    cells = [_cells(path, *row, wanted) for wanted, row in enumerate(rows, start=1)]
    governors = tuple(
        _governor(path, number, row[6], len(rows))
        for (number, _), row in zip(rows, cells, strict=True)
    )
    first = rows[0][0]
    if (wrong := fault(governors)) is not None:
        raise CorpusError(path, first, f"sentence {name!r} is no tree: {wrong}")
    words, tags, relations = (tuple(row[column] for row in cells) for column in (1, 4, 7))
    return ParsedSentence(name, words, tags, governors, relations, document, str(path), first)


def _cells(path: Path, line: int, text: str, wanted: int) -> list[str]:
    cells = text.split("\t")
    if len(cells) != N_COLUMNS:
        blanks = "; are there blanks for tabs?" if len(text.split()) >= N_COLUMNS else ""
        raise CorpusError(path, line, f"{len(cells)} columns, wanted {N_COLUMNS}{blanks}")
    if cells[0] != str(wanted):
        raise CorpusError(
            path, line, f"word number {cells[0]!r}, wanted {wanted}; is a blank line missing?"
        )
    if not cells[1].strip():
        raise CorpusError(path, line, "the word is empty; write the form in the second column")
    return cells


def _governor(path: Path, line: int, text: str, n_words: int) -> int | None:
    if not text.isdecimal() or int(text) > n_words:
        reason = f"governor {text!r}, wanted a number of 0 (root) to {n_words}, in column 7"
        raise CorpusError(path, line, reason)
    return int(text) - 1 if int(text) else None
