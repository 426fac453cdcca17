"""How far the rows of a map lie apart: whether it matters from which token one looks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float, Int, Shaped

from bertattn.reducer import Batch, as_numpy
from bertattn.stats import N_GROUPS, Estimate, group_of, mean_by_group


def apart(
    weights: Shaped[Any, "batch head token token"], batch: Batch
) -> Shaped[Any, "batch head"]:
    """The part of a row that would have to be moved to make it the mean row of its input.

    Half of the sum over j of |a[i, j] - m[j]| with m the mean of the rows, mean over rows: 0 if all
    rows are the same, 1 - 1/n if each of n tokens looks at another one.

    Args:
        weights: Maps of a padded batch; rows of padding are ignored.
        batch: The batch.

    Example:
        >>> from bertattn.attention import Tokens
        >>> ids = np.arange(2)
        >>> batch = Batch.of([Tokens(("a", "b"), ids, ids, ids, ids * 0, ("a", "b"))])
        >>> apart(np.eye(2)[None, None], batch).item()  # 1 - 1 / 2
        0.5
    """
    xp = array_namespace(weights)
    rows = xp.astype(batch.kinds >= 0, weights.dtype)[:, None, :, None]
    n = xp.astype(batch.lengths, weights.dtype)[:, None, None, None]
    mean = xp.sum(weights * rows, axis=-2, keepdims=True) / n
    return xp.sum(xp.abs(weights - mean) * rows, axis=(-2, -1)) / (2 * n[..., 0, 0])


@dataclass(eq=False)
class ApartSums:
    """Sums over inputs of how far rows lie apart, by group of documents.

    Attributes:
        sums: Over inputs.
        counts: How many inputs.
    """

    sums: Float[np.ndarray, "group layer head"]
    counts: Int[np.ndarray, " group"]

    @classmethod
    def empty(cls, n_layers: int, n_heads: int) -> "ApartSums":
        """Nothing seen yet."""
        return cls(np.zeros((N_GROUPS, n_layers, n_heads)), np.zeros(N_GROUPS, dtype=np.int64))

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Add one layer's maps of one batch."""
        groups = group_of(batch.documents)
        np.add.at(self.sums[:, layer], groups, as_numpy(apart(weights, batch)).astype(np.float64))
        if layer == 0:
            np.add.at(self.counts, groups, 1)

    def result(self) -> Estimate:
        """Means, "layer head", and intervals.

        Raises:
            ValueError: If nothing was measured.
        """
        if not self.counts.any():
            raise ValueError("nothing was measured: the corpus gave no input to the model")
        counts = np.broadcast_to(self.counts[:, None, None], self.sums.shape)
        return mean_by_group(self.sums, counts)
