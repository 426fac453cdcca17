"""Exercises on gradients and no-ops: notebook 03."""

from typing import Any

import numpy as np

from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise


def _taken_away(weights: np.ndarray, column: Any) -> np.ndarray:
    others = weights.copy()
    others[:, column] = 0
    rest = others.sum(axis=1, keepdims=True)
    return np.where(rest > 0, others / np.where(rest > 0, rest, 1), weights)


FUNCTIONS = {
    "logit gradient": Exercise(
        lambda weights, gradients: (
            weights * (gradients - (weights * gradients).sum(axis=1, keepdims=True))
        ),
        inputs.map_and_gradients,
        "each row's sum to 0, since what one weight wins the others lose",
    ),
    "taken away": Exercise(
        _taken_away,
        inputs.map_and_column,
        "rows still sum to 1, and a row that looks at nothing else stays as it is",
    ),
    "moved": Exercise(
        lambda weights, values: weights * np.linalg.norm(values, axis=1),
        inputs.map_and_values,
        "a large weight on a small value moves little; a column has one value, so it is multiplied",
    ),
}
