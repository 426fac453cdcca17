"""Exercises on antecedents: notebook 06."""

import numpy as np

from bertattn.exercises import inputs
from bertattn.exercises.verdicts import Exercise


def _nearest_mention(entities: np.ndarray) -> float:
    asked = [i for i in range(len(entities)) if entities[i] in entities[:i]]
    return float(np.mean([entities[i] == entities[i - 1] for i in asked]))


FUNCTIONS = {
    "nearest mention": Exercise(
        _nearest_mention,
        inputs.entities,
        "only mentions with an antecedent are asked, and only the one just before is looked at",
    ),
    "better on names": Exercise(
        lambda on_names, on_all: np.array(
            np.unravel_index((on_names - on_all).argmax(), on_all.shape)
        ),
        inputs.two_tables,
        "a head that is good at everything is no head for names",
    ),
}
