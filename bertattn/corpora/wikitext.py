"""WikiText's raw files: ``= Title =`` and ``= = Heading = =`` lines, a paragraph a line.

The text was divided into words: ``@-@`` for a hyphen inside a word, blanks before punctuation,
straight quotes with blanks on both sides. This is undone before anyone cuts it into pieces.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from bertattn.corpora.articles import Article, CorpusError
from bertattn.corpora.plain import Line, raw_lines, sentences_of

TITLE = re.compile(r"= (?P<title>[^=].*?) =")
HEADING = re.compile(r"= = .* = =")
TIGHT = (
    (re.compile(r" @([-,.])@ "), r"\1"),
    (re.compile(r" ([,.;:?!%)\]}]|(?:'s|n't|'re|'ve|'ll|'d|'m)\b)"), r"\1"),
    (re.compile(r"([(\[{$£€#]) "), r"\1"),
    (re.compile(r"s ' (?=\w)"), "s' "),
    (re.compile(r"(?<=\d) – (?=\d)"), "–"),
    (re.compile(r'" ([^"]*?) "'), r'"\1"'),
)


def read(path: Path) -> Iterator[Article]:
    """Read a file's articles one after another; headings are left out.

    Raises:
        CorpusError: If a line is not UTF-8, text stands before the first title, or there is none.
    """
    title: str | None = None
    begun = 1
    paragraphs: list[list[Line]] = []
    for number, text in raw_lines(path):
        heading = HEADING.fullmatch(text.strip())
        found = None if heading else TITLE.fullmatch(text.strip())
        if found:
            if title is not None and paragraphs:
                yield _article(title, paragraphs, path, begun)
            title, begun, paragraphs = found["title"], number, []
        elif text.strip() and not heading:
            if title is None:
                raise CorpusError(path, number, "text before the first title, ' = Title = '")
            paragraphs.append([(number, s) for s in sentences_of(tightened(text))])
    if title is None or not paragraphs:
        raise CorpusError(path, 1, "the file holds no article of WikiText")
    yield _article(title, paragraphs, path, begun)


def tightened(text: str) -> str:
    r"""A line of divided words as people write it.

    Example:
        >>> print(tightened(' The " well @-@ known " dog \'s bowl ( 1 @,@ 000 ) , of course . '))
        The "well-known" dog's bowl (1,000), of course.
    """
    for pattern, replacement in TIGHT:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def _article(title: str, paragraphs: list[list[Line]], path: Path, line: int) -> Article:
    texts = tuple(tuple(text for _, text in paragraph) for paragraph in paragraphs)
    numbers = tuple(number for paragraph in paragraphs for number, _ in paragraph)
    return Article(title, texts, str(path), line, numbers)
