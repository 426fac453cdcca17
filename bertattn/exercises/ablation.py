"""Exercises on heads taken away: notebook 10."""

from typing import Any

import numpy as np

from bertattn.exercises.inputs import attention
from bertattn.exercises.verdicts import Exercise


def _knocked_out(outputs: np.ndarray, index: Any, mean: np.ndarray) -> np.ndarray:
    changed = outputs.copy()
    changed[:, index] = mean
    return changed


def _outputs(rng: np.random.Generator) -> tuple:
    """The outputs of some heads, "token head dimension", one of them, and its mean elsewhere."""
    outputs = rng.standard_normal((int(rng.integers(2, 6)), int(rng.integers(2, 5)), 3))
    return outputs, int(rng.integers(outputs.shape[1])), rng.standard_normal(3)


def _maps_and_gradients(rng: np.random.Generator) -> tuple:
    """The maps of some heads of one input, and a loss's gradients by their weights."""
    n_tokens = int(rng.integers(3, 7))
    maps = np.stack([attention(rng, n_tokens) for _ in range(int(rng.integers(2, 5)))])
    return maps, rng.standard_normal(maps.shape)


def _costs(rng: np.random.Generator) -> tuple:
    """What the removal of random heads costs, draw by draw, and that of chosen ones; some equal."""
    draws = rng.integers(0, 10, int(rng.integers(4, 12))) / 10
    return draws, float(rng.integers(0, 10) / 10)


FUNCTIONS = {
    "knock out": Exercise(
        _knocked_out,
        _outputs,
        "every token gets the same from the head, and so it says nothing of this text",
    ),
    "gate": Exercise(
        lambda weights, gradients: abs((weights * gradients).sum(axis=(1, 2))),
        _maps_and_gradients,
        "a sum first and its size then: what goes up in one row may go down in another",
    ),
    "as much": Exercise(
        lambda draws, cost: (1 + (draws >= cost).sum()) / (1 + len(draws)),
        _costs,
        "the choice itself counts as a draw, so that no finite number of draws gives 0",
    ),
}
