"""Exercises on heads as parsers: notebook 05."""

import numpy as np

from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise

FUNCTIONS = {
    "offset baseline": Exercise(
        lambda governors, offset: (
            np.mean(
                governors[governors >= 0] == (np.arange(len(governors)) + offset)[governors >= 0]
            )
            if (governors >= 0).any()
            else 0.0
        ),
        inputs.tree,
        "a word's guess is its own place plus the offset, and the root is not asked",
    ),
    "best head": Exercise(
        lambda accuracy: np.array(np.unravel_index(accuracy.argmax(), accuracy.shape)),
        inputs.accuracies,
        "the largest entry's layer and head, counted from 0; add 1 to both for print",
    ),
    "swapped": Exercise(
        lambda guesses, governors, order: np.mean(guesses[order] == governors),
        inputs.guesses,
        "what a head finds with another sentence's map, it finds by position",
    ),
}
