"""How much a loss would move with each head, by one gradient: head importance.

Put a gate of 1 on a head's output. With a[i, j] its weights and g[i, j] a loss's gradients by them,
the gradient by the gate is the sum over i and j of a[i, j] g[i, j], since the output is linear in
the weights. Its size, averaged over inputs, is the head's importance (Michel et al. 2019, section
4). It is the first term of what shutting the gate, to 0, costs; no more than that.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from bertattn.attention import Tokens
from bertattn.importance.objectives import Objective
from bertattn.importance.outcomes import prepared
from bertattn.measure import progress
from bertattn.model import backward
from bertattn.reducer import as_numpy

if TYPE_CHECKING:
    from bertattn.model import AttentionModel


def head_importance(
    inputs: Iterable[Tokens], model: "AttentionModel", objective: Objective
) -> Float[np.ndarray, "layer head"]:
    """The mean size of a loss's gradient by each head's gate.

    Args:
        inputs: Texts, document after document; of them the objective is asked as by
            ``outcomes.Loss``.
        model: The model.
        objective: What the gradients are of.

    Raises:
        ModelError: If the model has no gradients by its attention weights.
        ValueError: If there was no input that the objective could use.
    """
    total = np.zeros(model.shape)
    steps = prepared(list(inputs), objective, Counter())
    n_inputs = sum(len(step.inputs) for step in steps)
    if not n_inputs:
        raise ValueError(
            f"no text gave the objective {objective.name!r} an input; wanted two documents or more "
            "of two sentences or more"
        )

    def take(layer: int, weights: Any, gradients: Any) -> None:
        by_gate = as_numpy((weights * gradients).sum(axis=(-2, -1))).astype(np.float64)
        total[layer] += abs(by_gate).sum(axis=0) / objective.n_losses

    with progress(n_inputs) as bar:
        for step in steps:
            backward(model, step.inputs, step.losses, take)
            bar.update(len(step.inputs))
    return total / n_inputs
