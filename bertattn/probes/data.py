"""What probes are trained and tested on: parsed sentences in three parts, and their words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from bertattn.attention import Tokens
from bertattn.corpora import ParsedSentence
from bertattn.probes.maps import Maps
from bertattn.vectors import WordVectors

PUNCTUATION = "punct"
NO_TARGET = -1
MIN_DOCUMENTS = 10
PARTS = (0.6, 0.15)  # for training, for development; the rest is for testing


class Parts(NamedTuple):
    """Numbers of the sentences of each part."""

    train: list[int]
    dev: list[int]
    test: list[int]


@dataclass(frozen=True, eq=False)
class Words:
    """What probes know of the words of one sentence.

    Attributes:
        rows: The row of each word's vector; -1 for none.
        governors: The right candidate of each word: 0 for the root, else the governor's number plus
            1; -1 for a word that cannot be asked: it or its governor has no pieces.
        present: Which words have pieces.
        punctuation: Which words the tree has as punctuation.
    """

    rows: Int[np.ndarray, " word"]
    governors: Int[np.ndarray, " word"]
    present: Bool[np.ndarray, " word"]
    punctuation: Bool[np.ndarray, " word"]

    @classmethod
    def of(cls, tokens: Tokens, vectors: WordVectors) -> "Words":
        """Those of an input that is a parsed sentence."""
        sentence: ParsedSentence = tokens.source
        present = np.ones(len(tokens.words), dtype=bool)
        present[list(tokens.words_without_pieces)] = False
        governors = [
            0 if g is None else g + 1 if present[g] else NO_TARGET for g in sentence.governors
        ]
        return cls(
            rows=vectors.rows_of(tokens.words),
            governors=np.where(present, governors, NO_TARGET),
            present=present,
            punctuation=np.array([name == PUNCTUATION for name in sentence.relations]),
        )

    @property
    def in_edges(self) -> Bool[np.ndarray, " word"]:
        """Words that trees without direction are made of: no punctuation, none without pieces."""
        return self.present & ~self.punctuation

    def scored(self, targets: Int[np.ndarray, " word"]) -> Bool[np.ndarray, " word"]:
        """Which words count in scores: those asked that are no punctuation."""
        return (targets != NO_TARGET) & ~self.punctuation


@dataclass(frozen=True, eq=False)
class ProbeData:
    """Parsed sentences with what probes read of them.

    Attributes:
        inputs: The sentences as the model's inputs; ``source`` is the parsed sentence.
        parts: Which are for training, development and testing.
        maps: Every head's attention between words (``word_maps``).
        vectors: Word vectors.
        words: What is known of every sentence's words.
    """

    inputs: list[Tokens]
    parts: Parts
    maps: Maps
    vectors: WordVectors
    words: list["Words"]

    @classmethod
    def of(
        cls, inputs: Iterable[Tokens], maps: Maps, vectors: WordVectors, parts: Parts
    ) -> "ProbeData":
        """Look up the words' vectors, of which the unknown are counted anew."""
        inputs = list(inputs)
        vectors.unknown.clear()
        return cls(inputs, parts, maps, vectors, [Words.of(t, vectors) for t in inputs])

    def sentence(self, number: int) -> ParsedSentence:
        """The parsed sentence of an input."""
        return self.inputs[number].source

    @property
    def n_heads(self) -> int:
        """How many heads the maps have."""
        return self.maps[0].shape[-1]

    @property
    def n_words(self) -> int:
        """How many words there are in all."""
        return sum(len(t.words) for t in self.inputs)


def parts(inputs: Sequence[Tokens], seed: int = 0) -> Parts:
    """Divide sentences for training, development and testing, at random.

    Whole documents go to one part, 60, 15 and 25 per cent of them; with fewer than ten documents it
    is sentences that are dealt out.

    Raises:
        ValueError: If there are fewer than three sentences.
    """
    documents = np.array([t.document for t in inputs])
    units = documents if len(np.unique(documents)) >= MIN_DOCUMENTS else np.arange(len(inputs))
    names = np.unique(units)
    if len(names) < 3:
        raise ValueError(
            f"wanted sentences for training, development and testing, got {len(names)} in all; "
            "give a longer corpus, or parts of your own (probes.Parts)"
        )
    order = np.random.default_rng(seed).permutation(names)
    n_train = min(max(1, round(PARTS[0] * len(order))), len(order) - 2)
    n_dev = min(max(1, round(PARTS[1] * len(order))), len(order) - n_train - 1)
    divided = np.split(order, [n_train, n_train + n_dev])
    return Parts(*(np.flatnonzero(np.isin(units, one)).tolist() for one in divided))
