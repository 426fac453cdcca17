"""What plain text is made of: articles of paragraphs of sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


class CorpusError(ValueError):
    """A corpus that cannot be read: the file, the line (0: none), what is wrong, the remedy.

    Example:
        >>> print(CorpusError("my.txt", 3, "the line is not UTF-8"))
        my.txt:3: the line is not UTF-8
    """

    def __init__(self, path: object, line: int, reason: str) -> None:
        super().__init__(path, line, reason)
        self.path, self.line, self.reason = path, line, reason

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.reason}"


@dataclass(frozen=True)
class Article:
    """Consecutive text on one subject.

    Attributes:
        title: Its title, or "" where the layout has none.
        paragraphs: Its paragraphs, each a tuple of sentences.
        path: The file it stands in.
        line: The line that it begins on, counted from 1.
        lines: The line of each sentence, as far as they are known.
    """

    title: str
    paragraphs: tuple[tuple[str, ...], ...]
    path: str = ""
    line: int = 1
    lines: tuple[int, ...] = ()

    @property
    def sentences(self) -> Iterator[str]:
        """All sentences in order."""
        return (sentence for paragraph in self.paragraphs for sentence in paragraph)

    @property
    def id(self) -> str:
        """Its title as a name: lower case, hyphens for blanks; without a title, file and line.

        Example:
            >>> Article("The Amber Room", (("It shone.",),)).id
            'the-amber-room'
        """
        name = "-".join(re.findall(r"\w+", self.title.lower()))
        return name or f"{Path(self.path).stem}-{self.line}"


@dataclass(frozen=True)
class Segment:
    """Consecutive text in two parts, as in BERT's pre-training; ``second`` may be empty.

    Attributes:
        first: The first part.
        second: What follows it in the same article.
        document: The number of the article.
    """

    first: str
    second: str = ""
    document: int = 0
