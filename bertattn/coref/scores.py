"""The best head for coreference, by kind of mention, with what could explain it away."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from bertattn import stats
from bertattn.coref import rules
from bertattn.coref.counts import DIRECTIONS, CorefCounts
from bertattn.coref.items import CANDIDATES
from bertattn.corpora.mentions import KINDS
from bertattn.heads import AttentionHead
from bertattn.stats import HeldOut, Interval

ALL = "all"


@dataclass(frozen=True, eq=False)
class Score:
    """How often the best head finds an antecedent, for one set of candidates and kind of mention.

    Attributes:
        candidates: The set of candidates.
        kind: The kind of mention, or "all".
        shape: Directions, layers and heads of the columns.
        right: Right answers of each head, by group.
        right_rules: The same of each rule.
        total: Mentions asked.
        weights: Resamples of the groups.
        seed: Of the splits.
    """

    candidates: str
    kind: str
    shape: tuple[int, int, int]
    right: Int[np.ndarray, "group head"]
    right_rules: Int[np.ndarray, "group rule"]
    total: Int[np.ndarray, "group one"]
    weights: Int[np.ndarray, "n group"]
    seed: int = 0

    @property
    def n(self) -> int:
        """How many mentions were asked."""
        return int(self.total.sum())

    @cached_property
    def best(self) -> int:
        """The best head's column."""
        return stats.best(self.right, self.total)

    def head(self, column: int) -> tuple[AttentionHead, str]:
        """Which head, in which direction, a column is."""
        direction, layer, index = np.unravel_index(column, self.shape)
        return AttentionHead(int(layer), int(index)), DIRECTIONS[int(direction)]

    def accuracy(self, column: int) -> float:
        """The share of mentions for which a head finds an antecedent."""
        return float(self.right[:, column].sum() / self.n)

    def interval(self, column: int) -> Interval:
        """Of one head by itself: for a head that was chosen on these data it is too good."""
        return stats.interval(self._resampled(self.right[:, column]))

    @cached_property
    def held_out(self) -> HeldOut:
        """Of heads chosen on one half of the documents, scored on the other."""
        return stats.held_out(self.right, self.total, seed=self.seed)

    def rule(self, name: str) -> tuple[float, Interval]:
        """A rule's accuracy, with its interval."""
        column = self.right_rules[:, list(rules.RULES).index(name)]
        return float(column.sum() / self.n), stats.interval(self._resampled(column))

    def over(self, name: str) -> tuple[float, Interval]:
        """What heads chosen on other documents have over a rule on the same ones."""
        column = self.right_rules[:, [list(rules.RULES).index(name)]]
        of_rule = stats.held_out(column, self.total, seed=self.seed)
        found = (self.held_out.resampled - of_rule.resampled).ravel()
        return stats.mean(self.held_out.scores - of_rule.scores), stats.interval(found)

    def _resampled(self, column: np.ndarray) -> Float[np.ndarray, " n"]:
        if len(column) < 2:
            return np.full(len(self.weights), np.nan)
        weights = self.weights.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return (weights @ column) / (weights @ self.total[:, 0])


def score(
    counts: CorefCounts,
    candidates: str = CANDIDATES[0],
    kind: str = ALL,
    *,
    n_resamples: int = stats.N_RESAMPLES,
    seed: int = 0,
) -> Score:
    """The score of one set of candidates and one kind of mention.

    A decoder's heads are asked in the one direction in which they can see: from the mention back.

    Args:
        counts: What was counted.
        candidates: One of ``CANDIDATES``.
        kind: "pronoun", "proper", "nominal" or "all".
        n_resamples: How many resamples an interval rests on.
        seed: Of resamples and splits.

    Raises:
        ValueError: If there is no such kind or set, or no such mention was asked.
    """
    if candidates not in CANDIDATES or kind not in (ALL, *KINDS):
        wanted = f"{', '.join(CANDIDATES)}; {', '.join((ALL, *KINDS))}"
        raise ValueError(f"wanted candidates and kind of {wanted}; got {candidates!r}, {kind!r}")
    kinds = list(range(len(KINDS))) if kind == ALL else [KINDS.index(kind)]
    total = counts.total[:, kinds].sum(axis=(1, 2), dtype=np.int64)
    filled = np.flatnonzero(total)
    if not len(filled):
        raise ValueError(f"no mention of kind {kind!r} has an antecedent in its window")
    directions = [0] if counts.causal else [0, 1]
    number = CANDIDATES.index(candidates)
    right = counts.right[filled][:, kinds][:, :, :, number][:, :, :, directions]
    right = right.sum(axis=(1, 2), dtype=np.int64)
    return Score(
        candidates,
        kind,
        right.shape[1:],
        right.reshape(len(filled), -1),
        counts.right_rules[filled][:, kinds].sum(axis=(1, 2), dtype=np.int64),
        total[filled, None],
        stats.resamples(len(filled), n_resamples, seed),
        seed,
    )
