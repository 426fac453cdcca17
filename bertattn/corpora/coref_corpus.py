"""Documents with coreference, in whichever format they are kept.

========= =========================== ==========================================
format    told by its name            else
========= =========================== ==========================================
conll2012 ends in ``conll``           the first line is ``#begin document``
ontogum   ``.conllu``
sample    the sample alone            text with brackets, and its trees
========= =========================== ==========================================
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bertattn.corpora import conll2012, conllx, markup, ontogum, plain
from bertattn.corpora.articles import CorpusError
from bertattn.corpora.coreference import CorefDocument
from bertattn.corpora.trees import ParsedSentence

CorefFormat = Literal["conll2012", "ontogum"]
Read = Callable[[Path, list[CorpusError] | None], Iterator[CorefDocument]]
READERS: dict[CorefFormat, Read] = {"conll2012": conll2012.read, "ontogum": ontogum.read}
ENDINGS = (".conllu", ".conll", ".v4_gold_conll", ".v4_auto_conll", ".gold_conll", ".auto_conll")


@dataclass(eq=False)
class CorefCorpus:
    """Documents with their mentions, read anew each time they are gone through.

    Attributes:
        name: What tables call it.
        paths: The files, in order.
        format: How they are written; None tells each by its name, else by its content.
        trees: For the sample, the files of its sentences' trees.
        skip: Whether a document that cannot be read is left out; else it stops the reading.
        skipped: The errors of those that the last pass left out.
    """

    name: str
    paths: tuple[Path, ...]
    format: CorefFormat | None = None
    trees: tuple[Path, ...] = ()
    skip: bool = False
    skipped: list[CorpusError] = field(default_factory=list)

    def __iter__(self) -> Iterator[CorefDocument]:
        self.skipped.clear()
        if self.trees:
            yield from self._marked()
            return
        for path in self.paths:
            read = READERS[self.format or guess_format(path)]
            yield from read(path, self.skipped if self.skip else None)

    def _marked(self) -> Iterator[CorefDocument]:
        trees: dict[str, list[ParsedSentence]] = defaultdict(list)
        for path in self.trees:
            for sentence in conllx.read(path):
                trees[sentence.document].append(sentence)
        for path in self.paths:
            for article in plain.read(path, "titled"):
                yield markup.document(article, trees[article.id])

    @property
    def annotated_by(self) -> str:
        """Who marked the mentions, if that is no person: the sample's were by a language model."""
        return "a language model" if self.trees else ""

    @property
    def sha256(self) -> str:
        """The hash of all files together, in order."""
        digest = hashlib.sha256()
        for path in (*self.paths, *self.trees):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()


def guess_format(path: Path) -> CorefFormat:
    """Tell the format by the name, and where the name says nothing by the content.

    Raises:
        CorpusError: If it is neither.
    """
    if path.suffix == ".conllu":
        return "ontogum"
    first = next((text for _, text in plain.raw_lines(path) if text.strip()), "")
    if first.startswith("#begin document") or path.name.endswith("_conll"):
        return "conll2012"
    reason = "wanted CoNLL-2012 ('#begin document (name); part 000') or OntoGUM's .conllu"
    raise CorpusError(path, 1, f"no coreference here: {reason}")
