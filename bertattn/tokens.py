"""Words to wordpieces, and which piece is whose.

Every text takes one path: words are spans of characters, the tokenizer says which
characters a piece covers, and a piece belongs to the word in which it begins. So raw text,
treebank words and pairs of texts are cut exactly as the model's own tokenizer cuts them.
"""

import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, Literal

import numpy as np
import tokenizers

from bertattn.attention import Kind, Tokens
from bertattn.corpora import Article, Segment

Span = tuple[int, int]
TypeIds = Literal["tokenizer", "zero"]

WORD = re.compile(r"\w+(?:['’.-]\w+)*|[^\w\s]")
log = logging.getLogger("bertattn")


class TooLong(ValueError):
    """An input with more pieces than the model takes."""


class NoPieces(ValueError):
    """An input of which the tokenizer makes nothing."""


@dataclass(frozen=True, eq=False)
class Encoder:
    """One tokenizer, made to cut text honestly.

    Special tokens that stand in the text are text and are cut like any other; nothing is
    truncated or padded, whatever the tokenizer's own settings say.

    Attributes:
        tokenizer: A fast Hugging Face tokenizer.
        max_pieces: The most pieces, special tokens included, that the model takes.
        type_ids: "tokenizer" gives a pair's second text type 1 where the tokenizer does
            so; "zero" gives all tokens type 0, as the paper's released maps were made.

    Raises:
        ValueError: If the tokenizer is a slow one, which cannot say what a piece covers.
    """

    tokenizer: Any
    max_pieces: int = 512
    type_ids: TypeIds = "tokenizer"

    def __post_init__(self) -> None:
        if not getattr(self.tokenizer, "is_fast", False):
            raise ValueError(
                f"wanted a fast tokenizer (with a tokenizer.json), got "
                f"{type(self.tokenizer).__name__}, which cannot say where its pieces begin"
            )

    def text(self, first: str, second: str = "", *, document: int = 0) -> Tokens:
        """Cut a text, or a pair of texts.

        Raises:
            TooLong: If there are more pieces than the model takes.
            NoPieces: If the tokenizer makes nothing of it (blanks, zero-width signs).
        """
        texts = [first, second] if second else [first]
        return self._assemble(texts, [_word_spans(text) for text in texts], document=document)

    def words(self, words: Sequence[str], *, document: int = 0) -> Tokens:
        """Cut a sentence that is divided into words already, as in a treebank.

        Raises:
            TooLong: If there are more pieces than the model takes.
            NoPieces: If the tokenizer makes nothing of it (blanks, zero-width signs).
        """
        spans, end = [], -1
        for word in words:
            spans.append((end + 1, end + 1 + len(word)))
            end += 1 + len(word)
        return self._assemble([" ".join(words)], [spans], document=document)

    def segment(
        self, segment: Segment, max_pieces: int, rng: np.random.Generator
    ) -> tuple[Tokens, int]:
        """Cut a segment and drop pieces until it fits; also say how many were dropped.

        A piece goes from the longer part, from its front or back with equal chance, until
        ``max_pieces`` are left (Clark et al. 2019, released code).
        """
        texts = [segment.first, segment.second] if segment.second else [segment.first]
        encodings = [self._cut(text) for text in texts]
        room = max_pieces - self.n_special(pair=len(texts) == 2)
        n_dropped = _trim(encodings, room, rng)
        spans = [_word_spans(text) for text in texts]
        tokens = self._put_together(encodings, texts, spans, document=segment.document)
        return tokens, n_dropped

    def n_pieces(self, text: str) -> int:
        """How many pieces a text is cut into, special tokens not counted."""
        return len(self._cut(text))

    def n_special(self, *, pair: bool = False) -> int:
        """How many special tokens the tokenizer adds to a text or a pair."""
        return self.tokenizer.num_special_tokens_to_add(pair=pair)

    @cached_property
    def _backend(self) -> tokenizers.Tokenizer:
        backend = tokenizers.Tokenizer.from_str(self.tokenizer.backend_tokenizer.to_str())
        backend.no_truncation()
        backend.no_padding()
        backend.encode_special_tokens = True
        return backend

    @cached_property
    def _byte_level(self) -> bool:
        return "ByteLevel" in json.dumps(json.loads(self._backend.to_str())["decoder"])

    def _cut(self, text: str) -> tokenizers.Encoding:
        return self._backend.encode(text, add_special_tokens=False)

    def _assemble(self, texts: list[str], spans: list[list[Span]], document: int) -> Tokens:
        encodings = [self._cut(text) for text in texts]
        n_pieces = sum(map(len, encodings)) + self.n_special(pair=len(texts) == 2)
        if n_pieces > self.max_pieces:
            raise TooLong(
                f"the text has {n_pieces} pieces and the model takes {self.max_pieces}; "
                f"divide it: {texts[0][:60]!r} ..."
            )
        return self._put_together(encodings, texts, spans, document)

    def _put_together(
        self,
        encodings: list[tokenizers.Encoding],
        texts: list[str],
        spans: list[list[Span]],
        document: int,
    ) -> Tokens:
        if not any(map(len, encodings)):
            raise NoPieces(f"the tokenizer makes no piece of {texts[0][:60]!r}; give some text")
        whole = self._backend.post_process(*encodings)
        ids = np.array(whole.ids, dtype=np.int64)
        types = np.array(whole.type_ids, dtype=np.int64)
        pieces = tuple(readable(piece, byte_level=self._byte_level) for piece in whole.tokens)
        return Tokens(
            pieces=pieces,
            ids=ids,
            type_ids=types if self.type_ids == "tokenizer" else np.zeros_like(types),
            unit_of=_unit_of(whole, texts, spans),
            kinds=_kinds(pieces, ids, np.array(whole.special_tokens_mask), self.tokenizer),
            words=tuple(
                text[start:stop]
                for text, marked in zip(texts, spans, strict=True)
                for start, stop in marked
            ),
            document=document,
        )


