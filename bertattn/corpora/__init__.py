"""Text in: named corpora and files, as articles or as sentences with trees.

>>> sample = load("sample")
>>> next(iter(sample)).title
'The Violin'
>>> next(iter(treebank("sample"))).relations[:4]
('prep', 'det', 'amod', 'nn')
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from bertattn.corpora import download, plain, wikitext
from bertattn.corpora.articles import Article, CorpusError, Segment
from bertattn.corpora.coref_corpus import ENDINGS, CorefCorpus, CorefFormat
from bertattn.corpora.coreference import CorefDocument, Mention
from bertattn.corpora.plain import Layout
from bertattn.corpora.treebank import TREES, Format, Labels, Treebank
from bertattn.corpora.trees import ParsedSentence

__all__ = [
    "Article",
    "CorefCorpus",
    "CorefDocument",
    "CorefFormat",
    "Corpus",
    "CorpusError",
    "Format",
    "Labels",
    "Layout",
    "Mention",
    "ParsedSentence",
    "Segment",
    "Treebank",
    "coreference",
    "data_folder",
    "load",
    "treebank",
]


@dataclass(frozen=True)
class Corpus:
    """Articles in one or more files, read anew each time it is gone through.

    Attributes:
        name: What tables call it.
        paths: The files, in order.
        layout: How text is written; None tells each file by its content.
    """

    name: str
    paths: tuple[Path, ...]
    layout: Layout | None = None

    def __iter__(self) -> Iterator[Article]:
        for path in self.paths:
            yield from self._articles(path)

    def _articles(self, path: Path) -> Iterator[Article]:
        if path.suffix in TREES:
            return Treebank(self.name, (path,)).articles
        if path.suffix == ".raw":
            return wikitext.read(path)
        return plain.read(path, self.layout or plain.guess_layout(path))

    @property
    def sha256(self) -> str:
        """The hash of all files together, in order."""
        digest = hashlib.sha256()
        for path in self.paths:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()


def load(name: str | Path, layout: str | None = None) -> Corpus:
    """Open a corpus as text: "sample", a fetched corpus, a file, or a folder of files.

    Args:
        name: The name ("sample", "gum-sd", ...) or path: text, WikiText (``.raw``), or trees, whose
            words are joined by blanks.
        layout: "titled", "sentences" or "paragraphs" (see ``bertattn.corpora.plain``); by
            default the content tells titled text from one sentence a line.

    Raises:
        CorpusError: If there is no such file, no text in the folder, or it was not fetched.
        ValueError: If there is no such layout.
    """
    if layout not in (None, *get_args(Layout)):
        raise ValueError(f"wanted a layout of {', '.join(get_args(Layout))}, got {layout!r}")
    if name == "sample":
        return Corpus("sample", _files(data_folder() / "sample", {".txt"}), "titled")
    label, paths = _found(name, (".txt", ".raw", *sorted(TREES)))
    return Corpus(label, paths, cast(Layout | None, layout))


def treebank(
    name: str | Path,
    format: str | None = None,
    *,
    subtypes: bool = True,
    skip: bool = False,
    labels: str | None = None,
) -> Treebank:
    """Open a corpus as sentences with trees.

    Args:
        name: "sample" (silver trees), "sample-checked" (160 of its sentences, read and corrected),
            "sample-english" and "sample-german" (24 sentences, the same in both, with the labels
            of Universal Dependencies), a fetched corpus ("gum-sd", "ud-pud", ...), a file or a
            folder. Text is parsed live by spaCy and is silver.
        format: How the files are written (see ``bertattn.corpora.treebank``), if name and content
            do not tell.
        subtypes: Whether "nmod:poss" stays whole; else it is read as "nmod".
        skip: Whether to leave out, and count, sentences that are no tree; else the first one
            stops the reading.
        labels: "stanford" turns English Universal Dependencies into the Stanford Dependencies of
            the paper (see ``bertattn.corpora.universal``); None leaves trees as they are.

    Raises:
        CorpusError: If there is no such file, no trees or text in the folder, or it was not
            fetched.
        ValueError: If there is no such format, or there are no such labels.
    """
    if format not in (None, *get_args(Format)):
        raise ValueError(f"wanted a format of {', '.join(get_args(Format))}, got {format!r}")
    if labels not in (None, *get_args(Labels)):
        raise ValueError(f"wanted labels='stanford' or None (as they are), got {labels!r}")
    sample = data_folder() / "sample"
    own = {
        "sample": _files(sample / "trees", {".conll"}),
        "sample-checked": _files(sample / "checked", {".conll"}),
        "sample-english": (sample / "ud" / "english.conllu",),
        "sample-german": (sample / "ud" / "german.conllu",),
    }
    if name in own:
        label, paths = str(name), own[str(name)]
    else:
        label, paths = _found(name, (*sorted(TREES), ".txt"))
    as_asked = cast(Format | None, format), subtypes, skip, cast(Labels | None, labels)
    return Treebank(label, paths, *as_asked)


def coreference(name: str | Path, format: str | None = None, *, skip: bool = False) -> CorefCorpus:
    """Open a corpus as documents with coreference.

    Args:
        name: "sample", "ontogum" (fetched), a file of CoNLL-2012 or OntoGUM, or a folder of them.
        format: "conll2012" or "ontogum", if name and content do not tell.
        skip: Whether to leave out, and count, documents that cannot be read; else the first one
            stops the reading.

    Raises:
        CorpusError: If there is no such file, none in the folder, or it was not fetched.
        ValueError: If there is no such format.
    """
    if format not in (None, *get_args(CorefFormat)):
        raise ValueError(f"wanted a format of {', '.join(get_args(CorefFormat))}, got {format!r}")
    if name == "sample":
        sample = data_folder() / "sample"
        marked, trees = (
            _files(sample / "coreference", {".txt"}),
            _files(sample / "trees", {".conll"}),
        )
        return CorefCorpus("sample", marked, trees=trees)
    label, paths = _found(name, ENDINGS)
    return CorefCorpus(label, paths, cast(CorefFormat | None, format), skip=skip)


def data_folder() -> Path:
    """The folder of the suite's own data: in the installed package, else in the checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent / "data"


def _found(name: str | Path, endings: tuple[str, ...]) -> tuple[str, tuple[Path, ...]]:
    """What a corpus is called, and its files: fetched ones, a file, or those of a folder."""
    if name in download.names():
        return str(name), download.paths(str(name))
    path = Path(name)
    if not path.exists():
        known = ", ".join(["sample", *download.names()])
        raise CorpusError(
            path.resolve(), 0, f"no such corpus; wanted a file, a folder or one of {known}"
        )
    if path.is_file():
        return path.stem, (path,)
    kinds = [ending for ending in endings if any(p.suffix == ending for p in path.iterdir())]
    trees = [ending for ending in kinds if ending in TREES]
    if len(trees) > 1:
        raise CorpusError(
            path, 0, f"files of several formats, {', '.join(trees)}; name one of them"
        )
    return path.stem, _files(path, {kinds[0]} if kinds else set(endings))


def _files(folder: Path, endings: set[str]) -> tuple[Path, ...]:
    paths = tuple(sorted(p for p in folder.iterdir() if p.suffix in endings))
    if not paths:
        listed = ", ".join(sorted(endings))
        raise CorpusError(folder, 0, f"the folder holds no file that ends in {listed}")
    return paths
