"""Can a tree still be read off all heads when some are away? An outcome, see ``outcomes``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import nn

from bertattn.attention import Tokens
from bertattn.importance.outcomes import States, Sums, Watch
from bertattn.probes import Parts, ProbeData
from bertattn.probes.batches import Batches
from bertattn.probes.maps import MARKS, cut
from bertattn.probes.training import masked
from bertattn.reducer import Batch
from bertattn.stats import N_GROUPS, group_of
from bertattn.vectors import WordVectors
from bertattn.words import Members


class Probe:
    """Of the words that are asked, the share whose governor a trained probe finds.

    The probe is not trained anew: it was trained on the maps of the whole model, and reads those
    that are left. A head that is away still has its map, made of what is below it.

    Args:
        probe: A trained probe that reads every head's attention between words.
        vectors: Of the words, as it was trained with.
    """

    names = ("probe",)
    worse = (-1,)

    def __init__(self, probe: nn.Module, vectors: WordVectors) -> None:
        self.probe = probe.eval()
        self.vectors = vectors
        self.left_out: Counter[str] = Counter()

    def asked(self, texts: list[Tokens], batches: list[Batch]) -> "_Trees":
        """The same of some texts, which are parsed sentences."""
        inputs = [tokens for batch in batches for tokens in batch.tokens]
        parts = Parts([], [], list(range(len(inputs))))
        data = ProbeData.of(inputs, [], self.vectors, parts)
        members = [Members.of(batch, marks=MARKS) for batch in batches]
        return _Trees(self.probe, data, members)


@dataclass(frozen=True, eq=False)
class _Trees:
    """What all passes over the texts share; texts are numbered as they stand in their batches."""

    probe: nn.Module
    data: ProbeData
    members: Sequence[Members]
    more: list[Tokens] = field(default_factory=list)

    def watch(self, first: int = 0, plain: Watch | None = None) -> "_Between":
        """Maps between words; those of layers below the first are as they were."""
        below = plain.layers if isinstance(plain, _Between) else [[] for _ in self.members]
        return _Between(self.members, [layers[:first] for layers in below])

    @torch.no_grad()
    def sums(self, states: States, plain: States, watched: Watch | None) -> Sums:
        """Words whose governor is found, and words asked."""
        assert isinstance(watched, _Between), "made by watch"
        data = replace(self.data, maps=watched.maps([len(t.words) for t in self.data.inputs]))
        right, total = np.zeros((N_GROUPS, 1)), np.zeros((N_GROUPS, 1), dtype=np.int64)
        documents = group_of(np.array([tokens.document for tokens in data.inputs]))
        for batch in Batches(data, data.parts.test):
            found = masked(self.probe(batch), batch).argmax(dim=-1) == batch.governors
            own = documents[batch.numbers]
            np.add.at(right[:, 0], own, (found & batch.scored).sum(dim=1).numpy())
            np.add.at(total[:, 0], own, batch.scored.sum(dim=1).numpy())
        return right, total


@dataclass(frozen=True, eq=False)
class _Between:
    """Every layer's maps between words, batch by batch."""

    members: Sequence[Members]
    layers: list[list[np.ndarray]]

    def see(self, number: int, layer: int, weights: torch.Tensor) -> None:
        """Keep one layer's maps of one batch."""
        assert layer == len(self.layers[number]), "layers come in order, each once"
        self.layers[number].append(self.members[number].between_words(weights.cpu().numpy()))

    def maps(self, lengths: Sequence[int]) -> list[np.ndarray]:
        """Each sentence's, of so many words, "unit unit head"."""
        together = [np.concatenate(one, axis=1).transpose(0, 2, 3, 1) for one in self.layers]
        every = [maps for batch in together for maps in batch]
        return [cut(maps, n_words) for maps, n_words in zip(every, lengths, strict=True)]