def _word_spans(text: str) -> list[Span]:
    return [match.span() for match in WORD.finditer(text)]


def _unit_of(
    whole: tokenizers.Encoding, texts: list[str], spans: list[list[Span]]
) -> np.ndarray:
    """Number each piece's word, counting on from the first text into the second."""
    first_word = np.cumsum([0, *map(len, spans)])
    starts = [np.array([start for start, _ in marked]) for marked in spans]
    units, n_special = [], 0
    for sequence, (begin, end) in zip(whole.sequence_ids, whole.offsets, strict=True):
        if sequence is None:
            units.append(int(first_word[-1]) + n_special)
            n_special += 1
        else:
            covered = texts[sequence][begin:end]
            begin += len(covered) - len(covered.lstrip())
            word = np.searchsorted(starts[sequence], begin, side="right") - 1
            units.append(int(first_word[sequence] + max(word, 0)))
    return np.array(units, dtype=np.int64)


def _kinds(
    pieces: tuple[str, ...], ids: np.ndarray, special: np.ndarray, tokenizer: Any
) -> np.ndarray:
    """Tell start, separator and punctuation tokens apart.

    A tokenizer without a [CLS] or [SEP] of its own may add begin and end tokens instead:
    they are then the start and the separator.
    """
    start = _first_known(tokenizer.cls_token_id, tokenizer.bos_token_id)
    separator = _first_known(tokenizer.sep_token_id, tokenizer.eos_token_id)
    kinds = np.where(np.isin(pieces, [".", ","]), Kind.PUNCTUATION, Kind.ORDINARY)
    kinds[special == 1] = Kind.OTHER_SPECIAL
    kinds[(special == 1) & (ids == separator)] = Kind.SEPARATOR
    kinds[(special == 1) & (ids == start)] = Kind.START
    return kinds


def _first_known(*ids: int | None) -> int:
    return next((i for i in ids if i is not None), -1)


