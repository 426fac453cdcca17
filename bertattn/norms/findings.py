"""A finding measured twice on the same inputs, by weights and by norms: is it there both times?

A finding is a number and a bar. It *is there* if the whole interval of the number lies above the
bar. What is the best of many (heads, layers) is chosen on one half of the documents and scored on
the other, by weights and by norms apart; the same halves serve both, so that the change is paired.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int, Num

from bertattn import stats
from bertattn.heads import AttentionHead
from bertattn.stats import HeldOut

SURVIVES, LOST, UNCLEAR = "survives", "lost", "unclear"
ONLY, NEITHER, UNTOLD = "by norms only", "in neither", "no interval"
VERDICTS = (SURVIVES, UNCLEAR, LOST, ONLY, NEITHER, UNTOLD)

Counts = Num[np.ndarray, "group candidate"]
Named = Callable[[int], "AttentionHead | int"]


class Value(NamedTuple):
    """A number with its interval by documents; NaN where there is none."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Finding:
    """One finding, by weights and by norms.

    Attributes:
        name: What is found.
        source: The notebook that found it, such as "02".
        bar: What the number must lie above.
        unit: Of the number: "share" or "nats".
        weights: The number by weights.
        norms: The same by norms.
        change: Norms less weights, on the same documents.
        of_weights: The head, or the layer, that is chosen most often; None if none is chosen.
        of_norms: The same by norms.
    """

    name: str
    source: str
    bar: float
    unit: str
    weights: Value
    norms: Value
    change: Value
    of_weights: AttentionHead | int | None = None
    of_norms: AttentionHead | int | None = None

    @property
    def verdict(self) -> str:
        """One of ``VERDICTS``, see ``verdict``."""
        return verdict(self.weights, self.norms, self.bar)

    @property
    def turn(self) -> str:
        """Whether it is "less" or "more" by norms, the whole interval of the change says; or ""."""
        return "less" if self.change.high < 0 else "more" if self.change.low > 0 else ""


def verdict(weights: Value, norms: Value, bar: float) -> str:
    """What became of a finding, by where two intervals lie.

    ============= ====================================================================
    survives      by weights it is there, by norms too
    unclear       by weights it is there, by norms the interval holds the bar
    lost          by weights it is there, by norms the whole interval lies below the bar
    by norms only by norms it is there, by weights it is not
    in neither    by neither it is there
    no interval   there are too few documents to tell
    ============= ====================================================================

    Example:
        >>> verdict(Value(0.6, 0.55, 0.65), Value(0.4, 0.3, 0.49), bar=0.5)
        'lost'
    """
    if np.isnan([weights.low, norms.low]).any():
        return UNTOLD
    if weights.low <= bar:
        return ONLY if norms.low > bar else NEITHER
    if norms.low > bar:
        return SURVIVES
    return LOST if norms.high < bar else UNCLEAR


def of_chosen(
    name: str,
    source: str,
    right: tuple[Counts, Counts],
    total: Num[np.ndarray, "group one"],
    named: Named,
    *,
    rules: Num[np.ndarray, "group rule"] | None = None,
    bar: float = 0.0,
    unit: str = "share",
    seed: int = 0,
) -> Finding:
    """A finding about the best of many: chosen on half of the documents, scored on the others.

    Args:
        name: What is found.
        source: The notebook.
        right: Sums of each candidate, or right answers, by weights and by norms.
        total: How many that is of.
        named: What a candidate is: a head, or the number of a layer.
        rules: Sums of rules that see no attention, which are the same both ways; the number is
            then what the best candidate has over the best rule.
        bar: What the number must lie above.
        unit: Of the number.
        seed: Of the halves.
    """
    filled = np.flatnonzero(total[:, 0])
    by_weights, by_norms = (
        stats.held_out(sums[filled], total[filled], seed=seed) for sums in right
    )
    rule = None if rules is None else stats.held_out(rules[filled], total[filled], seed=seed)
    return Finding(
        name,
        source,
        bar,
        unit,
        _over(by_weights, rule),
        _over(by_norms, rule),
        _over(by_norms, by_weights),
        _winner(by_weights, named),
        _winner(by_norms, named),
    )


def _over(found: HeldOut, other: HeldOut | None) -> Value:
    """What was chosen and scored, less another such number on the same halves."""
    scores, resampled = found.scores, found.resampled
    if other is not None:
        scores, resampled = scores - other.scores, resampled - other.resampled
    return Value(stats.mean(scores), *stats.interval(resampled.ravel()))


def _winner(found: HeldOut, named: Named) -> AttentionHead | int | None:
    candidate, _ = found.most_chosen
    return named(candidate) if candidate >= 0 else None


def of_mean(
    name: str,
    source: str,
    sums: tuple[Float[np.ndarray, " group"], Float[np.ndarray, " group"]],
    counts: Int[np.ndarray, " group"],
    *,
    bar: float = 0.0,
    unit: str = "share",
) -> Finding:
    """A finding about a mean that nothing was chosen for; intervals by leaving out documents.

    Args:
        name: What is found.
        source: The notebook.
        sums: Sums by group of documents, by weights and by norms.
        counts: How many that is of.
        bar: What the mean must lie above.
        unit: Of the mean.
    """
    by_weights, by_norms = sums
    change = by_norms - by_weights
    one, other, less = (_mean(part, counts) for part in (by_weights, by_norms, change))
    return Finding(name, source, bar, unit, one, other, less)


def _mean(sums: np.ndarray, counts: np.ndarray) -> Value:
    return value_of(stats.mean_by_group(sums, counts))


def value_of(estimate: stats.Estimate, place: Any = ()) -> Value:
    """One number of an estimate."""
    ends = (estimate.mean, estimate.low, estimate.high)
    return Value(*(float(end[place]) for end in ends))
