"""What a probe predicts for sentences, and how much of it is right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import nn

from bertattn.probes.batches import Batches
from bertattn.probes.data import ProbeData, Words
from bertattn.probes.decoding import arborescence, edges, undirected
from bertattn.probes.training import masked

Edges = set[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Prediction:
    """The governors of one sentence's words, as candidates: 0 is ROOT, j + 1 is word j.

    Attributes:
        number: The sentence's number.
        chosen: Each word's most probable governor, whatever the others choose; None if the probe
            has no direction.
        tree: The most probable tree; None if the probe has no direction or no probabilities.
        edges: The tree without direction over words that are no punctuation; None as ``tree``.
    """

    number: int
    chosen: Int[np.ndarray, " word"] | None
    tree: Int[np.ndarray, " word"] | None = None
    edges: Edges | None = None


@dataclass(frozen=True, eq=False)
class Counts:
    """Right and all, by sentence.

    Attributes:
        right: Words with the right governor, chosen by itself.
        right_tree: With the right one in the most probable tree.
        total: Words asked: no punctuation, and neither it nor its governor without pieces.
        right_edges: Edges of the tree without direction that are right.
        total_edges: Arcs of the gold tree between words that are no punctuation.
    """

    right: Int[np.ndarray, " sentence"]
    right_tree: Int[np.ndarray, " sentence"]
    total: Int[np.ndarray, " sentence"]
    right_edges: Int[np.ndarray, " sentence"]
    total_edges: Int[np.ndarray, " sentence"]


@torch.no_grad()
def predict(
    probe: nn.Module, data: ProbeData, numbers: Sequence[int], **options: Any
) -> list[Prediction]:
    """A trained probe's predictions, in the order of ``numbers``.

    Args:
        probe: The probe.
        data: The sentences.
        numbers: Which of them.
        **options: As ``batches.Batches`` takes them.
    """
    probe.eval()
    found: dict[int, Prediction] = {}
    for batch in Batches(data, numbers, **options):
        logs = torch.log_softmax(masked(probe(batch), batch), dim=-1).cpu().double().numpy()
        for number, scores, n_words in zip(
            batch.numbers, logs, batch.lengths.tolist(), strict=True
        ):
            found[number] = decoded(data.words[number], number, scores[:n_words, : n_words + 1])
    return [found[number] for number in numbers]


def decoded(words: Words, number: int, scores: Float[np.ndarray, "word candidate"]) -> Prediction:
    """The prediction that log probabilities make."""
    between = -np.maximum(scores[:, 1:], scores[:, 1:].T)
    finite = between[np.isfinite(between)]
    far = (finite.max() if len(finite) else 0.0) + 1.0
    return Prediction(
        number,
        scores.argmax(axis=1),
        arborescence(scores),
        undirected(np.where(np.isfinite(between), between, far), words.in_edges),
    )


def count(
    data: ProbeData,
    predictions: Sequence[Prediction],
    targets: Sequence[np.ndarray] | None = None,
) -> Counts:
    """How many predictions are right.

    Args:
        data: The sentences.
        predictions: Of some of them.
        targets: What was to be predicted in place of the governors, for every sentence.
    """
    rows = [_counted(data, p, targets) for p in predictions]
    return Counts(*np.array(rows, dtype=np.int64).reshape(-1, 5).T)


def _counted(
    data: ProbeData, prediction: Prediction, targets: Sequence[np.ndarray] | None
) -> tuple[int, ...]:
    words = data.words[prediction.number]
    wanted = words.governors if targets is None else targets[prediction.number]
    scored = words.scored(wanted)
    right, right_tree = (
        0 if found is None else int((found == wanted)[scored].sum())
        for found in (prediction.chosen, prediction.tree)
    )
    kept = words.in_edges
    true = {(a, b) for a, b in edges(wanted) if kept[a] and kept[b]}
    right_edges = len(true & prediction.edges) if prediction.edges is not None else 0
    return right, right_tree, int(scored.sum()), right_edges, len(true)


def spread(data: ProbeData) -> Float[np.ndarray, "direction head"]:
    """How much each head's attention differs between the candidates of a word.

    The standard deviation over a word's candidates of its attention to them (dependent->governor)
    and of theirs to it, ROOT left out; the mean over words of the training part.
    """
    total, n_words = np.zeros((2, data.n_heads)), 0
    for batch in Batches(data, data.parts.train):
        among = batch.candidates[:, :, 1:, None].float()
        n = among.sum(dim=2)
        asked = (batch.governors >= 0) & (n[..., 0] > 1)
        for direction, maps in enumerate((batch.maps, batch.turned)):
            mean = (maps * among).sum(dim=2) / n.clamp(min=1)
            squares = ((maps - mean[:, :, None]) ** 2 * among).sum(dim=2) / n.clamp(min=1)
            total[direction] += squares.sqrt()[asked].sum(dim=0).double().cpu().numpy()
        n_words += int(asked.sum())
    return total / max(n_words, 1)
