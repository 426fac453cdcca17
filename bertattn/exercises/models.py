"""Exercises on several models and languages: notebook 11."""

import numpy as np

from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise

Count = int | np.ndarray  # keys are handed copies


def _pieces_per_word(unit_of: np.ndarray, n_words: Count) -> float:
    inside = unit_of[unit_of < n_words]
    return float(len(inside) / len(np.unique(inside))) if len(inside) else 0.0


def _at_depths(values: np.ndarray, n_layers: Count) -> np.ndarray:
    own, other = ((np.arange(n) + 0.5) / n for n in (len(values), int(n_layers)))
    return np.interp(other, own, values)


FUNCTIONS = {
    "depth of a layer": Exercise(
        lambda layers, n_layers: (layers - 0.5) / n_layers,
        inputs.layers_of_a_model,
        "a layer's middle, so that six layers and twelve cover the same way",
    ),
    "pieces per word": Exercise(
        _pieces_per_word,
        inputs.units_and_n_words,
        "special tokens are no words, and words without pieces are not counted",
    ),
    "at other depths": Exercise(
        _at_depths,
        inputs.layer_means,
        "now a model of twelve layers can be subtracted from one of six",
    ),
}
