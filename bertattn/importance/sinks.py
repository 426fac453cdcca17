"""Does a head look at a sink where its relation does not apply? A reducer.

The paper's second sign of a no-op (section 3.2): in head 8-10, words that are objects of verbs look
at their verbs, and the others at [SEP]. A relation applies to a word, for dependent->governor, if
the word is such a dependent, and for governor->dependent, if it governs one. Rows are words, split
ones averaged over their pieces; punctuation and words without pieces are left out on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace, is_numpy_array
from jaxtyping import Bool, Float, Int, Shaped

from bertattn import stats
from bertattn.attention import Kind
from bertattn.corpora import ParsedSentence
from bertattn.files import replacing
from bertattn.heads import AttentionHead
from bertattn.importance.targets import beside
from bertattn.reducer import Batch, as_numpy
from bertattn.stats import N_GROUPS, Interval, group_of
from bertattn.syntax import DIRECTIONS, PUNCTUATION, Direction
from bertattn.syntax.arcs import ROOT, sentence_of
from bertattn.words import Members

SINKS = ("to_start", "to_separator", "to_first")


class SinkWhere(NamedTuple):
    """One head's attention to a sink from words that its relation applies to, and from others.

    Attributes:
        applies: Mean share where the relation applies.
        n_applies: Of how many words.
        elsewhere: Mean share where it does not.
        n_elsewhere: Of how many words.
        difference: ``elsewhere`` less ``applies``.
        interval: Of the difference, by resampling documents.
    """

    applies: float
    n_applies: int
    elsewhere: float
    n_elsewhere: int
    difference: float
    interval: Interval


@dataclass(eq=False)
class SinkShares:
    """Sums over words of attention to each of ``SINKS``, by group of documents.

    Attributes:
        relations: The names of the relations.
        applies: Sums over the words that a relation applies to.
        n_applies: How many there are.
        all: Sums over all words.
        n_all: How many there are.
        n_sentences: How many sentences were seen.
    """

    relations: tuple[str, ...]
    applies: Float[np.ndarray, "group relation direction sink layer head"]
    n_applies: Int[np.ndarray, "group relation direction"]
    all: Float[np.ndarray, "group sink layer head"]
    n_all: Int[np.ndarray, " group"]
    n_sentences: int = 0
    _plan: "tuple[Members, np.ndarray, np.ndarray] | None" = field(default=None, repr=False)

    @classmethod
    def empty(cls, n_layers: int, n_heads: int, relations: Sequence[str]) -> "SinkShares":
        """Nothing seen yet."""
        names = tuple(dict.fromkeys([*relations, ROOT]))
        groups, n_sinks, n_relations = N_GROUPS, len(SINKS), len(names)
        return cls(
            names,
            np.zeros((groups, n_relations, 2, n_sinks, n_layers, n_heads)),
            np.zeros((groups, n_relations, 2), dtype=np.int64),
            np.zeros((groups, n_sinks, n_layers, n_heads)),
            np.zeros(groups, dtype=np.int64),
        )

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Add one layer's maps of one batch of parsed sentences."""
        if layer == 0:
            self._plan = self._begin(weights, batch)
        assert self._plan is not None, "layers come in order, the first one first"
        members, words, asked = self._plan
        xp = array_namespace(weights)
        sinks = xp.stack(
            [batch.kinds == Kind.START, batch.kinds == Kind.SEPARATOR, _first(batch)], axis=-1
        )
        to_sinks = weights @ xp.astype(sinks, weights.dtype)[:, None]
        rows = as_numpy(members.share[:, None] @ to_sinks)  # [batch, head, word, sink]
        groups = group_of(batch.documents)
        every = np.einsum("bw,bhws->bsh", words, rows)
        np.add.at(self.all[:, :, layer], groups, every)
        related = np.einsum("bwrd,bhws->brdsh", asked, rows, optimize=True)
        np.add.at(self.applies[:, :, :, :, layer], groups, related)

    def _begin(self, weights: Any, batch: Batch) -> tuple[Members, np.ndarray, np.ndarray]:
        as_array = np.asarray if is_numpy_array(weights) else (lambda a: beside(a, weights))
        members = Members.of(batch, as_array=as_array)
        n_words = members.share.shape[1]
        words = np.zeros((len(batch.tokens), n_words))
        asked = np.zeros((len(batch.tokens), n_words, len(self.relations), 2))
        for number, tokens in enumerate(batch.tokens):
            sentence = sentence_of(tokens.source)
            kept = _kept(sentence, tokens.words_without_pieces)
            words[number, : len(kept)] = kept
            asked[number, : len(kept)] = self._asked(sentence) * kept[:, None, None]
        groups = group_of(batch.documents)
        np.add.at(self.n_all, groups, words.sum(axis=1).astype(np.int64))
        np.add.at(self.n_applies, groups, asked.sum(axis=1).astype(np.int64))
        self.n_sentences += len(batch.tokens)
        return members, words, asked

    def _asked(self, sentence: ParsedSentence) -> Bool[np.ndarray, "word relation direction"]:
        """To which words each relation applies."""
        found = np.zeros((len(sentence), len(self.relations), 2), dtype=bool)
        pairs = zip(sentence.governors, sentence.relations, strict=True)
        for word, (governor, relation) in enumerate(pairs):
            number = self.relations.index(ROOT if governor is None else relation)
            found[word, number, 0] = True
            if governor is not None:
                found[governor, number, 1] = True
        return found

    def __add__(self, other: "SinkShares") -> "SinkShares":
        if self.relations != other.relations:
            raise ValueError("shares of other relations cannot be added")
        return type(self)(
            self.relations,
            self.applies + other.applies,
            self.n_applies + other.n_applies,
            self.all + other.all,
            self.n_all + other.n_all,
            self.n_sentences + other.n_sentences,
        )

    def result(
        self, relation: str, attn_head: AttentionHead, direction: Direction, sink: str
    ) -> SinkWhere:
        """One head's attention to a sink, where a relation applies and where it does not.

        Raises:
            ValueError: If there is no such relation or sink.
        """
        for name, known in ((relation, self.relations), (sink, SINKS)):
            if name not in known:
                raise ValueError(f"wanted one of {', '.join(known)}, got {name!r}")
        place = (self.relations.index(relation), DIRECTIONS.index(direction))
        column = (SINKS.index(sink), attn_head.layer, attn_head.index)
        here = np.stack([self.applies[:, *place, *column], self.n_applies[:, *place]], axis=1)
        every = np.stack([self.all[:, *column], self.n_all], axis=1)
        return _compared(here, every - here)

    def save(self, path: Path) -> None:
        """Write the sums to an ``.npz`` file, whole or not at all."""
        with replacing(path) as file:
            arrays = {name: getattr(self, name) for name in ARRAYS}
            np.savez(file, relations=np.array(self.relations), n=self.n_sentences, **arrays)

    @classmethod
    def load(cls, path: Path) -> "SinkShares":
        """Read the sums back."""
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in ARRAYS}
            names = tuple(stored["relations"].tolist())
            return cls(names, **arrays, n_sentences=int(stored["n"]))


