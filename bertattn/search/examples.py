"""What each head does best and worst, in the sentences where it does so: a reducer.

Every head is asked about one thing, its topic, and each sentence gives one example at most to each
side: the words between which the head has most attention, and those between which it has least. A
longer sentence has more pairs to be worst in and less attention for each, so the worst are longer
than the rest by construction and their length is no finding; weights that print as 0.00 are as good
as equal.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int, Shaped

from bertattn.files import replacing
from bertattn.heads import AttentionHead
from bertattn.reducer import Batch
from bertattn.search.best import Best, first_largest, key_of
from bertattn.search.shown import Example, Shown
from bertattn.search.topics import Pairs, Topic, arcs_in, pairs_of
from bertattn.search.weights import Merger, along

N_EXAMPLES = 3
SIDES = {"best": 1, "worst": -1}


class Kept(NamedTuple):
    """One head's examples: the most attention first, and the least first."""

    best: tuple[Example, ...]
    worst: tuple[Example, ...]


@dataclass(eq=False)
class Examples:
    """The best and the worst examples of each head's topic: a reducer, whose memory is bounded.

    Attributes:
        topics: What each head is asked about; heads without a topic have no examples.
        found: The examples by side, "best" or "worst", layer and head.
        sentences: The words and the name of each sentence that one of them is of.
        poss_rule: Whether a possessor is asked by the possessive after it, as in the counts.
        n_sentences: How many sentences were seen.
    """

    topics: dict[AttentionHead, Topic]
    found: Best
    sentences: dict[int, Shown] = field(default_factory=dict)
    poss_rule: bool = True
    n_sentences: int = 0
    _plan: "_Plan | None" = field(default=None, repr=False)

    @classmethod
    def empty(
        cls,
        n_layers: int,
        n_heads: int,
        topics: Mapping[AttentionHead, Topic],
        n: int = N_EXAMPLES,
        poss_rule: bool = True,
    ) -> "Examples":
        """Nothing seen yet.

        Args:
            n_layers: Layers of the model.
            n_heads: Heads of a layer.
            topics: What each head is asked about.
            n: How many examples each head keeps on each side.
            poss_rule: As in ``syntax.Options``.

        Raises:
            ValueError: If a topic is given for a head that the model does not have.
        """
        beyond = [h for h in topics if h.layer >= n_layers or h.index >= n_heads]
        if beyond:
            last = AttentionHead(n_layers - 1, n_heads - 1)
            raise ValueError(f"wanted heads from 1-1 to {last}, got {beyond[0]}")
        found = Best.empty(len(SIDES), n_layers, n_heads, n)
        return cls(dict(topics), found, poss_rule=poss_rule)

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Take in one layer's maps of one batch of parsed sentences."""
        if layer == 0:
            self._plan = self._begin(weights, batch)
        assert self._plan is not None, "layers come in order, the first one first"
        by_topic: dict[Topic, list[int]] = {}
        for attn_head, topic in self.topics.items():
            if attn_head.layer == layer and len(self._plan.pairs[topic]):
                by_topic.setdefault(topic, []).append(attn_head.index)
        of_words = self._plan.merger.of_layer(weights)
        for topic, indices in by_topic.items():
            pairs = self._plan.pairs[topic]
            values = along(pairs, of_words(topic))[:, indices]
            self._put(layer, indices, values.astype(np.float64), pairs)

    def _begin(self, weights: Any, batch: Batch) -> "_Plan":
        self.n_sentences += len(batch.tokens)
        keys = np.array([key_of(tokens) for tokens in batch.tokens], dtype=np.int64)
        self.sentences = self._held() | dict(
            zip(keys.tolist(), map(Shown.of, batch.tokens), strict=True)
        )
        arcs, numbers = arcs_in(batch, self.poss_rule)
        pairs = {t: pairs_of(t, batch, arcs, numbers) for t in set(self.topics.values())}
        return _Plan(Merger.of(batch, weights), keys, pairs)

    def _held(self) -> dict[int, Shown]:
        """The sentences that an example is of."""
        return {key: self.sentences[key] for key in self.found.used()}

    def _put(
        self, layer: int, indices: list[int], values: Float[np.ndarray, "pair head"], pairs: Pairs
    ) -> None:
        assert self._plan is not None, "made when the batch began"
        inputs, starts = np.unique(pairs.input, return_index=True)
        words = np.stack([pairs.from_word, pairs.to_word], axis=1)
        for side, sign in enumerate(SIDES.values()):
            place = first_largest(sign * values, starts)
            picked = np.take_along_axis(values, place, axis=0)
            self.found.put(
                (sign * picked).T,
                self._plan.keys[inputs],
                words[place].swapaxes(0, 1),
                (side, layer, np.array(indices)),
            )

    def __add__(self, other: "Examples") -> "Examples":
        if (self.topics, self.poss_rule) != (other.topics, other.poss_rule):
            raise ValueError("examples of other topics or options cannot be added")
        return type(self)(
            self.topics,
            self.found + other.found,
            self.sentences | other.sentences,
            self.poss_rule,
            self.n_sentences + other.n_sentences,
        )

    def result(self) -> dict[AttentionHead, Kept]:
        """Each head's examples."""
        return {
            attn_head: Kept(*(self._examples(side, attn_head) for side in range(len(SIDES))))
            for attn_head in self.topics
        }

    def _examples(self, side: int, attn_head: AttentionHead) -> tuple[Example, ...]:
        place = (side, attn_head.layer, attn_head.index)
        note, sign = self.topics[attn_head].note, list(SIDES.values())[side]
        return tuple(
            Example.of(self.sentences[key], words, sign * value, note)
            for value, key, words in self.found.rows(place)
        )

    def save(self, path: Path) -> None:
        """Write the examples to an ``.npz`` file, whole or not at all."""
        topics = {str(h): [t.name, t.direction] for h, t in self.topics.items()}
        text = [topics, self._held(), self.poss_rule, self.n_sentences]
        with replacing(path) as file:
            np.savez(file, text=np.array(json.dumps(text)), **vars(self.found))

    @classmethod
    def load(cls, path: Path) -> "Examples":
        """Read the examples back."""
        with np.load(path, allow_pickle=False) as stored:
            topics, held, poss_rule, n_sentences = json.loads(str(stored["text"]))
            found = Best(*(stored[name] for name in ("values", "keys", "details")))
        return cls(
            {AttentionHead.parse(name): Topic(*topic) for name, topic in topics.items()},
            found,
            Shown.read(held),
            poss_rule,
            n_sentences,
        )


@dataclass(frozen=True, eq=False)
class _Plan:
    """What a batch's layers share."""

    merger: Merger
    keys: Int[np.ndarray, " input"]
    pairs: dict[Topic, Pairs]
