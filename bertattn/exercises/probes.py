"""Exercises on probes: notebook 07."""

import numpy as np

from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise


def _uas(governors: np.ndarray, guesses: np.ndarray, punctuation: np.ndarray) -> float:
    asked = ~punctuation
    return float((governors == guesses)[asked].mean()) if asked.any() else 0.0


def _pairs(governors: np.ndarray) -> set[frozenset[int]]:
    return {frozenset((word, int(g))) for word, g in enumerate(governors) if g >= 0}


def _uuas(governors: np.ndarray, guesses: np.ndarray) -> float:
    true = _pairs(governors)
    return len(true & _pairs(guesses)) / len(true) if true else 0.0


FUNCTIONS = {
    "probe scores": Exercise(
        lambda maps, w, u: np.einsum("k,kij->ij", w, maps) + np.einsum("k,kji->ij", u, maps),
        inputs.heads_and_weights,
        "row i, column j; u meets how much the candidate looks back at the word",
    ),
    "uas": Exercise(
        _uas,
        inputs.two_trees_and_marks,
        "punctuation is left out of both what is right and what is counted",
    ),
    "uuas": Exercise(
        _uuas,
        inputs.two_trees,
        "an arc that is turned around is still the same edge",
    ),
}
