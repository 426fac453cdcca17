"""Means and their intervals: what is resampled is the document, never the word."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.stats import t as student

N_GROUPS = 50


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean with its interval.

    Attributes:
        mean: The estimate; NaN where nothing was counted.
        low: Lower end of the interval.
        high: Upper end of the interval.
        n_groups: How many groups of documents it rests on.
    """

    mean: Float[np.ndarray, "..."]
    low: Float[np.ndarray, "..."]
    high: Float[np.ndarray, "..."]
    n_groups: int


def group_of(documents: Int[np.ndarray, " unit"]) -> Int[np.ndarray, " unit"]:
    """The group whose sums a document joins.

    Up to ``N_GROUPS`` documents are each a group of their own; more are dealt out in turn,
    so that sums by group stay small however large the corpus is.
    """
    return documents % N_GROUPS


def mean_by_group(
    sums: Float[np.ndarray, "group *rest"],
    counts: Int[np.ndarray, "group *rest"],
    confidence: float = 0.95,
) -> Estimate:
    """The mean over units, and its interval by leaving out one group at a time.

    The delete-one-group jackknife (Wolter 2007, chapter 4) of the ratio of sums to counts,
    with Student's t of one degree of freedom fewer than there are groups. One group gives
    no interval: its ends are NaN.

    Args:
        sums: Sums over the units of each group.
        counts: How many units that was.
        confidence: Coverage of the interval.

    Example:
        >>> estimate = mean_by_group(np.array([1.0, 2.0, 3.0]), np.array([1, 1, 1]))
        >>> float(estimate.mean), round(float(estimate.high), 2)
        (2.0, 4.48)
    """
    filled = counts.reshape(len(counts), -1).any(axis=1)
    sums, counts = sums[filled], counts[filled]
    n_groups = len(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums.sum(axis=0) / counts.sum(axis=0)
        without = (sums.sum(axis=0) - sums) / (counts.sum(axis=0) - counts)
        spread = ((without - mean) ** 2).sum(axis=0) * (n_groups - 1) / max(n_groups, 1)
    quantile = student.ppf((1 + confidence) / 2, n_groups - 1) if n_groups > 1 else np.nan
    half = quantile * np.sqrt(spread)
    return Estimate(np.asarray(mean), np.asarray(mean - half), np.asarray(mean + half), n_groups)
