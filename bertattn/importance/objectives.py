"""What gradients are of: the paper's masked LM, and others for models that have no head for it.

Levels of different objectives, or of one with other options, cannot be compared; kinds of target
within a layer can.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Int

from bertattn.attention import Tokens
from bertattn.corpora import Article
from bertattn.model.gradients import Losses
from bertattn.tokens import Encoder

Each = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True, eq=False)
class Step:
    """Inputs that go through a model together, and the losses of their final hidden states.

    Attributes:
        inputs: What the model reads.
        targets: Which of ``TARGETS`` each token is.
        read: Which positions' final states the losses read.
        losses: Makes the losses.
        each: Makes the loss of each input, or of each pair, of which the losses are sums; None
            where there is none to speak of.
    """

    inputs: list[Tokens]
    targets: list[Int[np.ndarray, " _"]]
    read: list[Bool[np.ndarray, " _"]]
    losses: Losses
    each: Each | None = None


@runtime_checkable
class Objective(Protocol):
    """What gradients are of.

    Attributes:
        name: What tables and pictures call it.
        n_losses: How many losses each input has; their gradients' sizes are averaged.
    """

    name: str
    n_losses: int

    @property
    def options(self) -> dict[str, Any]:
        """Its name and settings, for a manifest."""

    def inputs(self, articles: Iterable[Article], encoder: Encoder, n: int) -> Any:
        """A corpus as ``n`` inputs of the kind that it reads (pairs count as one)."""

    def steps(self, inputs: Iterable[Tokens], left_out: Counter[str]) -> Iterator[Step]:
        """Batches with their losses; what it cannot use is counted in ``left_out``."""


def exact(states: torch.Tensor) -> torch.Tensor:
    """States of fewer bits as float32: losses are computed in no less."""
    return states.to(torch.promote_types(states.dtype, torch.float32))


def in_sum(each: Each) -> Losses:
    """One loss: the sum of each input's."""
    return lambda hidden: [each(hidden).sum()]
