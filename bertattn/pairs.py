"""Consecutive sentences of one article, each an input of its own: adjacent text in pairs."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from bertattn.attention import Tokens
from bertattn.corpora import Article
from bertattn.tokens import Encoder, NoPiecesError, TooLongError

log = logging.getLogger("bertattn")


@dataclass(frozen=True)
class Half:
    """Which half of which pair an input is: its ``source``.

    Attributes:
        pair: The number of the pair.
        second: Whether it is the later sentence.
    """

    pair: int
    second: bool


@dataclass(eq=False)
class Pairs:
    """Pairs of consecutive sentences, the first of a pair and then the second, as inputs.

    Articles take turns: a pair from each, at a random place, then another pair from each that still
    has one, so that pairs next to one another come from different articles as long as more than one
    is left (they may be about the same things). No sentence stands in two pairs. Going through it
    anew gives the same pairs; ``left_out`` counts what the last pass could not keep.

    Attributes:
        articles: The corpus.
        encoder: Cuts the text.
        n: At most so many pairs; None takes all there are.
        seed: Of the places.
        left_out: Counts of pairs that were too long, empty or missing.
    """

    articles: Iterable[Article]
    encoder: Encoder
    n: int | None = None
    seed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.n is not None and self.n < 2:
            raise ValueError(f"wanted at least two pairs, each a contrast to others, got {self.n}")

    @property
    def options(self) -> dict[str, Any]:
        """How the text is cut up, for a manifest."""
        return {"kind": "sentences in adjacent pairs", "n": self.n, "seed": self.seed}

    def __iter__(self) -> Iterator[Tokens]:
        self.left_out = Counter()
        n_made = 0
        for first, second in islice(self._encoded(), self.n):
            yield replace(first, source=Half(n_made, second=False))
            yield replace(second, source=Half(n_made, second=True))
            n_made += 1
        if self.n is not None and n_made < self.n:
            self.left_out["pairs_missing"] = self.n - n_made
            log.warning("asked for %d pairs, the corpus has %d", self.n, n_made)

    def _encoded(self) -> Iterator[tuple[Tokens, Tokens]]:
        for first, second, document in self._drawn():
            try:
                one, two = (self.encoder.text(t, document=document) for t in (first, second))
            except TooLongError:
                self.left_out["pairs_too_long"] += 1
            except NoPiecesError:
                self.left_out["pairs_without_pieces"] += 1
            else:
                yield one, two

    def _drawn(self) -> Iterator[tuple[str, str, int]]:
        """One pair of each article a round, until a round finds none."""
        turn, found = 0, True
        while found:
            found = False
            for document, article in enumerate(self.articles):
                sentences = list(article.sentences)
                if turn < len(sentences) // 2:
                    order = np.random.default_rng([self.seed, document])
                    place = 2 * int(order.permutation(len(sentences) // 2)[turn])
                    found = True
                    yield sentences[place], sentences[place + 1], document
            turn += 1
