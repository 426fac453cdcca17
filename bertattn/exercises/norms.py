"""Exercises on norms and rollout: notebook 09."""

import numpy as np

from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise


def _norm_shares(weights: np.ndarray, values: np.ndarray, output: np.ndarray) -> np.ndarray:
    lengths = weights * np.linalg.norm(values @ output, axis=1)
    return lengths / lengths.sum(axis=1, keepdims=True)


def _rolled(maps: np.ndarray) -> np.ndarray:
    product = np.eye(maps.shape[-1])
    for weights in maps:
        product = (weights + np.eye(len(weights))) / 2 @ product
    return product


FUNCTIONS = {
    "norm shares": Exercise(
        _norm_shares,
        inputs.map_values_and_output,
        "what counts is how long f(x) is; then rows are divided by their sums again",
    ),
    "rollout": Exercise(
        _rolled,
        inputs.maps_of_layers,
        "the later layer's matrix stands on the left: it looks at what the others have made",
    ),
    "rows apart": Exercise(
        lambda weights: abs(weights - weights.mean(axis=0)).sum(axis=1).mean() / 2,
        inputs.one_map,
        "0 where all rows are alike, so that it does not matter from which token one looks",
    ),
}
