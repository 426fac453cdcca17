"""Objectives for models without a head for masked pieces; neither passes for the masked LM."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from bertattn.attention import Tokens
from bertattn.corpora import Article
from bertattn.importance.objectives import Each, Step, exact, in_sum
from bertattn.importance.targets import targets_of
from bertattn.measure import batches
from bertattn.model.gradients import Losses
from bertattn.pairs import Half, Pairs
from bertattn.segments import Sentences
from bertattn.tokens import Encoder


@dataclass(frozen=True)
class Contrastive:
    """Which sentence follows which: a loss on mean-pooled vectors, with negatives in the batch.

    Texts A[k] and B[k] are neighbours and are encoded apart; with c[k, l] the cosine of the means
    of their final states and t the temperature, the loss is the sum over k of the mean of -ln
    softmax over l of c[k, l] / t and over l of c[l, k] / t, at l = k. Sentence encoders are
    trained on losses of this kind; it is not the masked-LM loss.

    Attributes:
        temperature: Divides the cosines.
        n_pairs: Most pairs in a batch, each other pair's contrast; batches are as even as can be,
            since the loss grows with the number of contrasts. (Three pairs stay together where two
            are the most.)
    """

    temperature: float = 0.05
    n_pairs: int = 8
    name = "contrastive on adjacent text"
    n_losses = 1

    def __post_init__(self) -> None:
        if self.temperature <= 0 or self.n_pairs < 2:
            raise ValueError(
                "wanted a temperature over 0 and at least two pairs in a batch, got "
                f"{self.temperature} and {self.n_pairs}"
            )

    @property
    def options(self) -> dict[str, Any]:
        """Its name and settings."""
        settings = {"temperature": self.temperature, "pairs_in_batch": self.n_pairs}
        return {"objective": self.name, **settings}

    def inputs(self, articles: Iterable[Article], encoder: Encoder, n: int) -> Pairs:
        """Pairs of consecutive sentences."""
        return Pairs(articles, encoder, n=n)

    def steps(self, inputs: Iterable[Tokens], left_out: Counter[str]) -> Iterator[Step]:
        """Batches of pairs; if there is only one pair, it has nothing to be told from.

        Raises:
            ValueError: If the inputs are no pairs.
        """
        for batch in _even(list(inputs), self.n_pairs):
            _check_pairs(batch)
            if len(batch) == 2:
                left_out["inputs_without_a_contrast"] += 2
                continue
            read = [np.ones(len(tokens), dtype=bool) for tokens in batch]
            each = self._of_pairs(batch)
            targets = [targets_of(t) for t in batch]
            yield Step(batch, targets, read, in_sum(each), each)

    def _of_pairs(self, batch: list[Tokens]) -> Each:
        def each(hidden: torch.Tensor) -> torch.Tensor:
            pooled = (exact(hidden) * _shares(batch, hidden)[..., None]).sum(dim=1)
            vectors = functional.normalize(pooled, dim=-1)
            logits = vectors[0::2] @ vectors[1::2].T / self.temperature
            partners = torch.arange(len(logits), device=hidden.device)
            ways = (logits, logits.T)
            found = [functional.cross_entropy(way, partners, reduction="none") for way in ways]
            return torch.stack(found).mean(dim=0)

        return each


@dataclass(frozen=True)
class Projections:
    """Random directions of the final states: for any model, and of no meaning of their own.

    Each loss is the mean over an input's tokens of the product of the final state with a random
    vector, of normal numbers with variance 1 / dimension, another one at each position and the same
    for all inputs.

    Attributes:
        n: How many losses.
        seed: Of the directions.
    """

    n: int = 4
    seed: int = 0
    name = "random projections of the final states"

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"wanted at least one projection, got {self.n}")

    @property
    def n_losses(self) -> int:
        """One for each projection."""
        return self.n

    @property
    def options(self) -> dict[str, Any]:
        """Its name and settings."""
        return {"objective": self.name, "projections": self.n, "projection_seed": self.seed}

    def inputs(self, articles: Iterable[Article], encoder: Encoder, n: int) -> Sentences:
        """Single sentences, one in five of the text."""
        return Sentences(articles, encoder, n=n, every=5)

    def steps(self, inputs: Iterable[Tokens], left_out: Counter[str]) -> Iterator[Step]:
        """Batches by length."""
        for batch in batches(inputs):
            read = [np.ones(len(tokens), dtype=bool) for tokens in batch]
            yield Step(batch, [targets_of(t) for t in batch], read, self._losses(batch))

    def _losses(self, batch: list[Tokens]) -> Losses:
        def losses(hidden: torch.Tensor) -> list[torch.Tensor]:
            shared = exact(hidden) * _shares(batch, hidden)[..., None]
            return [(shared * self._direction(k, hidden)).sum() for k in range(self.n)]

        return losses

    def _direction(self, number: int, hidden: torch.Tensor) -> torch.Tensor:
        rng = np.random.default_rng([self.seed, number])
        n_tokens, n_dimensions = hidden.shape[1:]
        drawn = rng.standard_normal((n_tokens, n_dimensions)) / np.sqrt(n_dimensions)
        return torch.as_tensor(drawn).to(exact(hidden).dtype).to(hidden.device)


def _shares(batch: list[Tokens], hidden: torch.Tensor) -> torch.Tensor:
    """1 / n for each of an input's n tokens, 0 for padding."""
    lengths = torch.tensor([len(tokens) for tokens in batch], device=hidden.device)[:, None]
    inside = torch.arange(hidden.shape[1], device=hidden.device) < lengths
    return inside / lengths


def _even(inputs: list[Tokens], n_pairs: int) -> Iterator[list[Tokens]]:
    """Inputs two by two in as few batches as hold them, none over one pair larger than another."""
    total = (len(inputs) + 1) // 2
    n_batches = max(1, min(-(-total // n_pairs), total // 2))
    ends = [2 * (total * k // n_batches) for k in range(n_batches + 1)] if total else []
    for begin, end in pairwise(ends):
        yield inputs[begin:end]


def _check_pairs(batch: list[Tokens]) -> None:
    halves = [tokens.source for tokens in batch]
    begin = halves[0].pair if isinstance(halves[0], Half) else 0
    wanted = [Half(begin + i // 2, second=i % 2 == 1) for i in range(len(batch))]
    if halves != wanted or len(batch) % 2:
        raise ValueError("wanted pairs of consecutive texts (bertattn.pairs.Pairs), in their order")
