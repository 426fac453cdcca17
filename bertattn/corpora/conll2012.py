"""CoNLL-2012: OntoNotes' coreference, a word a line, blanks between twelve or more columns.

Document, part, word number, word, part of speech, parse bit, lemma, frameset, sense, speaker, name,
..., coreference (the last column). ``#begin document (id); part 000`` and ``#end document`` stand
around each part, a blank line after each sentence. Files with tabs between columns may leave the
last one empty.

Head words follow from the parse bits by head rules (``head_rules``); where a sentence's bits are no
tree, spaCy parses it.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from bertattn.corpora import head_rules
from bertattn.corpora.articles import CorpusError
from bertattn.corpora.brackets import Cell, spans
from bertattn.corpora.coreference import CorefDocument, Mention, in_order, mention
from bertattn.corpora.plain import Line, raw_lines
from bertattn.corpora.trees import ParsedSentence

BEGIN = re.compile(r"#begin document \(?(?P<name>[^)]*?)\)?;?(?: part (?P<part>\d+))?\s*")
END = "#end document"
N_COLUMNS = 12
WORD, TAG, BIT = 3, 4, 5
SIGNS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def read(path: Path, skipped: list[CorpusError] | None = None) -> Iterator[CorefDocument]:
    """Read a file's documents, each part one of its own.

    Args:
        path: The file.
        skipped: If given, a document that cannot be read is left out and its error is put there.

    Raises:
        CorpusError: If a line is not UTF-8 or outside a document, a document does not end or has
            the name of another, columns are missing, or brackets do not match.
    """
    names: set[str] = set()
    for begin, name, body in _documents(path):
        try:
            if name in names:
                raise CorpusError(path, begin, f"a second document with the name {name!r}")
            names.add(name)
            yield _document(path, begin, name, body)
        except CorpusError as error:
            if skipped is None:
                raise
            skipped.append(error)
    if not names:
        raise CorpusError(path, 1, "no document; wanted a line '#begin document (name); part 000'")


def _documents(path: Path) -> Iterator[tuple[int, str, list[Line]]]:
    name: str | None = None
    begin = 0
    body: list[Line] = []
    for number, text in raw_lines(path):
        if opened := BEGIN.fullmatch(text.rstrip()):
            if name is not None:
                raise CorpusError(path, number, f"{name!r} has no '{END}' before this line")
            part = opened["part"]
            name = opened["name"] + (f"-{part}" if part is not None else "")
            name, begin, body = name or f"{path.stem}-{number}", number, []
        elif text.strip() == END:
            if name is None:
                raise CorpusError(path, number, f"'{END}' without a '#begin document'")
            yield begin, name, body
            name = None
        elif name is not None:
            body.append((number, text))
        elif text.strip() and not text.startswith("#"):
            raise CorpusError(path, number, "text outside a document")
    if name is not None:
        raise CorpusError(path, begin, f"{name!r} has no '{END}'")


def _document(path: Path, begin: int, name: str, body: list[Line]) -> CorefDocument:
    sentences: list[ParsedSentence] = []
    mentions: list[Mention] = []
    offset = 0
    for rows in _sentences(body):
        cells = [_cells(path, *row) for row in rows]
        tree = _tree(path, f"{name}-{len(sentences) + 1}", name, rows[0][0], cells)
        marks = [Cell(row[-1], line) for row, (line, _) in zip(cells, rows, strict=True)]
        mentions += [mention(tree, *span, offset) for span in spans(marks, path)]
        sentences.append(tree)
        offset += len(tree)
    if not sentences:
        raise CorpusError(path, begin, f"the document {name!r} has no words")
    return CorefDocument(name, tuple(sentences), in_order(mentions), str(path), begin)


def _sentences(body: list[Line]) -> Iterator[list[Line]]:
    rows: list[Line] = []
    for number, text in body:
        if text.strip():
            rows.append((number, text))
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _cells(path: Path, line: int, text: str) -> list[str]:
    by_tab = "\t" in text
    cells = [cell.strip() for cell in text.split("\t")] if by_tab else text.split()
    if len(cells) < N_COLUMNS:
        reason = f"{len(cells)} columns, wanted {N_COLUMNS} or more with blanks between"
        raise CorpusError(path, line, reason)
    if not cells[WORD]:
        raise CorpusError(path, line, f"the word is empty; write it in column {WORD + 1}")
    cells[WORD] = SIGNS.get(cells[WORD], cells[WORD])
    return cells


def _tree(
    path: Path, name: str, document: str, line: int, cells: list[list[str]]
) -> ParsedSentence:
    words, tags, bits = (tuple(row[column] for row in cells) for column in (WORD, TAG, BIT))
    try:
        governors = head_rules.governors(bits, tags)
    except ValueError:
        return _parsed(ParsedSentence(name, words, tags, *_flat(words), document, str(path), line))
    relations = tuple("root" if g is None else "dep" for g in governors)
    return ParsedSentence(name, words, tags, governors, relations, document, str(path), line)


def _flat(words: tuple[str, ...]) -> tuple[tuple[int | None, ...], tuple[str, ...]]:
    return (None, *[0] * (len(words) - 1)), ("root", *["dep"] * (len(words) - 1))


def _parsed(sentence: ParsedSentence) -> ParsedSentence:
    from bertattn.corpora.parsing import parsed_words

    [found] = parsed_words([sentence])
    return found
