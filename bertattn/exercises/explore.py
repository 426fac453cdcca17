"""Exercises on search, surprise and change: notebook 08."""

import numpy as np

from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise
from bertattn.search import divergence_terms


def _change(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    return 1 - (before * after).sum(axis=1) / lengths


FUNCTIONS = {
    "largest of a stream": Exercise(
        lambda values, n: np.sort(values)[::-1][:n],
        inputs.stream,
        "n values and a next one are enough to hold, and a stream may be shorter than n",
        handed=lambda values, n: (iter(values.tolist()), n),
    ),
    "change": Exercise(
        _change,
        inputs.two_sets_of_vectors,
        "0 for a vector that only grows longer, 1 for one that turns at a right angle",
    ),
    "surprise": Exercise(
        lambda here, usual, n: n * divergence_terms(here, usual, smoothing=0.0).sum(),
        inputs.two_shares_and_length,
        "each part is weighted by what is, not by what usually is, and every row counts",
    ),
}
