"""Sums of section 3's measures over a stream of maps, and the averages they make."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float, Int, Shaped

from bertattn.attention import AttentionMap
from bertattn.files import replacing
from bertattn.heads import AttentionHead
from bertattn.reducer import Batch, as_numpy
from bertattn.stats import N_GROUPS, Estimate, group_of, mean_by_group
from bertattn.surface.measures import MEASURES, averages, defined


@dataclass(frozen=True, eq=False)
class SurfaceResult:
    """Averages over inputs, with intervals by document.

    Attributes:
        estimates: Of each measure and head.
        uniform: What each measure would be if heads attended alike to all tokens they may see.
        counts: How many inputs have the measure.
    """

    estimates: Estimate
    uniform: Float[np.ndarray, " measure"]
    counts: Int[np.ndarray, " measure"]

    def __getitem__(self, measure: str) -> Float[np.ndarray, "layer head"]:
        """One measure's averages; NaN where no input has it."""
        return self.estimates.mean[MEASURES.index(measure)]

    def uniform_of(self, measure: str) -> float:
        """What attending to everything alike would give."""
        return float(self.uniform[MEASURES.index(measure)])


@dataclass(eq=False)
class SurfaceSums:
    """Sums of all surface measures over a stream of maps: a reducer.

    Attributes:
        sums: Over inputs, by group of documents.
        uniform: The same sums for uniform attention.
        counts: How many inputs of each group have the measure.
    """

    sums: Float[np.ndarray, "group measure layer head"]
    uniform: Float[np.ndarray, "group measure"]
    counts: Int[np.ndarray, "group measure"]

    @classmethod
    def empty(cls, n_layers: int, n_heads: int) -> "SurfaceSums":
        """Nothing seen yet."""
        n_measures = len(MEASURES)
        return cls(
            np.zeros((N_GROUPS, n_measures, n_layers, n_heads)),
            np.zeros((N_GROUPS, n_measures)),
            np.zeros((N_GROUPS, n_measures), dtype=np.int64),
        )

    def update(
        self, layer: int, weights: Shaped[Any, "batch head token token"], batch: Batch
    ) -> None:
        """Add one layer's maps of one batch."""
        group = np.equal.outer(np.arange(N_GROUPS), group_of(batch.documents))
        self.sums[:, :, layer] += _by_group(group, averages(weights, batch))
        if layer == 0:
            self.uniform += _by_group(group, averages(_uniform(weights, batch), batch))[..., 0]
            self.counts += group.astype(np.int64) @ defined(batch).T

    def fresh(self) -> "SurfaceSums":
        """An empty one with the same options."""
        return self.empty(*self.sums.shape[-2:])

    def __add__(self, other: "SurfaceSums") -> "SurfaceSums":
        return type(self)(
            self.sums + other.sums, self.uniform + other.uniform, self.counts + other.counts
        )

    def result(self) -> SurfaceResult:
        """Averages and intervals.

        Raises:
            ValueError: If nothing was measured.
        """
        counts = self.counts.sum(axis=0)
        if not counts.any():
            raise ValueError("nothing was measured: the corpus gave no input to the model")
        per_head = np.broadcast_to(self.counts[:, :, None, None], self.sums.shape)
        with np.errstate(invalid="ignore"):
            uniform = self.uniform.sum(axis=0) / counts
        return SurfaceResult(mean_by_group(self.sums, per_head), uniform, counts)

    def save(self, path: Path) -> None:
        """Write the sums to an ``.npz`` file, whole or not at all."""
        with replacing(path) as file:
            np.savez(file, sums=self.sums, uniform=self.uniform, counts=self.counts)

    @classmethod
    def load(cls, path: Path) -> "SurfaceSums":
        """Read the sums back."""
        with np.load(path, allow_pickle=False) as stored:
            return cls(stored["sums"], stored["uniform"], stored["counts"])


def _by_group(group: np.ndarray, values: Any) -> Float[np.ndarray, "group measure head"]:
    """Sums of "measure batch head" values over the inputs of each group."""
    values = as_numpy(values).astype(np.float64)
    return np.tensordot(group.astype(np.float64), values, axes=(1, 1))


def _uniform(weights: Any, batch: Batch) -> Any:
    """Maps that attend alike to every token that a position may see."""
    xp = array_namespace(weights)
    n_inputs, _, n_tokens, _ = weights.shape
    seen = xp.astype(batch.kinds >= 0, weights.dtype)[:, None, None, :]
    seen = xp.broadcast_to(seen, (n_inputs, 1, n_tokens, n_tokens))
    if batch.causal:
        seen = xp.tril(seen)
    return seen / xp.sum(seen, axis=-1)[..., None]


def of_map(attention: AttentionMap) -> dict[str, Float[np.ndarray, "layer head"]]:
    """All measures of a single map, by name."""
    n_layers, n_heads = attention.weights.shape[:2]
    sums = SurfaceSums.empty(n_layers, n_heads)
    batch = Batch.of([attention.tokens])
    for layer, weights in enumerate(attention.weights):
        sums.update(layer, weights[None], batch)
    result = sums.result()
    return {name: result[name] for name in MEASURES}


def by_breadth(attention: AttentionMap) -> list[AttentionHead]:
    """The heads of one map, from the narrowest to the broadest.

    Narrow is a head whose rows have large largest weights, on average.
    """
    n_heads = attention.weights.shape[1]
    largest = attention.weights.max(axis=-1).mean(axis=-1)
    order = np.argsort(-largest, axis=None, kind="stable")
    return [AttentionHead(*divmod(int(i), n_heads)) for i in order]
