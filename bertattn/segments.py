"""A corpus cut up into inputs: segments by the paper's chunking, or single sentences."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from bertattn.attention import Tokens
from bertattn.corpora import Article, ParsedSentence, Segment
from bertattn.tokens import Encoder, NoPiecesError, TooLongError

PIECES = 128  # of a segment, Clark et al. 2019
log = logging.getLogger("bertattn")


@dataclass(eq=False)
class Segments:
    """A corpus as inputs of at most ``max_pieces`` pieces, by the paper's chunking.

    Whole sentences are taken until they fill the segment or the article ends; the text is
    split in two after a random sentence; what is too long is trimmed (``Encoder.segment``).
    A stretch of one sentence makes a single text. Going through it anew gives the same
    segments again; ``left_out`` counts what the last pass could not keep.

    Attributes:
        articles: The corpus.
        encoder: Cuts the text.
        n: At most so many segments; None takes the whole corpus.
        max_pieces: Pieces in a segment, special tokens included; by default the paper's 128,
            or the model's limit if that is less.
        seed: Of the random splits and trims.
        left_out: Counts of what was trimmed, missing or single.
    """

    articles: Iterable[Article]
    encoder: Encoder
    n: int | None = None
    max_pieces: int | None = None
    seed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.max_pieces is None:
            self.max_pieces = min(PIECES, self.encoder.max_pieces)
        if not 8 <= self.max_pieces <= self.encoder.max_pieces:
            raise ValueError(
                f"wanted segments of 8 to {self.encoder.max_pieces} pieces (the model's limit), "
                f"got {self.max_pieces}"
            )
        if self.n is not None and self.n < 1:
            raise ValueError(f"wanted at least one segment, got {self.n}")

    @property
    def options(self) -> dict[str, Any]:
        """How the text is cut up, for a manifest."""
        settings = {"n": self.n, "pieces": self.max_pieces, "seed": self.seed}
        return {"kind": "segments", **settings}

    def __iter__(self) -> Iterator[Tokens]:
        self.left_out = Counter()
        n_made = 0
        for segment in islice(self._cut_up(), self.n):
            n_made += 1
            rng = np.random.default_rng([self.seed, n_made])
            try:
                tokens, n_dropped, n_silent = self.encoder.segment(segment, self._width, rng)
            except NoPiecesError:
                self.left_out["segments_without_pieces"] += 1
                continue
            self.left_out += Counter(
                pieces_kept=int((~tokens.special).sum()),
                words_without_pieces=n_silent,
                pieces_trimmed=n_dropped,
                single_sentences=int(not segment.second),
            )
            yield tokens
        if self.n is not None and n_made < self.n:
            self.left_out["segments_missing"] = self.n - n_made
            log.warning("asked for %d segments, the corpus has %d", self.n, n_made)

    @property
    def _width(self) -> int:
        assert self.max_pieces is not None, "set when the segments were made"
        return self.max_pieces

    def _cut_up(self) -> Iterator[Segment]:
        rng = np.random.default_rng(self.seed)
        room = self._width - self.encoder.n_special(pair=True)
        for document, article in enumerate(self.articles):
            sentences: list[str] = []
            n_pieces = 0
            for sentence in article.sentences:
                sentences.append(sentence)
                n_pieces += self.encoder.n_pieces(sentence)
                if n_pieces >= room:
                    yield _split(sentences, document, rng)
                    sentences, n_pieces = [], 0
            if sentences:
                yield _split(sentences, document, rng)


def _split(sentences: list[str], document: int, rng: np.random.Generator) -> Segment:
    if len(sentences) == 1:
        return Segment(sentences[0], "", document)
    cut = int(rng.integers(1, len(sentences)))
    return Segment(" ".join(sentences[:cut]), " ".join(sentences[cut:]), document)


@dataclass(eq=False)
class Sentences:
    """A corpus as inputs of one sentence each; too long ones are left out and counted.

    Attributes:
        articles: The corpus.
        encoder: Cuts the text.
        n: At most so many sentences; None takes the whole corpus.
        every: Take one sentence in so many, to reach over more articles.
        left_out: Counts of what the last pass could not keep.
    """

    articles: Iterable[Article]
    encoder: Encoder
    n: int | None = None
    every: int = 1
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def options(self) -> dict[str, Any]:
        """How the text is cut up, for a manifest."""
        return {"kind": "sentences", "n": self.n, "every": self.every}

    def __iter__(self) -> Iterator[Tokens]:
        self.left_out = Counter()
        n_made = 0
        for tokens in islice(self._all(), self.n):
            n_made += 1
            self.left_out += Counter(words_without_pieces=len(tokens.words_without_pieces))
            yield tokens
        if self.n is not None and n_made < self.n:
            self.left_out["sentences_missing"] = self.n - n_made
            log.warning("asked for %d sentences, the corpus has %d", self.n, n_made)

    def _all(self) -> Iterator[Tokens]:
        for document, sentence in islice(self._numbered(), 0, None, self.every):
            try:
                yield self.encoder.text(sentence, document=document)
            except TooLongError:
                self.left_out["sentences_too_long"] += 1
            except NoPiecesError:
                self.left_out["sentences_without_pieces"] += 1

    def _numbered(self) -> Iterator[tuple[int, str]]:
        for document, article in enumerate(self.articles):
            for sentence in article.sentences:
                yield document, sentence


@dataclass(eq=False)
class Trees:
    """Parsed sentences as inputs of one sentence each; too long ones are left out and counted.

    Each input's ``source`` is its parsed sentence, and its words are the treebank's. Sentences
    without the name of a document are documents of their own.

    Attributes:
        sentences: The treebank.
        encoder: Cuts the text.
        n: At most so many sentences; None takes them all.
        left_out: Counts of what the last pass could not keep.
        documents: The number of each document by name; share it to have the same numbers.
    """

    sentences: Iterable[ParsedSentence]
    encoder: Encoder
    n: int | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    documents: dict[str, int] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """How the text is cut up, for a manifest."""
        return {"kind": "parsed sentences", "n": self.n}

    def __iter__(self) -> Iterator[Tokens]:
        self.left_out = Counter()
        n_made = 0
        for tokens in islice(self._all(), self.n):
            n_made += 1
            self.left_out += Counter(words_without_pieces=len(tokens.words_without_pieces))
            yield tokens
        if skipped := len(getattr(self.sentences, "skipped", ())):
            self.left_out["sentences_that_are_no_tree"] = skipped
        if self.n is not None and n_made < self.n:
            self.left_out["sentences_missing"] = self.n - n_made
            log.warning("asked for %d sentences, the treebank has %d", self.n, n_made)

    def _all(self) -> Iterator[Tokens]:
        for sentence in self.sentences:
            name = sentence.document or sentence.id
            document = self.documents.setdefault(name, len(self.documents))
            try:
                tokens = self.encoder.words(sentence.words, document=document)
            except TooLongError:
                self.left_out["sentences_too_long"] += 1
            except NoPiecesError:
                self.left_out["sentences_without_pieces"] += 1
            else:
                yield replace(tokens, source=sentence)
