"""OntoGUM: trees of Universal Dependencies and coreference in one CoNLL-U file.

Brackets stand in the last column, ``Entity=(3`` and so on, in the manner of OntoNotes.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from bertattn.corpora import conllu
from bertattn.corpora.articles import CorpusError
from bertattn.corpora.brackets import Cell, spans
from bertattn.corpora.coreference import CorefDocument, Mention, in_order, mention

Marked = tuple[conllu.ParsedSentence, list[Cell]]


def read(path: Path, skipped: list[CorpusError] | None = None) -> Iterator[CorefDocument]:
    """Read a file's documents.

    Args:
        path: The file.
        skipped: If given, a document that cannot be read is left out and its error is put there.

    Raises:
        CorpusError: If a line is not UTF-8, a sentence is no tree, or brackets do not match.
    """
    failed: dict[str, CorpusError] | None = None if skipped is None else {}
    marked = conllu.read_marked(path, failed=failed)
    for name, group in groupby(marked, key=lambda pair: pair[0].document):
        sentences = list(group)  # read to its end, so that all its errors are known
        try:
            if failed and name in failed:
                continue
            yield _document(path, name, sentences)
        except CorpusError as error:
            if failed is None:
                raise
            failed.setdefault(name, error)
    if skipped is not None and failed:
        skipped.extend(failed.values())


def _document(path: Path, name: str, sentences: list[Marked]) -> CorefDocument:
    mentions: list[Mention] = []
    offset = 0
    for tree, cells in sentences:
        mentions += [mention(tree, *span, offset) for span in spans(cells, path)]
        offset += len(tree)
    trees = tuple(tree for tree, _ in sentences)
    return CorefDocument(name, trees, in_order(mentions), str(path), trees[0].line)
