"""Do heads still find syntax when others are taken away? One of the outcomes of ``outcomes``."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool, Int

from bertattn.attention import Tokens
from bertattn.heads import AttentionHead
from bertattn.importance.outcomes import States, Sums, Watch
from bertattn.reducer import Batch
from bertattn.stats import N_GROUPS, group_of
from bertattn.syntax import DIRECTIONS, Direction, Score, governors
from bertattn.syntax.arcs import ROOT, Arcs, arcs_of, sentence_of
from bertattn.syntax.questions import ALL
from bertattn.words import Members

AskedHeads = Mapping[str, tuple[AttentionHead, Direction]]


def finders(scores: Iterable[Score]) -> dict[str, tuple[AttentionHead, Direction]]:
    """The head that finds each relation best, of relations whose best head is over the best offset.

    Args:
        scores: Of documents other than those that will be asked (``syntax.scores``).
    """
    found: dict[str, tuple[AttentionHead, Direction]] = {}
    for score in scores:
        name = score.questions.relation
        if name != ALL and name not in found and score.accuracy > score.offset.accuracy:
            found[name] = score.attn_head, score.direction
    return found


class Syntax:
    """Of the arcs of some relations, the share that each relation's own head finds.

    Args:
        heads: The head that is asked for each relation, and in which direction.

    Raises:
        ValueError: If there is none.
    """

    names = ("syntax",)
    worse = (-1,)

    def __init__(self, heads: AskedHeads) -> None:
        if not heads:
            raise ValueError(
                "wanted a head for one relation at least, got none; give more sentences, or a "
                "smaller min_count, for the choice"
            )
        self.heads = dict(heads)
        self.left_out: Counter[str] = Counter()

    def asked(self, texts: list[Tokens], batches: list[Batch]) -> "_Arcs":
        """The same of some texts, which are parsed sentences."""
        names = {r for b in batches for t in b.tokens for r in sentence_of(t.source).relations}
        index = {name: i for i, name in enumerate(dict.fromkeys([*self.heads, *names, ROOT]))}
        plans = []
        for batch in batches:
            arcs, left_out = arcs_of(batch, index, poss_rule=True)
            self.left_out += left_out
            plans.append(_Plan(arcs, Members.of(batch), _with_pieces(batch)))
        return _Arcs(list(self.heads.values()), plans)


@dataclass(frozen=True, eq=False)
class _Plan:
    """What all passes over a batch share."""

    arcs: Arcs
    members: Members
    candidates: Bool[np.ndarray, "batch word"] | None

    def of(self, relation: int, direction: int) -> np.ndarray:
        """The arcs of a relation that can be seen in a direction."""
        return np.flatnonzero((self.arcs.relation == relation) & self.arcs.visible[direction])


def _with_pieces(batch: Batch) -> Bool[np.ndarray, "batch word"] | None:
    """Which words may be chosen; None: all of them."""
    if not any(tokens.words_without_pieces for tokens in batch.tokens):
        return None
    n_words = max(len(tokens.words) for tokens in batch.tokens)
    present = np.arange(n_words) < np.array([len(t.words) for t in batch.tokens])[:, None]
    for row, tokens in zip(present, batch.tokens, strict=True):
        row[list(tokens.words_without_pieces)] = False
    return present


@dataclass(frozen=True, eq=False)
class _Arcs:
    heads: Sequence[tuple[AttentionHead, Direction]]
    plans: list[_Plan]
    more: list[Tokens] = field(default_factory=list)

    def watch(self, first: int = 0, plain: Watch | None = None) -> "_Finds":
        """Counts of finds; those of heads below the first layer are as they were."""
        right = np.zeros((len(self.heads), N_GROUPS), dtype=np.int64)
        if isinstance(plain, _Finds):
            below = [attn_head.layer < first for attn_head, _ in self.heads]
            right[below] = plain.right[below]
        return _Finds(self, right)

    def sums(self, states: States, plain: States, watched: Watch | None) -> Sums:
        """Arcs found, and arcs."""
        assert isinstance(watched, _Finds), "made by watch"
        total = np.zeros(N_GROUPS, dtype=np.int64)
        for plan in self.plans:
            for relation, (_, direction) in enumerate(self.heads):
                arcs = plan.of(relation, DIRECTIONS.index(direction))
                np.add.at(total, group_of(plan.arcs.document[arcs]), 1)
        return watched.right.sum(axis=0)[:, None].astype(np.float64), total[:, None]


@dataclass(frozen=True, eq=False)
class _Finds:
    """Arcs that each relation's head has found."""

    asked: _Arcs
    right: Int[np.ndarray, "relation group"]

    def see(self, number: int, layer: int, weights: torch.Tensor) -> None:
        """Count one layer's finds in one batch."""
        mine = [(i, h, d) for i, (h, d) in enumerate(self.asked.heads) if h.layer == layer]
        if not mine:
            return
        plan, indices = self.asked.plans[number], sorted({h.index for _, h, _ in mine})
        own = weights[:, indices].cpu().numpy()
        found = governors(plan.members.between_words(own), plan.candidates)
        for relation, attn_head, name in mine:
            direction = DIRECTIONS.index(name)
            arcs = plan.of(relation, direction)
            of, asks = plan.arcs.input[arcs], plan.arcs.asked[arcs]
            said = found[direction, of, indices.index(attn_head.index), asks]
            hits = arcs[said == plan.arcs.governor[arcs]]
            np.add.at(self.right[relation], group_of(plan.arcs.document[hits]), 1)
