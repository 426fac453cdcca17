"""Training a probe: batches by length, Adam, the best epoch by the development part."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from bertattn.probes.batches import Batches, ProbeBatch
from bertattn.probes.data import NO_TARGET, ProbeData
from bertattn.probes.threads import side_by_side

N_EPOCHS = 8
SEEDING = Lock()  # torch has one stream of random numbers for all threads
Targets = Sequence[np.ndarray]


class TrainingError(RuntimeError):
    """A training that went wrong, and with which sentence."""


@dataclass(frozen=True)
class Epoch:
    """What one pass over the training part came to.

    Attributes:
        number: Counted from 1.
        loss: Mean over the words of the training part, in nats, while it was being learned.
        dev_uas: Right governors of the development part, of 1; NaN if it has no words to ask.
    """

    number: int
    loss: float
    dev_uas: float


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained probe, as it was after its best epoch.

    Attributes:
        probe: The probe.
        history: What every epoch came to.
        learning_rate: Adam's.
        seed: Of the probe's first weights and the order of batches.
    """

    probe: nn.Module
    history: tuple[Epoch, ...]
    learning_rate: float
    seed: int

    @property
    def best(self) -> Epoch:
        """The epoch that was kept: the first of those with the best score in development."""
        return self.history[int(np.argmax([epoch.dev_uas for epoch in self.history]))]


def train(
    make: Callable[[ProbeData], nn.Module],
    data: ProbeData,
    *,
    learning_rate: float,
    n_epochs: int = N_EPOCHS,
    seed: int = 0,
    targets: Targets | None = None,
    allow_self: bool = False,
    device: str = "cpu",
) -> Trained:
    """Train a probe on the training part; keep the epoch that does best on the development part.

    The test part is not touched. Words that cannot be asked have no loss.

    Args:
        make: The probe's class, or what makes one.
        data: The sentences.
        learning_rate: Adam's, the same all along.
        n_epochs: Passes over the training part.
        seed: Of the probe's first weights and of the order of batches.
        targets: What is to be predicted in place of the governors, see ``batches.Batches``.
        allow_self: Whether a word may be its own governor.
        device: Where the probe is trained.

    Raises:
        TrainingError: If the loss or a weight is no number; of a loss, names the sentence.
        ValueError: If there is no epoch to train, or nothing to ask in development.
    """
    if n_epochs < 1:
        raise ValueError(f"wanted at least one epoch, got {n_epochs}")
    with SEEDING, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        probe = make(data).to(device)
    options: dict[str, Any] = {"targets": targets, "allow_self": allow_self, "device": device}
    optimizer = torch.optim.Adam(probe.parameters(), lr=learning_rate)
    rng = np.random.default_rng(seed)
    learned = Batches(data, data.parts.train, rng=rng, **options)
    checked = Batches(data, data.parts.dev, **options)
    if not any(bool(batch.scored.any()) for batch in checked):
        raise ValueError(
            "the development part has no word to ask, so no epoch can be chosen by it; give more "
            "sentences, or parts of your own (probes.Parts)"
        )
    history: list[Epoch] = []
    kept, best = deepcopy(probe.state_dict()), -1.0
    for number in _epochs(n_epochs, type(probe).__name__, history):
        order = rng.permutation(len(learned)).tolist()
        loss = _one_epoch(probe, optimizer, data, (learned[i] for i in order), number)
        _check_weights(probe, number)
        history.append(Epoch(number, loss, accuracy(probe, checked)))
        if history[-1].dev_uas > best:
            kept, best = deepcopy(probe.state_dict()), history[-1].dev_uas
    probe.load_state_dict(kept)
    return Trained(probe.eval(), tuple(history), learning_rate, seed)


