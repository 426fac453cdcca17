"""What a model is shown of a document, and which mentions are asked about in it.

The paper cuts each document to its first 128 pieces. Whole sentences tiled to windows ask more
mentions of the same document, and ask them in the middle of things: it is another data set.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from bertattn.attention import Tokens
from bertattn.corpora import CorefDocument, Mention
from bertattn.tokens import Encoder, NoPiecesError

PIECES = 128  # Clark et al. 2019, section 4.3


@dataclass(frozen=True)
class Window:
    """Consecutive words of a document and the mentions that lie whole in them.

    Attributes:
        document: The document's name.
        words: The words.
        tags: Their parts of speech.
        mentions: The mentions, counted from the window's first word; of mentions of one entity with
            one head word only the longest.
    """

    document: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    mentions: tuple[Mention, ...]

    def antecedents(self, mention: Mention) -> tuple[Mention, ...]:
        """Mentions of the same entity whose head word stands before this one's.

        So a mention is never the antecedent of one with the same head word, nested or not; split
        antecedents (*they* for two people named apart) are none, for they are other entities.
        """
        return tuple(
            other
            for other in self.mentions
            if other.entity == mention.entity and other.head_word < mention.head_word
        )

    @property
    def asked(self) -> tuple[Mention, ...]:
        """The mentions that have an antecedent here; the first of an entity has none."""
        return tuple(mention for mention in self.mentions if self.antecedents(mention))


def window(document: CorefDocument, start: int, stop: int) -> Window:
    """Words ``start`` to ``stop`` of a document."""
    tags = tuple(tag for sentence in document.sentences for tag in sentence.tags)
    inside: dict[tuple[str, int], Mention] = {}
    for mention in document.mentions:
        key = (mention.entity, mention.head_word)
        longer = key not in inside or _size(mention) > _size(inside[key])
        if start <= mention.start and mention.stop <= stop and longer:
            inside[key] = mention
    moved = tuple(
        replace(m, start=m.start - start, stop=m.stop - start, head_word=m.head_word - start)
        for m in inside.values()
    )
    return Window(document.id, document.words[start:stop], tags[start:stop], moved)


def _n_inside(document: CorefDocument, start: int, stop: int) -> int:
    return sum(start <= m.start and m.stop <= stop for m in document.mentions)


def _size(mention: Mention) -> int:
    return mention.stop - mention.start


@dataclass(eq=False)
class Windows:
    """Documents as inputs, each with its ``Window`` as ``source``.

    Attributes:
        documents: The corpus.
        encoder: Cuts the text.
        cut: "first": the first pieces of each document, as in the paper; "tiled": windows of whole
            sentences, one after another, as many as fit.
        pieces: Pieces in a window, special tokens included; None: as many as the model takes.
        n: At most so many documents; None takes them all.
        left_out: Counts of what the last pass could not keep or ask.
    """

    documents: Iterable[CorefDocument]
    encoder: Encoder
    cut: Literal["first", "tiled"] = "first"
    pieces: int | None = PIECES
    n: int | None = None
    left_out: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.cut not in ("first", "tiled"):
            raise ValueError(f"wanted windows cut 'first' or 'tiled', got {self.cut!r}")
        if self.pieces is not None and not 8 <= self.pieces <= self.encoder.max_pieces:
            raise ValueError(
                f"wanted windows of 8 to {self.encoder.max_pieces} pieces (the model's limit), "
                f"got {self.pieces}"
            )

    @property
    def options(self) -> dict[str, Any]:
        """How documents are cut up, for a manifest."""
        return {"kind": "windows", "cut": self.cut, "pieces": self._room, "n": self.n}

    @cached_property
    def _unlimited(self) -> Encoder:
        return replace(self.encoder, max_pieces=1 << 30)

    @property
    def _room(self) -> int:
        return self.pieces or self.encoder.max_pieces

    def __iter__(self) -> Iterator[Tokens]:
        self.left_out = Counter()
        for number, document in enumerate(self.documents):
            if self.n is not None and number >= self.n:
                break
            shown = 0
            for start, planned in self._ranges(document):
                stop = self._that_fits(document, start, planned)
                self.left_out["words_cut_off"] += planned - stop
                if stop == start:
                    continue
                part = window(document, start, stop)
                shown += _n_inside(document, start, stop)
                merged = _n_inside(document, start, stop) - len(part.mentions)
                self.left_out["mentions_of_one_head_word_merged"] += merged
                self.left_out["first_mentions"] += len(part.mentions) - len(part.asked)
                yield replace(self._encoded(part), source=part, document=number)
            self.left_out["mentions_beyond_windows"] += len(document.mentions) - shown
        if skipped := len(getattr(self.documents, "skipped", ())):
            self.left_out["documents_that_cannot_be_read"] = skipped
        self.left_out = +self.left_out

    def _that_fits(self, document: CorefDocument, start: int, stop: int) -> int:
        """The last word after all: a text's first word may be cut otherwise than among others.

        Of words none of which has a piece, nothing is shown.
        """
        while stop > start:
            try:
                if len(self._unlimited.words(document.words[start:stop])) <= self._room:
                    return stop
            except NoPiecesError:
                return start
            stop -= 1
        return start

    def _encoded(self, part: Window) -> Tokens:
        tokens = self.encoder.words(part.words)
        self.left_out["words_without_pieces"] += len(tokens.words_without_pieces)
        return tokens

    def _ranges(self, document: CorefDocument) -> Iterator[tuple[int, int]]:
        sizes = self._sizes(document)
        if self.cut == "first":
            stop = self._fitting(sizes, 0, len(document.words))
            if stop:
                yield 0, stop
            return
        begin = end = 0
        ends = [*document.starts[1:], len(document.words)]
        for stop in ends:
            if self._fitting(sizes, begin, stop) < stop and end > begin:
                yield begin, end
                begin = end
            end = self._fitting(sizes, begin, stop)
            if end < stop:
                self.left_out["sentences_cut"] += 1
                if end > begin:
                    yield begin, end
                begin = end = stop
        if end > begin:
            yield begin, end

    def _fitting(self, sizes: np.ndarray, start: int, stop: int) -> int:
        """The last word that fits into a window that begins with ``start``."""
        room = self._room - self.encoder.n_special()
        total = np.cumsum(sizes[start:stop])
        return start + int(np.searchsorted(total, room, side="right"))

    def _sizes(self, document: CorefDocument) -> np.ndarray:
        """How many pieces each word is cut into, as a word among others."""
        found = [self._of_words(sentence.words) for sentence in document.sentences]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def _of_words(self, words: Sequence[str]) -> np.ndarray:
        """Counted among words in front, for some tokenizers cut a text's first word otherwise."""
        try:
            tokens = self._unlimited.words(["a", *words])
        except NoPiecesError:
            return np.zeros(len(words), dtype=np.int64)
        return np.bincount(tokens.unit_of, minlength=len(words) + 1)[1 : len(words) + 1]
