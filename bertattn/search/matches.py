"""The hits of a query over a stream of parsed sentences: counted all, the clearest kept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool, Shaped

from bertattn import measure
from bertattn.attention import Tokens
from bertattn.files import replacing
from bertattn.reducer import Batch
from bertattn.search.best import DIGITS, Best, key_of
from bertattn.search.queries import Query
from bertattn.search.shown import Example, Shown
from bertattn.search.topics import BEHAVIOURS, Pairs, arcs_in, pairs_of, unseen_of
from bertattn.search.weights import Merger, along
from bertattn.syntax import rules

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

N_SHOWN = 10
COUNTS = ("n_asked", "n_hits", "n_hit_sentences", "n_sentences", "n_unseen")


@dataclass(frozen=True)
class Found:
    """What a query found.

    Attributes:
        query: The query.
        examples: The clearest hits, the largest weight first (the smallest if asked "under").
        n_asked: How many pairs of words stand in the relation, with these parts of speech.
        n_hits: How many of them have such a weight.
        n_hit_sentences: In how many sentences.
        n_sentences: Of how many sentences.
        n_unseen: Pairs of these parts of speech, beside those asked, that have no attention: a word
            without pieces, or later in a decoder's text.
    """

    query: Query
    examples: tuple[Example, ...]
    n_asked: int
    n_hits: int
    n_hit_sentences: int
    n_sentences: int
    n_unseen: int = 0

    @property
    def share(self) -> float:
        """The share of pairs that have such a weight; NaN where there is no pair."""
        return self.n_hits / self.n_asked if self.n_asked else float("nan")


@dataclass(eq=False)
class Matches:
    """Counts of a query's hits, and the clearest of them: a reducer, whose memory is bounded.

    Attributes:
        query: The query.
        found: The clearest hits.
        sentences: What they are hits in.
        counts: Numbers named ``COUNTS``.
        poss_rule: Whether a possessor is asked by the possessive after it, as in the counts; its
            part of speech is then the possessive's.
    """

    query: Query
    found: Best
    sentences: dict[int, Shown] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    poss_rule: bool = True

    @classmethod
    def empty(cls, query: Query, n: int = N_SHOWN, poss_rule: bool = True) -> "Matches":
        """Nothing seen yet.

        Args:
            query: The query.
            n: How many hits are kept.
            poss_rule: As in ``syntax.Options``.
        """
        return cls(query, Best.empty(1, n), poss_rule=poss_rule)

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Take in one layer's maps of one batch of parsed sentences."""
        if layer != self.query.attn_head.layer:
            return
        self.counts["n_sentences"] += len(batch.tokens)
        pairs = self._pairs(batch)
        if not len(pairs):
            return
        index = self.query.attn_head.index
        of_head = weights[:, index : index + 1]
        of_words = Merger.of(batch, of_head).of_layer(of_head)(self.query.topic)
        found = np.round(along(pairs, of_words)[:, 0].astype(np.float64), DIGITS)
        wanted = self.query.wants(found)
        self.counts["n_hits"] += int(wanted.sum())
        self.counts["n_hit_sentences"] += len(np.unique(pairs.input[wanted]))
        self._keep(pairs.where(wanted), found[wanted], batch)

    def _pairs(self, batch: Batch) -> Pairs:
        """The pairs that are asked about, counted."""
        topic = self.query.topic
        seen = pairs_of(topic, batch, *arcs_in(batch, self.poss_rule))
        unseen = unseen_of(topic, batch, seen, self.poss_rule)
        self.counts["n_unseen"] += int(_fitting(self.query, unseen, batch).sum())
        pairs = seen.where(_fitting(self.query, seen, batch))
        self.counts["n_asked"] += len(pairs)
        return pairs

    def _keep(self, pairs: Pairs, weights: np.ndarray, batch: Batch) -> None:
        keys = np.array([key_of(tokens) for tokens in batch.tokens], dtype=np.int64)
        self.sentences |= zip(keys.tolist(), map(Shown.of, batch.tokens), strict=True)
        details = np.stack([pairs.from_word, pairs.to_word], axis=1)
        self.found.put(self._sign * weights[None], keys[pairs.input], details[None])
        self.sentences = {key: self.sentences[key] for key in self.found.used()}

    @property
    def _sign(self) -> int:
        return -1 if self.query.over is None else 1

    def __add__(self, other: "Matches") -> "Matches":
        if (self.query, self.poss_rule) != (other.query, other.poss_rule):
            raise ValueError("hits of other queries or options cannot be added")
        counts = {name: n + other.counts[name] for name, n in self.counts.items()}
        sentences = self.sentences | other.sentences
        found = self.found + other.found
        return type(self)(self.query, found, sentences, counts, self.poss_rule)

    def result(self) -> Found:
        """The counts and the clearest hits."""
        note = self.query.topic.note
        examples = tuple(
            Example.of(self.sentences[key], words, self._sign * value, note)
            for value, key, words in self.found.rows((0,))
        )
        return Found(self.query, examples, **self.counts)

    def save(self, path: Path) -> None:
        """Write counts and hits to an ``.npz`` file, whole or not at all."""
        text = json.dumps([str(self.query), self.sentences, self.counts, self.poss_rule])
        with replacing(path) as file:
            np.savez(file, text=np.array(text), **vars(self.found))

    @classmethod
    def load(cls, path: Path) -> "Matches":
        """Read them back."""
        with np.load(path, allow_pickle=False) as stored:
            query, held, counts, poss_rule = json.loads(str(stored["text"]))
            found = Best(*(stored[name] for name in ("values", "keys", "details")))
        return cls(Query.parse(query), found, Shown.read(held), counts, poss_rule)


def find(
    query: Query,
    inputs: Sequence[Tokens],
    model: "AttentionModel",
    n: int = N_SHOWN,
    poss_rule: bool = True,
) -> Found:
    """Ask parsed sentences a query; only those that have such a relation go through the model.

    Args:
        query: The query.
        inputs: The sentences (``segments.Trees``).
        model: The model.
        n: How many hits to keep.
        poss_rule: As in ``syntax.Options``.

    Raises:
        ValueError: If there is no such head, relation or part of speech.
    """
    query.check(inputs, model.shape)
    everywhere = query.relation in BEHAVIOURS
    asked = [t for t in inputs if everywhere or query.relation in t.source.relations]
    matches = Matches.empty(query, n, poss_rule)
    measure.measure(asked, model, matches, total=len(asked))
    return replace(matches.result(), n_sentences=len(inputs))


def _fitting(query: Query, pairs: Pairs, batch: Batch) -> Bool[np.ndarray, " pair"]:
    """Which pairs are of the parts of speech that are asked about."""
    fits = np.ones(len(pairs), dtype=bool)
    for wanted, words in ((query.from_tags, pairs.from_word), (query.to_tags, pairs.to_word)):
        if wanted:
            tags = [
                batch.tokens[i].source.tags[w] if w >= 0 else ""
                for i, w in zip(pairs.input.tolist(), words.tolist(), strict=True)
            ]
            right = [tag in wanted or rules.word_class(tag) in wanted for tag in tags]
            fits &= np.array(right, dtype=bool)
    return fits
