"""Rates: intervals near 0 and 1, many tests at once, and silver corrected by what was checked."""

import numpy as np
from jaxtyping import Float, Num
from scipy.stats import binomtest

from bertattn.stats.selection import Interval, interval


def wilson(n_right: int, n_total: int, confidence: float = 0.95) -> Interval:
    """Wilson's interval of a rate, which holds where the rate is near 0 or 1 too.

    It takes answers as independent of one another; resampling documents does not, but fails where
    every document has the same rate.

    Example:
        >>> low, high = wilson(20, 20)
        >>> round(low, 2), high
        (0.84, 1.0)
    """
    if n_total == 0:
        return Interval(np.nan, np.nan)
    found = binomtest(n_right, n_total).proportion_ci(confidence, method="wilson")
    return Interval(float(found.low), float(found.high))


def holm(p_values: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """p-values of several tests, adjusted so that any false finding is as rare as one alone.

    Holm 1979: the smallest is multiplied by the number of tests, the next by one fewer, ...

    Example:
        >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
        [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    n_left = len(p_values) - np.arange(len(p_values))
    adjusted = np.maximum.accumulate(np.minimum(1.0, p_values[order] * n_left))
    back = np.empty_like(adjusted)
    back[order] = adjusted
    return back


def corrected_rate(
    silver: Num[np.ndarray, "group two"],
    silver_checked: Num[np.ndarray, "group two"],
    checked: Num[np.ndarray, "group two"],
    weights: Num[np.ndarray, "n group"],
) -> tuple[float, Interval]:
    """A rate on silver answers, put right by the part of them that was checked.

    The rate on all silver, plus what checking changes: the rate on the checked part less the rate
    on the same part's silver (prediction-powered inference; Angelopoulos et al. 2023). Its interval
    comes from resampling the groups of all three together. Below 0 and above 1 is cut off.

    Args:
        silver: Right answers and questions by silver, all of it.
        silver_checked: The same, of the part that was checked.
        checked: The same part by the checked answers.
        weights: Resamples, as ``resamples`` draws them.

    Example:
        >>> silver, part, gold = np.array([[80, 100]]), np.array([[8, 10]]), np.array([[9, 10]])
        >>> rate, _ = corrected_rate(silver, part, gold, np.array([[1]]))
        >>> round(rate, 2)
        0.9
    """
    parts = (silver, silver_checked, checked)
    once = np.ones((1, len(silver)), dtype=np.int64)
    (rate,), resampled = _corrected(parts, once), _corrected(parts, weights)
    return float(rate), interval(resampled)


def _corrected(parts: tuple[np.ndarray, ...], weights: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        of_all, silver, checked = ((weights @ p)[:, 0] / (weights @ p)[:, 1] for p in parts)
    return np.clip(of_all + checked - silver, 0.0, 1.0)
