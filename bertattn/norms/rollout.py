"""Attention rollout: maps multiplied through the layers (Abnar and Zuidema 2020).

A layer's token is taken to be made half of itself (the residual connection) and half of what its
heads attend to, on average: A' = (A + I) / 2. The product of these matrices, from the first layer
up, says of which input tokens a token of a layer would then be made. Rows sum to 1.
"""

from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_torch_array
from jaxtyping import Float, Shaped

from bertattn.reducer import Batch, Observer

RESIDUAL = 0.5


def rollout(
    weights: Float[np.ndarray, "layer head token token"], residual: float = RESIDUAL
) -> Float[np.ndarray, "layer token token"]:
    """Where each layer's tokens come from, among the tokens of the input.

    Args:
        weights: One input's maps.
        residual: The part of a token that is itself; the paper's is 1 / 2.

    Raises:
        ValueError: If the part is no share.

    Example:
        >>> swap = np.array([[[[0.0, 1.0], [1.0, 0.0]]]] * 2)  # each token looks at the other
        >>> rollout(swap)[1].tolist()  # by two layers half of it is itself again
        [[0.5, 0.5], [0.5, 0.5]]
    """
    layers: list[np.ndarray] = []
    for layer in weights:
        mixed = _with_residual(layer, _checked(residual))
        layers.append(mixed @ layers[-1] if layers else mixed)
    return np.stack(layers)


class Rollout:
    """An observer that shows others the rollout in place of the maps, as if of one head a layer.

    So all that can be counted of a map can be counted of a rollout: make reducers of ``n_layers``
    layers and one head.

    Args:
        *observers: What is shown the rollout.
        residual: The part of a token that is itself.

    Raises:
        ValueError: If the part is no share.
    """

    def __init__(self, *observers: Observer, residual: float = RESIDUAL) -> None:
        self._observers = observers
        self._residual = _checked(residual)
        self._product: Any = None

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Multiply one layer's maps on and show the product."""
        mixed = _with_residual(weights, self._residual)
        self._product = mixed if layer == 0 else mixed @ self._product
        for observer in self._observers:
            observer.update(layer, self._product[:, None], batch)


def _with_residual(weights: Any, residual: float) -> Any:
    """The mean over heads of "... head from to" weights, and the token itself."""
    xp = array_namespace(weights)
    n = weights.shape[-1]
    on_device = {"device": weights.device} if is_torch_array(weights) else {}
    itself = xp.eye(n, dtype=weights.dtype, **on_device)
    return (1 - residual) * xp.mean(weights, axis=-3) + residual * itself


def _checked(residual: float) -> float:
    if not 0 <= residual <= 1:
        raise ValueError(f"wanted a residual part from 0 to 1, got {residual}")
    return residual
