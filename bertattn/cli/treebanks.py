"""Opening a treebank for a command."""

from argparse import Namespace

from bertattn import corpora
from bertattn.corpora import Treebank


def opened(asked: Namespace) -> Treebank:
    """The treebank that was asked for.

    Raises:
        CorpusError: If it cannot be read, or if none of its sentences is a tree.
    """
    treebank = corpora.treebank(asked.corpus, skip=not asked.strict, labels=asked.labels)
    if not treebank.relations:  # then all was left out, or the readers had raised
        raise treebank.skipped[0]
    return treebank
