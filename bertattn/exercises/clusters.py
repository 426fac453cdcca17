"""Exercises on heads that attend alike: notebook 04."""

import numpy as np

from bertattn import clusters
from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise


def _within_minus_between(distances: np.ndarray, layers: np.ndarray) -> float:
    values = clusters.pairs(distances)
    same = clusters.pairs(np.equal.outer(layers, layers))
    return float(values[same].mean() - values[~same].mean())


FUNCTIONS = {
    "divergence": Exercise(
        clusters.divergence,
        inputs.two_rows,
        "0 for two rows that are the same, ln 2 for two that share no token",
    ),
    "within less between": Exercise(
        _within_minus_between,
        inputs.distances_and_layers,
        "each pair once, and no head with itself: the diagonal of 0s belongs to neither mean",
    ),
    "nearest head": Exercise(
        lambda distances, place: np.where(
            np.arange(len(distances)) == place, np.inf, distances[place]
        ).argmin(),
        inputs.distances_and_place,
        "the nearest to a head is the head itself, until it is left out",
    ),
}
