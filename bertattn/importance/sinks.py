"""Does a head look at a sink where its relation does not apply? A reducer.

The paper's second sign of a no-op (section 3.2): in head 8-10, words that are objects of verbs look
at their verbs, and the others at [SEP]. A relation applies to a word, for dependent->governor, if
the word is such a dependent, and for governor->dependent, if it governs one; both are arcs that are
scored (``syntax.arcs``), so in decoders the word must stand after its partner to see it. Rows are
words, split ones averaged over their pieces; punctuation and words without pieces are left out on
both sides, and in decoders the word that holds the first token, which sees only itself.

The difference alone proves little: whoever has fewer tokens to look at gives the sink more, in
short sentences and at the beginning of a decoder's text, and relations are not spread evenly over
lengths and places. All heads meet the same words: what a head has over their mean is its *excess*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace, is_numpy_array
from jaxtyping import Bool, Float, Int, Shaped

from bertattn import stats
from bertattn.attention import Kind, Tokens
from bertattn.files import replacing
from bertattn.heads import AttentionHead
from bertattn.importance.targets import beside
from bertattn.reducer import Batch, as_numpy
from bertattn.stats import N_GROUPS, Interval, group_of
from bertattn.syntax import DIRECTIONS, PUNCTUATION, Direction
from bertattn.syntax.arcs import ROOT, arcs_of, sentence_of
from bertattn.words import Members

SINKS = ("to_start", "to_separator", "to_first")
LEAST = 1e-6  # of attention: as far as float32 can tell


class SinkWhere(NamedTuple):
    """One head's attention to a sink from words that its relation applies to, and from others.

    Attributes:
        applies: Mean share where the relation applies.
        n_applies: Of how many words; for governor->dependent, a word that governs two is one.
        elsewhere: Mean share where it does not.
        n_elsewhere: Of how many words.
        difference: ``elsewhere`` less ``applies``.
        interval: Of the difference, by resampling documents.
        all_heads: The mean difference over all heads of the model, at the same words.
        excess: ``difference`` less ``all_heads``.
        excess_interval: Of the excess, by the same resamples.
    """

    applies: float
    n_applies: int
    elsewhere: float
    n_elsewhere: int
    difference: float
    interval: Interval
    all_heads: float
    excess: float
    excess_interval: Interval


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
        poss_rule: Whether a possessor's arc is asked of the possessive after it, as in the counts.
    """

    relations: tuple[str, ...]
    applies: Float[np.ndarray, "group relation direction sink layer head"]
    n_applies: Int[np.ndarray, "group relation direction"]
    all: Float[np.ndarray, "group sink layer head"]
    n_all: Int[np.ndarray, " group"]
    n_sentences: int = 0
    poss_rule: bool = True
    _plan: "tuple[Members, np.ndarray, np.ndarray] | None" = field(default=None, repr=False)

    @classmethod
    def empty(
        cls, n_layers: int, n_heads: int, relations: Sequence[str], poss_rule: bool = True
    ) -> "SinkShares":
        """Nothing seen yet."""
        names = tuple(dict.fromkeys([*relations, ROOT]))
        groups, n_sinks, n_relations = N_GROUPS, len(SINKS), len(names)
        return cls(
            names,
            np.zeros((groups, n_relations, 2, n_sinks, n_layers, n_heads)),
            np.zeros((groups, n_relations, 2), dtype=np.int64),
            np.zeros((groups, n_sinks, n_layers, n_heads)),
            np.zeros(groups, dtype=np.int64),
            poss_rule=poss_rule,
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
        words = np.zeros((len(batch.tokens), members.share.shape[1]))
        for number, tokens in enumerate(batch.tokens):
            kept = _kept(tokens, batch.causal)
            words[number, : len(kept)] = kept
        asked = self._asked(batch, words.shape[1]) * words[:, :, None, None]
        groups = group_of(batch.documents)
        np.add.at(self.n_all, groups, words.sum(axis=1).astype(np.int64))
        np.add.at(self.n_applies, groups, asked.sum(axis=1).astype(np.int64))
        self.n_sentences += len(batch.tokens)
        return members, words, asked

    def _asked(
        self, batch: Batch, n_words: int
    ) -> Bool[np.ndarray, "batch word relation direction"]:
        """To which words each relation applies, of arcs that are scored."""
        numbers = {name: number for number, name in enumerate(self.relations)}
        arcs, _ = arcs_of(batch, numbers, self.poss_rule)
        found = np.zeros((len(batch.tokens), n_words, len(numbers), 2), dtype=bool)
        seen, governed = arcs.visible[0], arcs.visible[1] & (arcs.governor >= 0)
        found[arcs.input[seen], arcs.asked[seen], arcs.relation[seen], 0] = True
        found[arcs.input[governed], arcs.governor[governed], arcs.relation[governed], 1] = True
        return found

    def fresh(self) -> "SinkShares":
        """An empty one with the same options."""
        return self.empty(self.all.shape[2], self.all.shape[3], self.relations, self.poss_rule)

    def __add__(self, other: "SinkShares") -> "SinkShares":
        if (self.relations, self.poss_rule) != (other.relations, other.poss_rule):
            raise ValueError("shares of other relations cannot be added")
        return type(self)(
            self.relations,
            self.applies + other.applies,
            self.n_applies + other.n_applies,
            self.all + other.all,
            self.n_all + other.n_all,
            self.n_sentences + other.n_sentences,
            self.poss_rule,
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
        of_head = (attn_head.layer, attn_head.index)
        here = _columns(
            self.applies[:, *place, SINKS.index(sink)], of_head, self.n_applies[:, *place]
        )
        every = _columns(self.all[:, SINKS.index(sink)], of_head, self.n_all)
        return _compared(here, every - here)

    def save(self, path: Path) -> None:
        """Write the sums to an ``.npz`` file, whole or not at all."""
        with replacing(path) as file:
            arrays = {name: getattr(self, name) for name in ("relations", *ARRAYS)}
            np.savez(file, numbers=np.array([self.n_sentences, self.poss_rule]), **arrays)

    @classmethod
    def load(cls, path: Path) -> "SinkShares":
        """Read the sums back."""
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in ARRAYS}
            n_sentences, poss_rule = stored["numbers"].tolist()
            names = tuple(stored["relations"].tolist())
        return cls(names, **arrays, n_sentences=n_sentences, poss_rule=bool(poss_rule))


ARRAYS = ("applies", "n_applies", "all", "n_all")


def _first(batch: Batch) -> Any:
    """The first token of each input, where that is no start token."""
    xp = array_namespace(batch.kinds)
    places = xp.zeros_like(batch.kinds, dtype=xp.bool)
    places[:, 0] = True
    return places & (batch.kinds != Kind.START)


def _kept(tokens: Tokens, causal: bool) -> Float[np.ndarray, " word"]:
    """1 for words that have pieces and are no punctuation, nor a decoder's own sink."""
    sentence = sentence_of(tokens.source)
    kept = np.array([relation != PUNCTUATION for relation in sentence.relations], dtype=float)
    kept[list(tokens.words_without_pieces)] = 0
    if causal and not tokens.special[0]:
        kept[tokens.unit_of[0]] = 0
    return kept


def _columns(
    sums: Float[np.ndarray, "group layer head"],
    of_head: tuple[int, int],
    counts: Int[np.ndarray, " group"],
) -> Float[np.ndarray, "group three"]:
    """One head's sums, the mean of all heads' sums, and of how many words they are."""
    return np.stack([sums[:, *of_head], sums.mean(axis=(1, 2)), counts], axis=1)


def _compared(
    here: Float[np.ndarray, "group three"], elsewhere: Float[np.ndarray, "group three"]
) -> SinkWhere:
    """Ratios of sums to counts by group, their difference, and its excess over all heads'."""
    filled = np.flatnonzero((here[:, 2] + elsewhere[:, 2]) > 0)
    applies, others = (_shares(part.sum(axis=0)) for part in (here, elsewhere))
    own, all_heads, excess = _differences(applies, others)
    spread = over = Interval(np.nan, np.nan)
    if len(filled) > 1:
        weights = stats.resamples(len(filled))
        drawn = [_shares(weights @ part[filled]) for part in (here, elsewhere)]
        resampled = _differences(*drawn)
        spread, over = stats.interval(resampled[:, 0]), stats.interval(resampled[:, 2])
    return SinkWhere(
        float(applies[0]),
        int(here[:, 2].sum()),
        float(others[0]),
        int(elsewhere[:, 2].sum()),
        float(own),
        spread,
        float(all_heads),
        float(excess),
        over,
    )


def _shares(sums: Float[np.ndarray, "*n three"]) -> Float[np.ndarray, "*n two"]:
    """The head's share and all heads'; NaN where there is no word."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[..., :2] / sums[..., 2:]


def _differences(
    applies: Float[np.ndarray, "*n two"], elsewhere: Float[np.ndarray, "*n two"]
) -> Float[np.ndarray, "*n three"]:
    """The head's, all heads', and the one less the other; 0 where float32 cannot tell."""
    found = elsewhere - applies
    excess = found[..., :1] - found[..., 1:]
    return np.concatenate([found, np.where(abs(excess) < LEAST, 0.0, excess)], axis=-1)
