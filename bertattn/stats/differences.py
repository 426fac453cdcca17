"""What lies between two runs: differences of rates, paired where documents are the same.

Heads that were named are compared by leaving out one group of documents at a time; heads that were
chosen are chosen on one half of the documents and compared on the other.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Num
from scipy.stats import t as student

from bertattn.stats.rates import holm
from bertattn.stats.selection import HeldOut, Interval, held_out, interval

N_PER_SPLIT = 100


class Difference(NamedTuple):
    """Rates of two runs, and what the second has over the first.

    Attributes:
        first: The rate of the first run.
        second: That of the second.
        low: Lower end of the interval of the second less the first; NaN with fewer than two groups.
        high: Its upper end.
        p: Of no difference, two-sided; NaN where there is no interval.
    """

    first: Float[np.ndarray, " row"]
    second: Float[np.ndarray, " row"]
    low: Float[np.ndarray, " row"]
    high: Float[np.ndarray, " row"]
    p: Float[np.ndarray, " row"]


class Chosen(NamedTuple):
    """The best of each run on documents that did not choose it.

    Attributes:
        first: Of the first run.
        second: Of the second.
        difference: The mean over splits, second less first.
        interval: Its interval.
        p: Of no difference, two-sided.
    """

    first: HeldOut
    second: HeldOut
    difference: float
    interval: Interval
    p: float


def rates_differ(
    first: tuple[Num[np.ndarray, "group row"], Num[np.ndarray, "group row"]],
    second: tuple[Num[np.ndarray, "other row"], Num[np.ndarray, "other row"]],
    *,
    paired: bool,
    confidence: float = 0.95,
) -> Difference:
    """Differences between ratios of sums to counts, a row each.

    The delete-one-group jackknife (Wolter 2007, chapter 4) and Student's t; unpaired, variances add
    and degrees of freedom are Welch's.

    Args:
        first: Sums and counts by group of documents.
        second: The same of the other run; paired, of the same groups in the same order.
        paired: Whether groups are the same.
        confidence: Coverage of the interval.

    Example:
        >>> sums, counts = np.array([[1.0], [2.0], [3.0]]), np.array([[4], [4], [4]])
        >>> found = rates_differ((sums, counts), (sums + 1, counts), paired=True)
        >>> float(found.second[0] - found.first[0]), float(found.p[0])
        (0.25, 0.0)
    """
    (one, left_one), (two, left_two) = _jackknifed(*first), _jackknifed(*second)
    if paired:
        n_groups = ((first[1] > 0) | (second[1] > 0)).sum(axis=0)
        variance, freedom = _variance(left_two - left_one, two - one, n_groups), n_groups - 1.0
    else:
        parts = [
            (_variance(left, whole, n), n - 1.0)
            for left, whole, n in (
                (left_one, one, (first[1] > 0).sum(axis=0)),
                (left_two, two, (second[1] > 0).sum(axis=0)),
            )
        ]
        variance, freedom = _welch(*parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        half = student.ppf((1 + confidence) / 2, freedom) * np.sqrt(variance)
        p = 2 * student.sf(np.abs(two - one) / np.sqrt(variance), freedom)
    same = (variance == 0) & (two == one)
    return Difference(one, two, two - one - half, two - one + half, np.where(same, 1.0, p))


def _jackknifed(sums: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rate, and the rate without each group."""
    with np.errstate(invalid="ignore", divide="ignore"):
        whole = sums.sum(axis=0) / counts.sum(axis=0)
        return whole, (sums.sum(axis=0) - sums) / (counts.sum(axis=0) - counts)


def _variance(left_out: np.ndarray, whole: np.ndarray, n_groups: np.ndarray) -> np.ndarray:
    """A group without a unit leaves the rate as it is, and counts as none."""
    spread = ((left_out - whole) ** 2).sum(axis=0) * (n_groups - 1) / np.maximum(n_groups, 1)
    return np.where(n_groups > 1, spread, np.nan)


def _welch(
    one: tuple[np.ndarray, np.ndarray], two: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    (a, n), (b, m) = one, two
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = (a + b) ** 2 / (a**2 / n + b**2 / m)
    return a + b, np.where(a + b == 0, np.minimum(n, m), freedom)


def best_differ(
    first: tuple[Num[np.ndarray, "group head"], Num[np.ndarray, "group #head"]],
    second: tuple[Num[np.ndarray, "other head2"], Num[np.ndarray, "other #head2"]],
    *,
    paired: bool,
    seed: int = 0,
) -> Chosen:
    """The best of each run, chosen on half of the documents and compared on the other half.

    Args:
        first: Right answers of each candidate, and questions, by group of documents.
        second: The same of the other run; paired, of the same groups in the same order.
        paired: Whether groups are the same: then both are split and resampled alike.
        seed: Of splits and resamples.

    Example:
        >>> right, total = np.array([[1, 4], [0, 4], [1, 4], [0, 4]]), np.full((4, 1), 4)
        >>> found = best_differ((right, total), (4 - right, total), paired=True)
        >>> found.difference < 0, found.first.most_chosen, found.second.most_chosen
        (True, (1, 1.0), (0, 1.0))
    """
    seeds = (seed, seed if paired else seed + 1)
    one, two = (
        held_out(*counts, n_resamples=N_PER_SPLIT, seed=s)
        for counts, s in zip((first, second), seeds, strict=True)
    )
    gaps = (two.resampled - one.resampled).ravel()
    return Chosen(one, two, two.mean - one.mean, interval(gaps), _two_sided(gaps))


def _two_sided(gaps: np.ndarray) -> float:
    """How often resampled differences lie on the rarer side of none, both sides counted."""
    finite = gaps[np.isfinite(gaps)]
    if not len(finite):
        return float("nan")
    rarer = min((finite <= 0).sum(), (finite >= 0).sum())
    return float(min(1.0, 2 * (1 + rarer) / (1 + len(finite))))


def holm_of_known(p_values: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """Holm's adjustment over the tests that there are; NaN where there is none."""
    adjusted = np.full(len(p_values), np.nan)
    known = np.isfinite(p_values)
    adjusted[known] = holm(p_values[known])
    return adjusted
