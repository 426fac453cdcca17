"""Honest numbers: intervals by document, choices that are part of the procedure, nulls."""

from bertattn.stats.differences import (
    Chosen,
    Difference,
    best_differ,
    holm_of_known,
    rates_differ,
)
from bertattn.stats.means import N_GROUPS, Estimate, group_of, mean_by_group
from bertattn.stats.rates import corrected_rate, holm, wilson
from bertattn.stats.selection import (
    N_RESAMPLES,
    HeldOut,
    Interval,
    best,
    held_out,
    interval,
    mean,
    resamples,
    scores_of_best,
)

__all__ = [
    "N_GROUPS",
    "N_RESAMPLES",
    "Chosen",
    "Difference",
    "Estimate",
    "HeldOut",
    "Interval",
    "best",
    "best_differ",
    "corrected_rate",
    "group_of",
    "held_out",
    "holm",
    "holm_of_known",
    "interval",
    "mean",
    "mean_by_group",
    "rates_differ",
    "resamples",
    "scores_of_best",
    "wilson",
]
