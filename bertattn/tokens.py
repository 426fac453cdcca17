"""Words to wordpieces, and which piece is whose.

Every text takes one path: words are spans of characters, the tokenizer says which
characters a piece covers, and a piece belongs to the word in which it begins. So raw text,
treebank words and pairs of texts are cut exactly as the model's own tokenizer cuts them.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import regex
import tokenizers

from bertattn.attention import Kind, Tokens
from bertattn.corpora import Segment
from bertattn.pieces import readable

Span = tuple[int, int]
TypeIds = Literal["tokenizer", "zero"]

# letters, digits and the marks that combine with them, or one sign of any other kind
WORD = regex.compile(r"[\w\p{M}]+(?:['’.-][\w\p{M}]+)*|[^\w\s\p{M}]")


class TooLongError(ValueError):
    """An input with more pieces than the model takes."""


class NoPiecesError(ValueError):
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
            TooLongError: If there are more pieces than the model takes.
            NoPiecesError: If the tokenizer makes nothing of it (blanks, zero-width signs).
        """
        texts = self._halves(first, second)
        return self._assemble(texts, [_word_spans(text) for text in texts], document=document)

    def words(self, words: Sequence[str], *, document: int = 0) -> Tokens:
        """Cut a sentence that is divided into words already, as in a treebank.

        Raises:
            TooLongError: If there are more pieces than the model takes.
            NoPiecesError: If the tokenizer makes nothing of it (blanks, zero-width signs).
        """
        spans, end = [], -1
        for word in words:
            spans.append((end + 1, end + 1 + len(word)))
            end += 1 + len(word)
        return self._assemble([" ".join(words)], [spans], document=document)

    def segment(
        self, segment: Segment, max_pieces: int, rng: np.random.Generator
    ) -> tuple[Tokens, int, int]:
        """Cut a segment and drop pieces until it fits.

        A piece goes from the longer part, from its front or back with equal chance, until
        ``max_pieces`` are left (Clark et al. 2019, released code).

        Returns:
            The tokens, how many pieces were dropped, and how many words made no piece.
        """
        texts = self._halves(segment.first, segment.second)
        encodings = [self._cut(text) for text in texts]
        room = max_pieces - self.n_special(pair=len(texts) == 2)
        spans = [_word_spans(text) for text in texts]
        cut = [_word_of(*one) for one in zip(encodings, texts, spans, strict=True)]
        n_silent = sum(len(s) - len(np.unique(c)) for s, c in zip(spans, cut, strict=True))
        n_dropped = _trim(encodings, room, rng)
        tokens = self._put_together(encodings, texts, spans, document=segment.document)
        return tokens, n_dropped, n_silent

    def n_pieces(self, text: str) -> int:
        """How many pieces a text is cut into, special tokens not counted."""
        return len(self._cut(text))

    def n_special(self, *, pair: bool = False) -> int:
        """How many special tokens the tokenizer adds to a text or a pair."""
        return self.tokenizer.num_special_tokens_to_add(pair=pair)

    @property
    def sha256(self) -> str:
        """The hash of the tokenizer's whole definition."""
        return hashlib.sha256(self._backend.to_str().encode()).hexdigest()

    @property
    def special_names(self) -> dict[str, str]:
        """The tokenizer's own text for the start token and the separator it adds."""
        tokens = self.text("a", "b") if self.n_special(pair=True) else self.text("a")
        return {
            Kind(kind).name.lower(): piece
            for piece, kind in zip(tokens.pieces, tokens.kinds.tolist(), strict=True)
            if kind in (Kind.START, Kind.SEPARATOR)
        }

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

    def _halves(self, first: str, second: str) -> list[str]:
        """A pair as two texts; as one where a half is empty or nothing would stand between."""
        if not second.strip():
            return [first]
        divided = self.n_special(pair=True) > self.n_special()
        if divided and self.n_pieces(first) and self.n_pieces(second):
            return [first, second]
        return [f"{first} {second}"]

    def _assemble(self, texts: list[str], spans: list[list[Span]], document: int) -> Tokens:
        encodings = [self._cut(text) for text in texts]
        n_pieces = sum(map(len, encodings)) + self.n_special(pair=len(texts) == 2)
        if n_pieces > self.max_pieces:
            raise TooLongError(
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
        if not any(map(len, encodings)) or not spans[0]:
            raise NoPiecesError(
                f"the tokenizer makes no piece of {texts[0][:60]!r}; give some text"
            )
        pair = encodings[1] if len(encodings) == 2 else None
        whole = self._backend.post_process(encodings[0], pair)
        ids = np.array(whole.ids, dtype=np.int64)
        types = np.array(whole.type_ids, dtype=np.int64)
        special = np.array(whole.special_tokens_mask)
        pieces = tuple(readable(piece, byte_level=self._byte_level) for piece in whole.tokens)
        return Tokens(
            pieces=pieces,
            ids=ids,
            type_ids=types if self.type_ids == "tokenizer" else np.zeros_like(types),
            unit_of=_unit_of(encodings, special, texts, spans),
            kinds=_kinds(pieces, ids, special, self.tokenizer),
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
    encodings: list[tokenizers.Encoding],
    special: np.ndarray,
    texts: list[str],
    spans: list[list[Span]],
) -> np.ndarray:
    """Number each piece's word, counting on from the first text into the second.

    Pieces of the texts stand in order among the special tokens, which are numbered last.
    """
    n_words = sum(map(len, spans))
    first_word = np.cumsum([0, *map(len, spans)])
    of_text = [
        first + _word_of(encoding, text, marked)
        for first, encoding, text, marked in zip(
            first_word[:-1], encodings, texts, spans, strict=True
        )
    ]
    units = np.empty(len(special), dtype=np.int64)
    units[special == 0] = np.concatenate(of_text)
    units[special == 1] = n_words + np.arange(int(special.sum()))
    return units


def _word_of(encoding: tokenizers.Encoding, text: str, spans: list[Span]) -> np.ndarray:
    """The word in which each piece begins; blanks that a piece begins with are not counted."""
    begins = [
        start + len(text[start:end]) - len(text[start:end].lstrip())
        for start, end in encoding.offsets
    ]
    starts = np.array([start for start, _ in spans])
    after = np.searchsorted(starts, np.array(begins, dtype=np.int64), side="right")
    return np.maximum(after - 1, 0)


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