ARRAYS = ("applies", "n_applies", "all", "n_all")


def _first(batch: Batch) -> Any:
    """The first token of each input, where that is no start token."""
    xp = array_namespace(batch.kinds)
    places = xp.zeros_like(batch.kinds, dtype=xp.bool)
    places[:, 0] = True
    return places & (batch.kinds != Kind.START)


def _kept(sentence: ParsedSentence, silent: tuple[int, ...]) -> Float[np.ndarray, " word"]:
    """1 for words that have pieces and are no punctuation."""
    kept = np.array([relation != PUNCTUATION for relation in sentence.relations], dtype=float)
    kept[list(silent)] = 0
    return kept


def _compared(
    here: Float[np.ndarray, "group two"], elsewhere: Float[np.ndarray, "group two"]
) -> SinkWhere:
    """Two ratios of sums to counts by group, and their difference."""
    filled = np.flatnonzero((here[:, 1] + elsewhere[:, 1]) > 0)
    weights = stats.resamples(len(filled)) if len(filled) > 1 else np.zeros((0, len(filled)))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = [part.sum(axis=0)[0] / part.sum(axis=0)[1] for part in (here, elsewhere)]
        drawn = [
            (weights @ p[filled])[:, 0] / (weights @ p[filled])[:, 1] for p in (here, elsewhere)
        ]
    spread = stats.interval(drawn[1] - drawn[0]) if len(weights) else Interval(np.nan, np.nan)
    return SinkWhere(
        float(means[0]),
        int(here[:, 1].sum()),
        float(means[1]),
        int(elsewhere[:, 1].sum()),
        float(means[1] - means[0]),
        spread,
    )