def _trim(encodings: list[tokenizers.Encoding], room: int, rng: np.random.Generator) -> int:
    lengths = [len(encoding) for encoding in encodings]
    front, back = [0] * len(encodings), [0] * len(encodings)
    for _ in range(sum(lengths) - room):
        longer = int(np.argmax([n - f - b for n, f, b in zip(lengths, front, back, strict=True)]))
        (front if rng.random() < 0.5 else back)[longer] += 1
    for encoding, n, f, b in zip(encodings, lengths, front, back, strict=True):
        encoding.truncate(n - b, direction="right")
        encoding.truncate(n - b - f, direction="left")
    return sum(front) + sum(back)


def readable(piece: str, *, byte_level: bool = False) -> str:
    """A piece as a person reads it: marks of word beginnings gone, bytes made characters.

    WordPiece's "##" is kept, since readers of the field know it. Half a character of a
    byte-level vocabulary shows as an escape.

    Example:
        >>> readable("Ġcaf", byte_level=True), readable("Ã©", byte_level=True)
        ('caf', 'é')
        >>> readable("##ing"), readable("▁the")
        ('##ing', 'the')
    """
    if byte_level and all(character in _BYTES for character in piece):
        octets = bytes(_BYTES[character] for character in piece)
        return octets.decode("utf-8", errors="backslashreplace").strip() or " "
    return piece.removeprefix("▁") or " "


def _byte_alphabet() -> dict[str, int]:
    """The characters that byte-level vocabularies write bytes with.

    Printable bytes stand for themselves; the others are shifted to U+0100 and up, in order.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {
        chr(0x100 + i): byte for i, byte in enumerate(others)
    }


_BYTES = _byte_alphabet()


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
        max_pieces: Pieces in a segment, special tokens included.
        seed: Of the random splits and trims.
        left_out: Counts of what was trimmed, missing or single.
    """

    articles: Iterable[Article]
    encoder: Encoder
    n: int | None = None
    max_pieces: int = 128
    seed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if not 8 <= self.max_pieces <= self.encoder.max_pieces:
            raise ValueError(
                f"wanted segments of 8 to {self.encoder.max_pieces} pieces (the model's limit), "
                f"got {self.max_pieces}"
            )
        if self.n is not None and self.n < 1:
            raise ValueError(f"wanted at least one segment, got {self.n}")

    def __iter__(self) -> Iterator[Tokens]:
        self.left_out = Counter()
        n_made = 0
        for segment in islice(self._cut_up(), self.n):
            n_made += 1
            rng = np.random.default_rng([self.seed, n_made])
            try:
                tokens, n_dropped = self.encoder.segment(segment, self.max_pieces, rng)
            except NoPieces:
                self.left_out["segments_without_pieces"] += 1
                continue
            self.left_out += Counter(
                pieces_kept=len(tokens),
                pieces_trimmed=n_dropped,
                single_sentences=int(not segment.second),
            )
            yield tokens
        if self.n is not None and n_made < self.n:
            self.left_out["segments_missing"] = self.n - n_made
            log.warning("asked for %d segments, the corpus has %d", self.n, n_made)

    def _cut_up(self) -> Iterator[Segment]:
        rng = np.random.default_rng(self.seed)
        room = self.max_pieces - self.encoder.n_special(pair=True)
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
    """A corpus as inputs of one sentence each; too long ones are left out and counted."""

    articles: Iterable[Article]
    encoder: Encoder
    n: int | None = None
    left_out: Counter[str] = field(default_factory=Counter)

    def __iter__(self) -> Iterator[Tokens]:
        self.left_out = Counter()
        return islice(self._all(), self.n)

    def _all(self) -> Iterator[Tokens]:
        for document, article in enumerate(self.articles):
            for sentence in article.sentences:
                try:
                    yield self.encoder.text(sentence, document=document)
                except TooLong:
                    self.left_out["sentences_too_long"] += 1
                except NoPieces:
                    self.left_out["sentences_without_pieces"] += 1
