"""The best head for each relation, with all that it takes to believe it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from bertattn import stats
from bertattn.heads import AttentionHead
from bertattn.stats import HeldOut, Interval
from bertattn.syntax import rules
from bertattn.syntax.arcs import Direction
from bertattn.syntax.counts import SyntaxCounts
from bertattn.syntax.questions import ALL, MIN_COUNT, N_OFFSETS, Questions, questions

EDGE = 0.98  # beyond this, or its mirror, Wilson's interval is joined in


@dataclass(frozen=True, eq=False)
class Score:
    """How well one relation is found by the best head, and by rules that see no attention.

    All rates are of 1. What is chosen is chosen anew in each resample and each split.

    Attributes:
        questions: The counts.
        weights: Resamples of the groups that have such arcs.
        seed: Of the splits.
    """

    questions: Questions
    weights: Int[np.ndarray, "n group"]
    seed: int = 0

    @cached_property
    def candidate(self) -> int:
        """The best head's column."""
        return stats.best(self.questions.right, self.questions.total)

    @property
    def attn_head(self) -> AttentionHead:
        """The best head."""
        return self.questions.head(self.candidate)[0]

    @property
    def direction(self) -> Direction:
        """Who attends to whom when it predicts."""
        return self.questions.head(self.candidate)[1]

    @property
    def n_right(self) -> int:
        """How many arcs the best head predicts."""
        return int(self.questions.right[:, self.candidate].sum())

    @property
    def accuracy(self) -> float:
        """The share of the relation's arcs that the best head predicts: recall."""
        return self.n_right / self.questions.n

    @property
    def precision(self) -> float:
        """The share of all that the best head predicts, an arc a word, that is this relation."""
        return self.n_right / self.questions.n_words

    @cached_property
    def rechosen(self) -> Interval:
        """Where the best head's accuracy lies when resamples of the documents choose it anew.

        No interval of any head's true accuracy: the best of many in a resample is better than it
        is elsewhere. It shows how much the choice moves.
        """
        return stats.interval(self._resampled)

    @cached_property
    def held_out(self) -> HeldOut:
        """Of heads chosen on one half of the documents, scored on the other."""
        return stats.held_out(self.questions.right, self.questions.total, seed=self.seed)

    @cached_property
    def interval(self) -> Interval:
        """Of the held-out accuracy; near 0 and 1 not narrower than Wilson's on half of the arcs."""
        found = stats.interval(self.held_out.resampled.ravel())
        mean, half = self.held_out.mean, self.questions.n // 2
        if np.isnan(mean) or 1 - EDGE < mean < EDGE:
            return found
        edge = stats.wilson(round(mean * half), half)
        return Interval(min(found.low, edge.low), max(found.high, edge.high))

    @cached_property
    def offset(self) -> "Baseline":
        """The best fixed offset."""
        return self._baseline(slice(0, N_OFFSETS))

    @cached_property
    def nearest(self) -> "Baseline | None":
        """The best "nearest word of a class on one side"; None without parts of speech."""
        if not self.questions.classed:
            return None
        return self._baseline(slice(N_OFFSETS, None))

    @cached_property
    def _resampled(self) -> Float[np.ndarray, " n"]:
        return stats.scores_of_best(self.questions.right, self.questions.total, self.weights)

    def _baseline(self, columns: slice) -> "Baseline":
        right, total = self.questions.right_rules[:, columns], self.questions.total
        chosen = stats.best(right, total)
        held_out = stats.held_out(right, total, seed=self.seed)
        return Baseline(
            rules.NAMES[columns][chosen],
            float(right[:, chosen].sum() / total.sum()),
            held_out,
            stats.mean(self.held_out.scores - held_out.scores),
            stats.interval((self.held_out.resampled - held_out.resampled).ravel()),
        )


@dataclass(frozen=True, eq=False)
class Baseline:
    """A rule that could explain a head away, and what the head has over it.

    Attributes:
        rule: The best of its kind.
        accuracy: Its share of right answers.
        held_out: Of rules chosen on one half, scored on the other; the heads' splits.
        held_out_gain: The mean difference on held-out halves.
        held_out_gain_interval: Its interval.
    """

    rule: str
    accuracy: float
    held_out: HeldOut
    held_out_gain: float
    held_out_gain_interval: Interval


def scores(
    counts: SyntaxCounts,
    *,
    punct: bool = False,
    root: bool = False,
    min_count: int = MIN_COUNT,
    n_resamples: int = stats.N_RESAMPLES,
    seed: int = 0,
    at_least_one: bool = True,
) -> Iterator[Score]:
    """The score of each relation, "All" first, then the commonest first.

    Args:
        counts: What was counted.
        punct: Whether punctuation is scored, as a relation and in "All".
        root: The same of the root.
        min_count: How many arcs a relation needs.
        n_resamples: How many resamples an interval rests on.
        seed: Of resamples and splits.
        at_least_one: Whether a relation is needed; otherwise there may be none.

    Raises:
        ValueError: If one is needed and no relation has so many arcs.
    """
    asked = questions(counts, punct=punct, root=root, min_count=min_count)
    if at_least_one and all(question.relation == ALL for question in asked):
        raise ValueError(
            f"no relation has {min_count} arcs in {counts.n_sentences} sentences; give more "
            "sentences or a smaller min_count"
        )
    for question in asked:
        filled = np.flatnonzero(question.total[:, 0])
        part = Questions(
            question.relation,
            question.directions,
            question.shape,
            question.right[filled],
            question.right_rules[filled],
            question.total[filled],
            question.n_words,
            question.classed,
        )
        yield Score(part, stats.resamples(len(filled), n_resamples, seed), seed)
