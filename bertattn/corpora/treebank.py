"""Sentences with trees, in whichever format they are kept.

======== ================================ ===========================================
format   told by its name                 else told by its first line of words
======== ================================ ===========================================
conllu   ``.conllu``                      (ten columns are read as conllx)
conllx   ``.conll`` ``.conllx``           ten columns with tabs between
         ``.conll10``
released ``.dep``                         ``word governor-relation``
json     ``.json``                        ``[`` or ``{``
text     ``.txt``                         anything else; spaCy parses it live
======== ================================ ===========================================
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Literal

from bertattn.corpora import conllu, conllx, download, plain, released, universal
from bertattn.corpora.articles import Article, CorpusError
from bertattn.corpora.trees import ParsedSentence

Format = Literal["conllu", "conllx", "released", "json", "text"]
Drawn = Literal["silver", "checked", "gold", "given", "converted"]
Labels = Literal["stanford"]
Read = Callable[[Path, list[CorpusError] | None], Iterator[ParsedSentence]]
BY_NAME: dict[str, Format] = {
    ".conllu": "conllu",
    ".conll": "conllx",
    ".conllx": "conllx",
    ".conll10": "conllx",
    ".dep": "released",
    ".json": "json",
}
TREES = frozenset(BY_NAME)


@dataclass(eq=False)
class Treebank:
    """Parsed sentences in one or more files, read anew each time it is gone through.

    Of several files without the names of documents, each is a document; of one alone, each
    sentence is a document of its own.

    Attributes:
        name: What tables call it.
        paths: The files, in order.
        format: How they are written; None tells each by its name, else by its content.
        subtypes: Whether "nmod:poss" stays whole; else it is read as "nmod".
        skip: Whether a sentence that is no tree is left out; else it stops the reading.
        labels: "stanford" turns Universal Dependencies into Stanford's; None: trees as they are.
        skipped: The errors of those that the last pass left out.
    """

    name: str
    paths: tuple[Path, ...]
    format: Format | None = None
    subtypes: bool = True
    skip: bool = False
    labels: Labels | None = None
    skipped: list[CorpusError] = field(default_factory=list)

    def __iter__(self) -> Iterator[ParsedSentence]:
        self.skipped.clear()
        skipped = self.skipped if self.skip else None
        for path in self.paths:
            sentences = READERS[self.format or guess_format(path)](path, skipped)
            if self.labels:
                sentences = universal.all_converted(sentences, skipped)
            for sentence in sentences:
                if len(self.paths) == 1 and sentence.document == path.stem:
                    sentence = replace(sentence, document="")
                yield sentence if self.subtypes else _without_subtypes(sentence)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The relations in it, in the order of the alphabet; reads all of it once."""
        return tuple(sorted({relation for s in self for relation in s.relations}))

    @property
    def articles(self) -> Iterator[Article]:
        """Its text: a document an article, the words of a sentence with blanks between."""
        for _, sentences in groupby(self, key=lambda sentence: sentence.document):
            yield _article(list(sentences))

    @cached_property
    def drawn(self) -> Drawn:
        """Who drew the trees, as far as that is known.

        "silver": a parser, and nobody read them (spaCy live, or the files' first line says so);
        "checked": the first line says so; "gold": people, of the corpora that can be fetched;
        "given": nothing says. Any but silver are "converted" where their labels are.
        """
        first = [_first_line(path) for path in self.paths]
        live = any((self.format or guess_format(path)) == "text" for path in self.paths)
        if live or any(line.startswith("# SILVER") for line in first):
            return "silver"
        if self.labels:
            return "converted"
        if any(line.startswith("# CHECKED") for line in first):
            return "checked"
        return "gold" if self.name in download.names() else "given"

    @property
    def sha256(self) -> str:
        """The hash of all files together, in order, and of what their labels become."""
        digest = hashlib.sha256((self.labels or "").encode())
        for path in self.paths:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()


def guess_format(path: Path) -> Format:
    """Tell the format by the name, and where the name says nothing by the content.

    Raises:
        CorpusError: If it is CoNLL-2012, which holds no dependencies.
    """
    rows = (text for _, text in plain.raw_lines(path) if text.strip())
    first = next(rows, "")
    if first.startswith("#begin document"):
        raise CorpusError(path, 1, "this is CoNLL-2012, which holds no dependency trees")
    if path.suffix in BY_NAME:
        return BY_NAME[path.suffix]
    while first.startswith("# ") and " = " in first:
        first = next(rows, "")
    if re.match(r"\s*[\[{]", first):
        return "json"
    if len(first.split("\t")) == conllx.N_COLUMNS:
        return "conllx"
    return "released" if released.ROW.fullmatch(first.strip()) else "text"


def _spacy(path: Path, skipped: list[CorpusError] | None) -> Iterator[ParsedSentence]:
    from bertattn.corpora.parsing import parsed

    yield from parsed(plain.read(path, plain.guess_layout(path)), strict=False)


READERS: dict[Format, Read] = {
    "conllu": conllu.read,
    "conllx": conllx.read,
    "released": released.read,
    "json": released.read_json,
    "text": _spacy,
}


def _without_subtypes(sentence: ParsedSentence) -> ParsedSentence:
    return replace(sentence, relations=tuple(r.partition(":")[0] for r in sentence.relations))


def _article(sentences: list[ParsedSentence]) -> Article:
    first = sentences[0]
    texts = tuple(" ".join(sentence.words) for sentence in sentences)
    lines = tuple(sentence.line for sentence in sentences)
    return Article(first.document, (texts,), first.path, first.line, lines)


def _first_line(path: Path) -> str:
    return next((text for _, text in plain.raw_lines(path) if text.strip()), "")
