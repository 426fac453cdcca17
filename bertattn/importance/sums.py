"""Mean gradients by kind of target: the sums of figure 3, a reducer.

For one input, layer and head, with weights a[i, j] of row i and gradients g[i, j] = dL / da[i, j]:

========= =========================================================================
gradient  mean of |g[i, j]| over the rows i that count and the columns j of a kind
logit     the same of |a[i, j] (g[i, j] - sum over k of a[i, k] g[i, k])|: the gradient
          by the logit that a softmax makes a[i, j] of, which keeps the row's sum at 1
weight    mean of a[i, j] itself
========= =========================================================================

then the mean over inputs, each counted once however long it is (its gradients may still be smaller,
where a loss is a mean over more tokens). All rows of an input count; in the last layer only those
do whose output the loss reads, since the others' gradient is 0 whatever they attend to. Pairs that
no head of the layer can see (a decoder's later tokens, what lies outside a window) are left out.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float, Int, Shaped

from bertattn.attention import Tokens
from bertattn.files import replacing
from bertattn.importance.objectives import Objective, Step
from bertattn.importance.targets import TARGETS, beside, by_group, member
from bertattn.measure import progress
from bertattn.model import backward
from bertattn.reducer import as_numpy, padded_to
from bertattn.stats import N_GROUPS, Estimate, mean_by_group

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

FORMS = ("gradient", "logit", "weight")
Maps = Shaped[Any, "batch head token token"]


@dataclass(frozen=True, eq=False)
class ImportanceResult:
    """Means over inputs, with intervals by document.

    Attributes:
        estimates: Of each of ``FORMS``, target, layer and head.
        counts: How many inputs have such a target, in each layer.
        n_inputs: How many inputs there were.
    """

    estimates: Estimate
    counts: Int[np.ndarray, "target layer"]
    n_inputs: int
    forms: tuple[str, ...] = FORMS
    targets: tuple[str, ...] = TARGETS

    def of(self, form: str, target: str) -> Float[np.ndarray, "layer head"]:
        """One form's means for one kind of target; NaN where no input has it."""
        return self.estimates.mean[self.forms.index(form), self.targets.index(target)]


@dataclass(eq=False)
class ImportanceSums:
    """Sums over inputs, by group of documents: a reducer of weights and their gradients.

    Attributes:
        sums: Of the inputs' means.
        counts: How many means that is, one for each input and loss.
        n_inputs: How many inputs were seen.
        n_losses: How many losses each input has.
        left_out: Counts of what the objective could not use.
    """

    sums: Float[np.ndarray, "group form target layer head"]
    counts: Int[np.ndarray, "group target layer"]
    n_inputs: int = 0
    n_losses: int = 1
    left_out: Counter[str] = field(default_factory=Counter)

    @classmethod
    def empty(cls, n_layers: int, n_heads: int, n_losses: int = 1) -> "ImportanceSums":
        """Nothing seen yet."""
        n_targets = len(TARGETS)
        return cls(
            np.zeros((N_GROUPS, len(FORMS), n_targets, n_layers, n_heads)),
            np.zeros((N_GROUPS, n_targets, n_layers), dtype=np.int64),
            n_losses=n_losses,
        )

    def update(self, layer: int, weights: Maps, gradients: Maps, step: Step) -> None:
        """Add one layer's weights and gradients of one step, by one loss."""
        last = layer == self.counts.shape[-1] - 1
        means, n_pairs = means_by_target(weights, gradients, step, last)
        sums, counts = by_group(step.inputs, means, n_pairs > 0)
        self.sums[:, :, :, layer] += sums.transpose(0, 2, 1, 3)
        self.counts[:, :, layer] += counts

    def __add__(self, other: "ImportanceSums") -> "ImportanceSums":
        if self.n_losses != other.n_losses:
            raise ValueError("sums of objectives with other numbers of losses cannot be added")
        return type(self)(
            self.sums + other.sums,
            self.counts + other.counts,
            self.n_inputs + other.n_inputs,
            self.n_losses,
            self.left_out + other.left_out,
        )

    def result(self) -> ImportanceResult:
        """Means and intervals.

        Raises:
            ValueError: If nothing was measured.
        """
        if not self.counts.any():
            raise ValueError("nothing was measured: the corpus gave the objective no input")
        counts = np.broadcast_to(self.counts[:, None, :, :, None], self.sums.shape)
        n = self.counts.sum(axis=0) // self.n_losses
        return ImportanceResult(mean_by_group(self.sums, counts), n, self.n_inputs)

    def save(self, path: Path) -> None:
        """Write the sums to an ``.npz`` file, whole or not at all."""
        with replacing(path) as file:
            np.savez(
                file,
                sums=self.sums,
                counts=self.counts,
                numbers=np.array([self.n_inputs, self.n_losses]),
                left_out=np.array([f"{k}={v}" for k, v in self.left_out.items()], dtype=str),
            )

    @classmethod
    def load(cls, path: Path) -> "ImportanceSums":
        """Read the sums back."""
        with np.load(path, allow_pickle=False) as stored:
            n_inputs, n_losses = stored["numbers"].tolist()
            pairs = (text.rpartition("=") for text in stored["left_out"].tolist())
            left_out = Counter({key: int(value) for key, _, value in pairs})
            return cls(stored["sums"], stored["counts"], n_inputs, n_losses, left_out)


