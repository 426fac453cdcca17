"""Scores of what was chosen as the best of many, with the choice as part of the procedure.

The best of 288 candidates on the data that chose it is a biased number, and choosing anew in every
resample of the documents makes it no better: each resample's best flatters too. A held-out score
chooses on one half of the documents and scores on the other; its interval resamples the scoring
half. Input are counts by group of documents: right answers of every candidate, and questions.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Num

N_SPLITS = 50
N_RESAMPLES = 1000
N_PER_SPLIT = 20


class Interval(NamedTuple):
    """The ends of an interval; NaN where there is none."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores on documents that had no part in the choice.

    Attributes:
        scores: The score of each split.
        resampled: The same on resamples of the scoring half, for an interval.
        winners: Which candidate was chosen in each split; -1 where a half has no question.
    """

    scores: Float[np.ndarray, " split"]
    resampled: Float[np.ndarray, "split resample"]
    winners: Int[np.ndarray, " split"]

    @property
    def mean(self) -> float:
        """The mean over splits; NaN if none could be scored."""
        return mean(self.scores)

    @property
    def most_chosen(self) -> tuple[int, float]:
        """The candidate that wins most often, and its share of the splits."""
        valid = self.winners[self.winners >= 0]
        if not len(valid):
            return -1, 0.0
        candidates, wins = np.unique(valid, return_counts=True)
        return int(candidates[wins.argmax()]), float(wins.max() / len(valid))


def best(
    right: Num[np.ndarray, "group candidate"], total: Num[np.ndarray, "group #candidate"]
) -> int:
    """The candidate with the largest share of right answers; the first of equals.

    Example:
        >>> best(np.array([[1, 2], [0, 1]]), np.array([[2], [2]]))
        1
    """
    return int(np.argmax(_rates(right.sum(axis=0), total.sum(axis=0))))


def resamples(n_groups: int, n: int = N_RESAMPLES, seed: int = 0) -> Int[np.ndarray, "n group"]:
    """How often each group stands in each of ``n`` resamples of all groups, with replacement."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=n)


def scores_of_best(
    right: Num[np.ndarray, "group candidate"],
    total: Num[np.ndarray, "group #candidate"],
    weights: Num[np.ndarray, "n group"],
) -> Float[np.ndarray, " n"]:
    """The score of the best candidate in each resample, chosen in that resample.

    NaN with fewer than two groups, of which nothing can be resampled.

    Example:
        >>> right, total = np.array([[2, 0], [0, 1]]), np.array([[2], [2]])
        >>> scores_of_best(right, total, np.array([[1, 1], [0, 2]])).tolist()
        [0.5, 0.5]
    """
    if len(right) < 2:
        return np.full(len(weights), np.nan)
    weights = weights.astype(np.float64)
    return _rates(weights @ right, weights @ total).max(axis=1)


def mean(values: Float[np.ndarray, " n"]) -> float:
    """The mean of what is finite; NaN where nothing is."""
    return float(np.nanmean(values)) if np.isfinite(values).any() else np.nan


def interval(values: Float[np.ndarray, " n"], confidence: float = 0.95) -> Interval:
    """The middle part of resampled values; NaN where none is finite."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return Interval(np.nan, np.nan)
    ends = np.quantile(finite, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(ends[0]), float(ends[1]))


def held_out(
    right: Num[np.ndarray, "group candidate"],
    total: Num[np.ndarray, "group #candidate"],
    *,
    n_splits: int = N_SPLITS,
    n_resamples: int = N_PER_SPLIT,
    seed: int = 0,
) -> HeldOut:
    """Choose on a random half of the groups, score on the other half, many times over.

    Splits and resamples depend on the number of groups and the seed alone, so that two kinds of
    candidates are compared pairwise. Groups without a question take no part.

    Args:
        right: Right answers of each candidate.
        total: Questions; of one column if they are the same for all candidates.
        n_splits: How many splits.
        n_resamples: How many resamples of each scoring half.
        seed: Of splits and resamples.
    """
    rng = np.random.default_rng(seed)
    halves = _halves(len(right), n_splits, rng)
    chosen = _rates(halves @ right, halves @ total)
    winners = np.where((halves @ total).max(axis=1) > 0, chosen.argmax(axis=1), -1)
    others = 1 - halves
    drawn = np.stack([_drawn(other, n_resamples, rng) for other in others])
    total = np.broadcast_to(total, right.shape)
    picked_right, picked_total = right[:, winners].T, total[:, winners].T  # [split, group]
    with np.errstate(invalid="ignore"):
        scores = (others * picked_right).sum(axis=1) / (others * picked_total).sum(axis=1)
        resampled = np.einsum("srg,sg->sr", drawn, picked_right) / np.einsum(
            "srg,sg->sr", drawn, picked_total
        )
    scores, resampled = np.where(winners < 0, np.nan, scores), resampled.copy()
    resampled[winners < 0] = np.nan
    return HeldOut(scores, resampled, winners)


def _halves(n_groups: int, n_splits: int, rng: np.random.Generator) -> np.ndarray:
    """Membership of each group in the choosing half, which is the smaller by one at most."""
    order = rng.permuted(np.tile(np.arange(n_groups), (n_splits, 1)), axis=1)
    return (order < n_groups // 2).astype(np.float64)


def _drawn(members: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    size = int(members.sum())
    return rng.multinomial(size, members / size, size=n).astype(np.float64)


def _rates(right: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Shares; 0 where nothing was asked, so that such a candidate is not chosen."""
    return right / np.maximum(total, 1e-12) * (total > 0)
