"""What attention moves: weights times the size of value vectors, by kind of target.

For one input, layer and head, with weights a[i, j] and value vectors v[j]:

=========== ==================================================================================
share       attention to a kind of token, mean over rows
moved_share sum over the kind's j of a[i, j] |v[j]|, as a part of the sum over all j; mean over
            rows
value_norm  mean of |v[j]| over the kind's tokens, as a part of the mean over all tokens
=========== ==================================================================================

then the mean over inputs. A sink that takes much attention and moves little has value vectors
near 0 (Kobayashi et al. 2020). The value is the head's own; what the layer's output matrix makes of
it is not in these numbers, but is in those of ``model.NormModel`` and of ``ablation``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float, Int, Shaped

from bertattn.attention import Tokens
from bertattn.files import replacing
from bertattn.importance.targets import TARGETS, by_group, member, targets_of
from bertattn.measure import batches, progress
from bertattn.model import Interventions
from bertattn.model.capture import in_full
from bertattn.reducer import as_numpy
from bertattn.stats import N_GROUPS, Estimate, mean_by_group

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

MOVED = ("share", "moved_share", "value_norm")


@dataclass(eq=False)
class MovedSums:
    """Sums over inputs, by group of documents: a reducer of weights and values.

    Attributes:
        sums: Of the inputs' numbers of ``MOVED``.
        counts: How many inputs have such a target.
        n_inputs: How many inputs were seen.
    """

    sums: Float[np.ndarray, "group measure target layer head"]
    counts: Int[np.ndarray, "group target"]
    n_inputs: int = 0
    measures: tuple[str, ...] = MOVED
    targets: tuple[str, ...] = TARGETS

    @classmethod
    def empty(cls, n_layers: int, n_heads: int) -> "MovedSums":
        """Nothing seen yet."""
        shape = (N_GROUPS, len(MOVED), len(TARGETS), n_layers, n_heads)
        return cls(np.zeros(shape), np.zeros((N_GROUPS, len(TARGETS)), dtype=np.int64))

    def update(
        self,
        layer: int,
        weights: Shaped[Any, "batch head token token"],
        values: Shaped[Any, "batch head token dimension"],
        inputs: list[Tokens],
    ) -> None:
        """Add one layer's weights and values of one batch."""
        found, n_tokens = moved_by_target(weights, values, inputs)
        sums, counts = by_group(inputs, found, n_tokens > 0)
        self.sums[:, :, :, layer] += sums.transpose(0, 2, 1, 3)
        if layer == 0:
            self.counts += counts
            self.n_inputs += len(inputs)

    def __add__(self, other: "MovedSums") -> "MovedSums":
        return type(self)(
            self.sums + other.sums, self.counts + other.counts, self.n_inputs + other.n_inputs
        )

    def result(self) -> Estimate:
        """Means, "measure target layer head", and intervals.

        Raises:
            ValueError: If nothing was measured.
        """
        if not self.n_inputs:
            raise ValueError("nothing was measured: the corpus gave no input to the model")
        counts = np.broadcast_to(self.counts[:, None, :, None, None], self.sums.shape)
        return mean_by_group(self.sums, counts)

    def save(self, path: Path) -> None:
        """Write the sums to an ``.npz`` file, whole or not at all."""
        with replacing(path) as file:
            np.savez(file, sums=self.sums, counts=self.counts, n_inputs=self.n_inputs)

    @classmethod
    def load(cls, path: Path) -> "MovedSums":
        """Read the sums back."""
        with np.load(path, allow_pickle=False) as stored:
            return cls(stored["sums"], stored["counts"], int(stored["n_inputs"]))


def move(
    inputs: Iterable[Tokens], model: "AttentionModel", sums: MovedSums, total: int | None = None
) -> int:
    """Run inputs and add up what attention moves in every layer.

    Returns:
        The number of inputs.

    Raises:
        ModelError: If the model's values cannot be read.
        ValueError: If there was no input.
    """
    opened, before = Interventions(model), sums.n_inputs
    with progress(total) as bar:
        for batch in batches(inputs):
            opened.hidden(batch, _adding(sums, model, batch))
            bar.update(len(batch))
    if sums.n_inputs == before:
        raise ValueError("the corpus gave no input; is it empty, or is every sentence too long?")
    return sums.n_inputs - before


def _adding(sums: MovedSums, model: "AttentionModel", batch: list[Tokens]) -> Any:
    def add(layer: int, weights: Any, values: Any) -> None:
        sums.update(layer, model.shown(in_full(weights)), model.shown(values.float()), batch)

    return add


def moved_by_target(
    weights: Any, values: Any, inputs: list[Tokens]
) -> tuple[Float[np.ndarray, "batch target measure head"], Int[np.ndarray, "batch target"]]:
    """Each input's numbers of ``MOVED`` for each kind of target, and how many tokens are such."""
    xp = array_namespace(weights)
    columns = member([targets_of(tokens) for tokens in inputs], weights)
    rows = xp.sum(columns, axis=-1)  # 1 for all that is no padding
    n_rows = xp.sum(rows, axis=-1)[:, None, None]
    n_tokens = xp.sum(columns, axis=1)[:, None]
    norms = xp.linalg.vector_norm(values, axis=-1)
    moved = weights * norms[:, :, None, :]
    part = (moved @ columns[:, None]) / xp.sum(moved, axis=-1)[..., None]
    share = xp.sum((weights @ columns[:, None]) * rows[:, None, :, None], axis=2) / n_rows
    moved_share = xp.sum(part * rows[:, None, :, None], axis=2) / n_rows
    usual = xp.sum(norms * rows[:, None], axis=-1)[..., None] / n_rows
    of_kind = (norms @ columns) / xp.where(n_tokens > 0, n_tokens, 1.0)
    found = xp.stack([share, moved_share, of_kind / usual], axis=1)
    counted = as_numpy(n_tokens[:, 0]).astype(np.int64)
    return as_numpy(found).transpose(0, 3, 1, 2), counted
