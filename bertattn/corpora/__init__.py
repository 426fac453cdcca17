"""Text in: named corpora and files, as articles.

>>> sample = load("sample")
>>> next(iter(sample)).title
'The Violin'
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from bertattn.corpora import plain
from bertattn.corpora.articles import Article, CorpusError, Segment
from bertattn.corpora.plain import Layout

__all__ = ["Article", "Corpus", "CorpusError", "Layout", "Segment", "data_folder", "load"]


@dataclass(frozen=True)
class Corpus:
    """Articles in one or more files, read anew each time it is gone through.

    Attributes:
        name: What tables call it.
        paths: The files, in order.
        layout: How they are written; None tells each by its content.
    """

    name: str
    paths: tuple[Path, ...]
    layout: Layout | None = None

    def __iter__(self) -> Iterator[Article]:
        for path in self.paths:
            yield from plain.read(path, self.layout or plain.guess_layout(path))

    @property
    def sha256(self) -> str:
        """The hash of all files together, in order."""
        digest = hashlib.sha256()
        for path in self.paths:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()


def load(name: str | Path, layout: str | None = None) -> Corpus:
    """Open a corpus: "sample", a file, or a folder of ``.txt`` files.

    Args:
        name: The name or path.
        layout: "titled", "sentences" or "paragraphs" (see ``bertattn.corpora.plain``); by
            default the content tells titled text from one sentence a line.

    Raises:
        CorpusError: If there is no such file, or no ``.txt`` file in the folder.
        ValueError: If there is no such layout.
    """
    if layout not in (None, *get_args(Layout)):
        raise ValueError(f"wanted a layout of {', '.join(get_args(Layout))}, got {layout!r}")
    if name == "sample":
        return Corpus("sample", _texts(data_folder() / "sample"), "titled")
    path = Path(name)
    if not path.exists():
        raise CorpusError(
            path.resolve(), 0, "no such corpus; wanted 'sample', a text file or a folder"
        )
    paths = _texts(path) if path.is_dir() else (path,)
    return Corpus(path.stem, paths, cast(Layout | None, layout))


def data_folder() -> Path:
    """The folder of the suite's own data: in the installed package, else in the checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent / "data"


def _texts(folder: Path) -> tuple[Path, ...]:
    paths = tuple(sorted(folder.glob("*.txt")))
    if not paths:
        raise CorpusError(folder, 0, "the folder holds no .txt file")
    return paths