def differentiate(
    inputs: Iterable[Tokens],
    model: "AttentionModel",
    objective: Objective,
    sums: ImportanceSums,
    total: int | None = None,
) -> int:
    """Run inputs forward and backward and add every layer's gradients up.

    Args:
        inputs: What the objective reads (``Objective.inputs`` makes such).
        model: The model.
        objective: What gradients are of.
        sums: Holds the sums afterwards, and what the objective could not use.
        total: How many inputs there will be, for the progress bar.

    Returns:
        The number of inputs.

    Raises:
        ModelError: If the model has no gradients by its attention weights.
        ValueError: If there was no input that the objective could use, or if the sums are of
            another number of losses.
    """
    if sums.n_losses != objective.n_losses:
        raise ValueError(
            f"{objective.name} has {objective.n_losses} losses, the sums are of {sums.n_losses}: "
            "ImportanceSums.empty(*model.shape, objective.n_losses)"
        )
    before = sums.n_inputs
    with progress(total) as bar:
        for step in objective.steps(inputs, sums.left_out):
            take = _adding(sums, step)
            backward(model, step.inputs, step.losses, take)
            sums.n_inputs += len(step.inputs)
            bar.update(len(step.inputs))
    if sums.n_inputs == before:
        raise ValueError(
            "the corpus gave no input that the objective can use; wanted longer articles (pairs "
            'are two sentences of one article), or OBJECTIVE="projections", which takes any text'
        )
    return sums.n_inputs - before


def _adding(sums: ImportanceSums, step: Step) -> Any:
    return lambda layer, weights, gradients: sums.update(layer, weights, gradients, step)


def means_by_target(
    weights: Maps, gradients: Maps, step: Step, last: bool
) -> tuple[Float[np.ndarray, "batch target form head"], Float[np.ndarray, "batch target"]]:
    """Each input's means of ``FORMS`` for each kind of target, and of how many pairs they are."""
    xp = array_namespace(weights)
    columns = member(step.targets, weights)
    rows = beside(_rows(step, weights.shape[-1], last), weights)
    visible = xp.astype(xp.any(weights > 0, axis=1), weights.dtype)
    n_pairs = as_numpy((rows[:, None] @ (visible @ columns))[:, 0])
    forms = (xp.abs(gradients), xp.abs(by_logit(weights, gradients)), weights)
    seen = visible[:, None] * rows[:, None, :, None]
    found = [as_numpy(xp.sum((f * seen) @ columns[:, None], axis=2)) for f in forms]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.stack(found, axis=1) / n_pairs[:, None, None]  # [batch, form, head, target]
    return means.transpose(0, 3, 1, 2), n_pairs


def _rows(step: Step, n_tokens: int, last: bool) -> np.ndarray:
    """1 for rows that count: all that are no padding, in the last layer those that are read."""
    counting = step.read if last else [np.ones(len(tokens), dtype=bool) for tokens in step.inputs]
    return padded_to(counting, n_tokens, 0).astype(np.float32)


def by_logit(
    weights: Shaped[Any, "*rows token"], gradients: Shaped[Any, "*rows token"]
) -> Shaped[Any, "*rows token"]:
    """Gradients by the logits whose softmax the weights are.

    Example:
        >>> by_logit(np.array([0.5, 0.5]), np.array([1.0, 3.0])).tolist()  # 0.5 times -1 and 1
        [-0.5, 0.5]
    """
    xp = array_namespace(weights)
    return weights * (gradients - xp.linalg.vecdot(weights, gradients)[..., None])