def search(
    make: Callable[[ProbeData], nn.Module],
    data: ProbeData,
    learning_rates: Sequence[float],
    **options: Any,
) -> Trained:
    """Train once with each learning rate; the best on the development part is kept.

    Of equally good ones it is the one that was named first.

    Args:
        make: The probe's class, or what makes one.
        data: The sentences.
        learning_rates: Those to try.
        **options: As ``train`` takes them.

    Raises:
        ValueError: If there is none to try.
    """
    if not learning_rates:
        raise ValueError("wanted learning rates to try, got none")

    def with_rate(rate: float) -> Trained:
        return train(make, data, learning_rate=rate, **options)

    tried = side_by_side(with_rate, learning_rates)
    return max(tried, key=lambda t: t.best.dev_uas)


def _one_epoch(
    probe: nn.Module,
    optimizer: torch.optim.Optimizer,
    data: ProbeData,
    learned: Iterable[ProbeBatch],
    number: int,
) -> float:
    """Mean loss of a word over the training part, which is learned on the way."""
    probe.train()
    total, n_words = 0.0, 0
    for batch in learned:
        losses = word_losses(probe(batch), batch)
        asked = int((batch.governors != NO_TARGET).sum())
        if not asked:
            continue
        _check(losses, batch, data, number)
        optimizer.zero_grad()
        (losses.sum() / asked).backward()
        optimizer.step()
        total, n_words = total + float(losses.detach().sum()), n_words + asked
    return total / n_words if n_words else np.nan


def word_losses(
    scores: Float[torch.Tensor, "batch word candidate"], batch: ProbeBatch
) -> Float[torch.Tensor, "batch word"]:
    """-ln p of each word's governor among its candidates, in nats; 0 where none is asked."""
    flat = masked(scores, batch).flatten(0, 1)
    losses = F.cross_entropy(
        flat, batch.governors.flatten(), ignore_index=NO_TARGET, reduction="none"
    )
    return losses.view(batch.governors.shape)


def masked(
    scores: Float[torch.Tensor, "batch word candidate"], batch: ProbeBatch
) -> Float[torch.Tensor, "batch word candidate"]:
    """Scores with what is no candidate at minus infinity."""
    return scores.masked_fill(~batch.candidates, -torch.inf)


@torch.no_grad()
def accuracy(probe: nn.Module, batches: Iterable[ProbeBatch]) -> float:
    """The share of words without punctuation whose governor, chosen by itself, is right."""
    probe.eval()
    right = total = 0
    for batch in batches:
        chosen = masked(probe(batch), batch).argmax(dim=-1)
        right += int(((chosen == batch.governors) & batch.scored).sum())
        total += int(batch.scored.sum())
    return right / total if total else np.nan


def _check(losses: torch.Tensor, batch: ProbeBatch, data: ProbeData, epoch: int) -> None:
    """Stop at a loss that is no number."""
    bad = ~torch.isfinite(losses).all(dim=1)
    if bad.any():
        number = batch.numbers[int(bad.nonzero()[0])]
        sentence = data.sentence(number)
        where = f" ({sentence.path}:{sentence.line})" if sentence.path else ""
        raise TrainingError(
            f"epoch {epoch}: the loss of sentence {sentence.id!r}{where} is "
            f"{losses[bad].sum().item()}; are its attention maps and word vectors numbers? "
            "If so, take a smaller learning rate"
        )


def _check_weights(probe: nn.Module, epoch: int) -> None:
    if not all(
        bool(torch.isfinite(p).all()) and float(p.detach().abs().max()) < 1e20
        for p in probe.parameters()
    ):
        raise TrainingError(
            f"epoch {epoch}: a weight of the probe is no number, or beyond all bounds; take a "
            "smaller learning rate"
        )


def _epochs(n_epochs: int, name: str, history: list[Epoch]) -> Iterator[int]:
    off = os.environ.get("BERTATTN_PROGRESS") == "0"
    with tqdm(total=n_epochs, desc=name, unit=" epochs", file=sys.stderr, disable=off) as bar:
        for number in range(1, n_epochs + 1):
            yield number
            last = history[-1]
            bar.set_postfix(loss=f"{last.loss:.3f}", dev_uas=f"{last.dev_uas:.3f}")
            bar.update()
