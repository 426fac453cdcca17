"""Draws some of the sample's articles by a number, so that each student has a text of their own.

``python -m data.draw 17 --out mine.txt``: the same number draws the same articles everywhere.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from bertattn import corpora
from bertattn.corpora import Article
from bertattn.files import replacing

N_ARTICLES = 36  # half of them


def drawn(student: int, n: int = N_ARTICLES) -> list[Article]:
    """Articles of the sample, each at most once, in the sample's order.

    Args:
        student: The number; none below 0.
        n: How many articles.

    Raises:
        ValueError: If there are not so many, or the number is below 0.

    Example:
        >>> first, again, other = drawn(17, 3), drawn(17, 3), drawn(18, 3)
        >>> first == again, first == other
        (True, False)
    """
    articles = list(corpora.load("sample"))
    if not 0 < n <= len(articles):
        raise ValueError(f"wanted 1 to {len(articles)} articles, got {n}")
    if student < 0:
        raise ValueError(f"wanted a student's number of at least 0, got {student}")
    places = np.random.default_rng(student).choice(len(articles), size=n, replace=False)
    return [articles[place] for place in sorted(places)]


def titled(articles: Iterable[Article]) -> str:
    """Articles as a text of the layout "titled"."""
    parts = []
    for article in articles:
        paragraphs = ["\n".join(sentences) for sentences in article.paragraphs]
        parts.append("\n\n".join([f"# {article.title}", *paragraphs]))
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and write the text."""
    parser = argparse.ArgumentParser(description="Draw articles of the sample by a number.")
    parser.add_argument("student", type=int, help="the number, such as 17")
    parser.add_argument("--articles", type=int, default=N_ARTICLES, help="how many (default: 36)")
    parser.add_argument("--out", type=Path, required=True, help="the text that is written")
    asked = parser.parse_args(arguments)
    try:
        articles = drawn(asked.student, asked.articles)
    except ValueError as error:
        sys.exit(str(error))
    with replacing(asked.out) as file:
        file.write(titled(articles).encode())
    print(f"{asked.out}: {len(articles)} articles for {asked.student}: {articles[0].title}, ...")


if __name__ == "__main__":
    main()
