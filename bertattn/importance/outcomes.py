"""What is asked of a model before and after heads are taken away.

========= ==============================================================================
text      1 - cosine of the means of an input's final states before and after, mean over
          inputs: how far its vector moves
tokens    1 - cosine of each final state before and after, mean over tokens, then inputs
loss      an objective's loss of an input, or of a pair for the contrastive one, in nats
syntax    of the arcs of some relations, the share that each relation's own head finds, in
          the maps that the changed states make
probe     of all words, the share whose governor a probe finds that was trained on the maps of
          the whole model, in the maps that the changed states make
========= ==============================================================================

A head that is taken away still looks where it looked, so its own maps change only with what is
below it. All are kept as sums by document.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from bertattn.attention import Tokens
from bertattn.importance.objectives import Objective, Step
from bertattn.importance.pooled import Contrastive
from bertattn.importance.removal import change
from bertattn.pairs import Half
from bertattn.reducer import Batch
from bertattn.stats import N_GROUPS, group_of

Key = tuple[bytes, bytes]
States = Mapping[Key, torch.Tensor]
Sums = tuple[np.ndarray, np.ndarray]


def key_of(tokens: Tokens) -> Key:
    """What a model reads of an input."""
    return tokens.ids.tobytes(), tokens.type_ids.tobytes()


@runtime_checkable
class Watch(Protocol):
    """What is shown the maps of the texts while heads are taken away."""

    def see(self, number: int, layer: int, weights: torch.Tensor) -> None:
        """Take in one layer's maps of one batch of texts.

        Args:
            number: Of the batch.
            layer: The layer.
            weights: Its maps.
        """


@runtime_checkable
class Asked(Protocol):
    """What is asked of some texts."""

    @property
    def more(self) -> list[Tokens]:
        """Inputs that the model must read besides the texts."""

    def watch(self, first: int = 0, plain: Watch | None = None) -> Watch | None:
        """What must be shown the texts' maps, if anything.

        Args:
            first: The lowest layer that will be shown.
            plain: What was shown all layers of the model as it is, for those below.
        """

    def sums(self, states: States, plain: States, watched: Watch | None) -> Sums:
        """Sums and counts, "group number", from final states and from what was watched.

        Args:
            states: Of each input, "token dimension", heads taken away.
            plain: The same of the model as it is.
            watched: What ``watch`` gave, after the passes.
        """


@runtime_checkable
class Outcome(Protocol):
    """Something that is asked of a model.

    Attributes:
        names: What tables call its numbers.
        worse: 1 for each number of which more is worse, -1 for those of which less is.
        left_out: Counts of what could not be asked, in the last run.
    """

    names: tuple[str, ...]
    worse: tuple[int, ...]
    left_out: Counter[str]

    def asked(self, texts: list[Tokens], batches: list[Batch]) -> Asked:
        """The same of some texts, whole documents, which stand in these batches."""


# how far vectors move


class Change:
    """How far final states move."""

    names = ("text", "tokens")
    worse = (1, 1)

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()

    def asked(self, texts: list[Tokens], _: list[Batch]) -> "_Moves":
        """The same of some texts."""
        return _Moves(texts)


@dataclass(frozen=True, eq=False)
class _Moves:
    texts: list[Tokens]
    more: list[Tokens] = field(default_factory=list)

    def watch(self, first: int = 0, plain: Watch | None = None) -> None:
        """Nothing: maps are not asked."""

    def sums(self, states: States, plain: States, _: Watch | None) -> Sums:
        """How far each text's states moved."""
        before, after = (
            pad_sequence([of[key_of(t)] for t in self.texts], batch_first=True)
            for of in (plain, states)
        )
        lengths = torch.tensor([len(t) for t in self.texts])
        rows = torch.arange(before.shape[1]) < lengths[:, None]
        tokens, _, text = change(before, after, rows).T.numpy()
        return by_document(self.texts, np.stack([text, tokens], axis=1).clip(min=0.0))


def by_document(texts: Sequence[Tokens], values: np.ndarray) -> Sums:
    """Sums of "input number" values by group of documents, and how many inputs they are of."""
    groups = group_of(np.array([t.document for t in texts]))
    sums = np.zeros((N_GROUPS, values.shape[1]))
    np.add.at(sums, groups, values)
    counts = np.bincount(groups, minlength=N_GROUPS)
    return sums, np.broadcast_to(counts[:, None], sums.shape)


# a loss


class Loss:
    """An objective's loss.

    The contrastive one is given each document's sentences two by two, and pairs of other documents
    as contrasts; a pair's loss counts for its own document.

    Args:
        objective: What to ask.

    Raises:
        ValueError: If the objective has no loss of its own.
    """

    names = ("loss",)
    worse = (1,)

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.left_out: Counter[str] = Counter()
        self._lock = Lock()

    def asked(self, texts: list[Tokens], _: list[Batch]) -> "_Losses":
        """The same of some texts, whole documents."""
        steps = prepared(texts, self.objective, self.left_out)
        if any(step.each is None for step in steps):
            raise ValueError(
                f"{self.objective.name} have gradients, and no loss that is better or worse; "
                'wanted "masked LM" or "contrastive" as objective'
            )
        return _Losses(steps, self._lock)


def prepared(texts: Sequence[Tokens], objective: Objective, left_out: Counter[str]) -> list[Step]:
    """An objective's batches; what it cannot use is counted in ``left_out``."""
    given = neighbours(texts) if isinstance(objective, Contrastive) else list(texts)
    if n_single := len(texts) - len(given):
        left_out["sentences_without_a_partner"] += n_single
    return list(objective.steps(given, left_out))


def neighbours(texts: Sequence[Tokens]) -> list[Tokens]:
    """Each document's sentences two by two; the documents take turns, a pair of each a round.

    A document's last sentence is left out if it has no partner.
    """
    own: dict[int, list[Tokens]] = {}
    for tokens in texts:
        own.setdefault(tokens.document, []).append(tokens)
    longest = max(map(len, own.values()))
    rounds = [t[i : i + 2] for i in range(0, longest, 2) for t in own.values() if len(t) > i + 1]
    return [
        replace(tokens, source=Half(number, second=place == 1))
        for number, pair in enumerate(rounds)
        for place, tokens in enumerate(pair)
    ]


@dataclass(frozen=True, eq=False)
class _Losses:
    steps: list[Step]
    lock: Lock

    @property
    def more(self) -> list[Tokens]:
        """The inputs that the losses read."""
        return [tokens for step in self.steps for tokens in step.inputs]

    def watch(self, first: int = 0, plain: Watch | None = None) -> None:
        """Nothing: maps are not asked."""

    def sums(self, states: States, plain: States, _: Watch | None) -> Sums:
        """The loss of each input, or pair."""
        documents: list[int] = []
        found: list[float] = []
        for step in self.steps:
            hidden = pad_sequence([states[key_of(t)] for t in step.inputs], batch_first=True)
            assert step.each is not None, "refused before"
            with self.lock, torch.inference_mode():  # a head for masked pieces is one for all
                losses = step.each(hidden).tolist()
            found += losses
            documents += [t.document for t in step.inputs[:: len(step.inputs) // len(losses)]]
        groups = group_of(np.array(documents, dtype=np.int64))
        counts = np.bincount(groups, minlength=N_GROUPS)
        sums = np.bincount(groups, found, minlength=N_GROUPS).astype(np.float64)  # also of nothing
        return sums[:, None], counts[:, None]
