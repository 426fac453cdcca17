"""Plain text in three layouts, read line by line.

========== =============================================================================
layout     a line is
========== =============================================================================
titled     a sentence; a blank line ends a paragraph, ``# Title`` begins an article
sentences  a sentence; a blank line ends an article (the paper's released code reads this)
paragraphs a paragraph, cut into sentences here; a blank line ends an article
========== =============================================================================
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from bertattn.corpora.articles import Article, CorpusError

Layout = Literal["titled", "sentences", "paragraphs"]
Line = tuple[int, str]


def read(path: Path, layout: Layout) -> Iterator[Article]:
    """Read a file's articles one after another, never the whole file at once.

    Raises:
        CorpusError: If a line is not UTF-8, the file holds no text, a title is missing or
            has no text below it.
    """
    blocks = _titled if layout == "titled" else _untitled
    split = sentences_of if layout == "paragraphs" else _as_it_stands
    n_articles = 0
    for n_articles, article in enumerate(blocks(path, split), start=1):  # noqa: B007
        yield article
    if n_articles == 0:
        raise CorpusError(path, 1, "the file holds no text; give a file with a sentence on a line")


def guess_layout(path: Path) -> Layout:
    """Tell the layout by content: titled if the first line of text is a title, else sentences.

    One paragraph a line cannot be told from one sentence a line: ask for it by name.
    """
    first = next((text for _, text in lines(path) if text), "")
    return "titled" if first.startswith("# ") else "sentences"


def lines(path: Path) -> Iterator[Line]:
    """Number of each line and its text, with single blanks and none at its ends.

    Raises:
        CorpusError: If a line is not UTF-8.
    """
    for number, text in raw_lines(path):
        yield number, " ".join(text.split())


def raw_lines(path: Path) -> Iterator[Line]:
    """Number and text of each line; only a line feed ends a line (U+2028 does not).

    Raises:
        CorpusError: If a line is not UTF-8.
    """
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                reason = (
                    f"byte {raw[error.start]:#04x} is not UTF-8; "
                    "save the file as UTF-8 (for example: iconv -f latin1 -t utf-8)"
                )
                raise CorpusError(path, number, reason) from error
            yield number, text.rstrip("\r\n")


Split = Callable[[str], tuple[str, ...]]


def _titled(path: Path, split: Split) -> Iterator[Article]:
    title: str | None = None
    begun = 1
    paragraphs: list[list[Line]] = []
    paragraph: list[Line] = []
    for number, text in lines(path):
        if text.startswith("# "):
            if title is not None:
                yield _article(title, [*paragraphs, paragraph], path, begun)
            title, begun, paragraphs, paragraph = text[2:].strip(), number, [], []
        elif not text:
            paragraphs, paragraph = [*paragraphs, paragraph], []
        elif title is None:
            raise CorpusError(path, number, "text before the first title; begin with '# Title'")
        else:
            paragraph.extend((number, sentence) for sentence in split(text))
    if title is not None:
        yield _article(title, [*paragraphs, paragraph], path, begun)


def _untitled(path: Path, split: Split) -> Iterator[Article]:
    begun = 1
    paragraphs: list[list[Line]] = []
    for number, text in lines(path):
        if text:
            begun = begun if paragraphs else number
            paragraphs.append([(number, sentence) for sentence in split(text)])
        elif paragraphs:
            yield _article("", paragraphs, path, begun)
            paragraphs = []
    if paragraphs:
        yield _article("", paragraphs, path, begun)


def _article(title: str, paragraphs: Sequence[Sequence[Line]], path: Path, line: int) -> Article:
    filled = tuple(tuple(text for _, text in paragraph) for paragraph in paragraphs if paragraph)
    if not filled:
        raise CorpusError(path, line, f"the title {title!r} has no text below it")
    numbers = tuple(number for paragraph in paragraphs for number, _ in paragraph)
    return Article(title, filled, str(path), line, numbers)


def _as_it_stands(text: str) -> tuple[str, ...]:
    return (text,)


def sentences_of(text: str) -> tuple[str, ...]:
    """A paragraph cut into sentences, by a rule that knows abbreviations."""
    return tuple(span.text for span in _sentencizer()(text).sents)


@cache
def _sentencizer() -> Callable:
    """A sentence splitter by rule, which knows abbreviations and needs no trained model."""
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    return pipeline
