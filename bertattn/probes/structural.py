"""The structural probe (Hewitt and Manning 2019): distances in a tree as distances of vectors.

A matrix B is trained so that the squared length of B (h_i - h_j) is the number of arcs between
words i and j in the tree, h being the words' hidden states in one layer. The tree without direction
that it predicts is the one with the smallest sum of distances.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import nn
from tqdm import tqdm

from bertattn.attention import Tokens
from bertattn.model import AttentionModel
from bertattn.model.states import word_states
from bertattn.probes.batches import groups
from bertattn.probes.data import ProbeData
from bertattn.probes.decoding import undirected
from bertattn.probes.predictions import Prediction, count
from bertattn.probes.threads import N_THREADS, passes, side_by_side
from bertattn.probes.training import TrainingError

RANK = 32
N_EPOCHS = 20
LEARNING_RATE = 0.0015

States = Sequence[np.ndarray]  # "state word dim", float16


@dataclass(frozen=True, eq=False)
class Structural:
    """A trained structural probe.

    Attributes:
        layer: The layer whose states it reads; 0 are the embeddings.
        matrix: B.
        dev_uuas: Right edges of the development part, of 1, for each layer that was tried.
    """

    layer: int
    matrix: Float[torch.Tensor, "dim rank"]
    dev_uuas: dict[int, float]


@dataclass(frozen=True, eq=False)
class _Batch:
    """Sentences padded at the end: states of all layers tried, and distances in the tree."""

    numbers: list[int]
    states: Float[torch.Tensor, "layer batch word dim"]
    wanted: Float[torch.Tensor, "batch word word"]
    share: Float[torch.Tensor, "batch word word"]


def states(model: AttentionModel, inputs: Sequence[Tokens]) -> list[np.ndarray]:
    """The hidden states of all inputs' words, in every layer, in the order of ``inputs``."""
    found: dict[int, np.ndarray] = {}
    for batch, of_words in passes(word_states, model, inputs):
        found |= {id(tokens): one for tokens, one in zip(batch, of_words, strict=True)}
    return [found[id(tokens)] for tokens in inputs]


def train_structural(
    data: ProbeData,
    hidden: States,
    layers: Sequence[int] | None = None,
    *,
    rank: int = RANK,
    n_epochs: int = N_EPOCHS,
    learning_rate: float = LEARNING_RATE,
    seed: int = 0,
) -> Structural:
    """Train a matrix for each layer; keep the one that does best on the development part.

    The loss of a sentence is the mean over pairs of words of how far off a distance is. Of a layer
    the epoch with the smallest loss in development is kept, of the layers the one with the most
    right edges there.

    Args:
        data: The sentences.
        hidden: Their words' states (``states``).
        layers: Which layers to try; 0 are the embeddings. Default: all.
        rank: Columns of B.
        n_epochs: Passes over the training part.
        learning_rate: Adam's.
        seed: Of B's first numbers and the order of batches.

    Raises:
        TrainingError: If the loss is no number.
        ValueError: If there is no epoch to train, or no sentence in development.
    """
    if n_epochs < 1 or not data.parts.dev:
        raise ValueError("wanted at least one epoch, and a sentence in the development part")
    layers = list(range(len(hidden[0])) if layers is None else layers)
    train, dev = (
        [_padded(data, hidden, layers, group) for group in groups(data, numbers)]
        for numbers in (data.parts.train, data.parts.dev)
    )
    generator = torch.Generator().manual_seed(seed)
    first = torch.rand(len(layers), hidden[0].shape[-1], rank, generator=generator)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(train)).tolist() for _ in range(n_epochs)]
    off = os.environ.get("BERTATTN_PROGRESS") == "0"
    some = [part for part in np.array_split(np.arange(len(layers)), N_THREADS) if len(part)]
    total = len(some) * n_epochs
    with tqdm(total=total, desc="structural", unit=" epochs", file=sys.stderr, disable=off) as bar:

        def trained(part: np.ndarray) -> torch.Tensor:
            learned, checked = (
                [replace(batch, states=batch.states[part[0] : part[-1] + 1]) for batch in batches]
                for batches in (train, dev)
            )
            matrices = nn.Parameter((first[part] - 0.5) / 10)
            return _trained(matrices, data, learned, checked, orders, learning_rate, bar)

        kept = torch.cat(side_by_side(trained, some))
    return _best(data, hidden, layers, kept)


def _trained(
    matrices: nn.Parameter,
    data: ProbeData,
    learned: list[_Batch],
    checked: list[_Batch],
    orders: list[list[int]],
    learning_rate: float,
    bar: tqdm,
) -> torch.Tensor:
    """Some layers' matrices, each as it was after its best epoch; layers share nothing."""
    optimizer = torch.optim.Adam([matrices], lr=learning_rate)
    kept, least = matrices.detach().clone(), torch.full((len(matrices),), torch.inf)
    for order in orders:
        for place in order:
            losses = _losses(matrices, learned[place])
            _check(losses, learned[place], data)
            optimizer.zero_grad()
            losses.mean(dim=1).sum().backward()
            optimizer.step()
        with torch.no_grad():
            now = torch.cat([_losses(matrices, batch) for batch in checked], dim=1).mean(dim=1)
            kept[now < least] = matrices.detach()[now < least]
            least = torch.minimum(now, least)
        bar.update()
    return kept


def _best(data: ProbeData, hidden: States, layers: list[int], kept: torch.Tensor) -> Structural:
    scores = {}
    for matrix, layer in zip(kept, layers, strict=True):
        counts = count(data, _predicted(matrix, data, hidden, layer, data.parts.dev))
        scores[layer] = float(counts.right_edges.sum() / max(1, counts.total_edges.sum()))
    best = max(layers, key=lambda layer: scores[layer])
    return Structural(best, kept[layers.index(best)], scores)


def _padded(data: ProbeData, hidden: States, layers: list[int], numbers: list[int]) -> _Batch:
    n_words = max(len(data.inputs[number].words) for number in numbers)
    shape = (len(numbers), n_words, n_words)
    states = np.zeros((len(layers), *shape[:2], hidden[0].shape[-1]), dtype=np.float32)
    wanted, share = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
    for place, number in enumerate(numbers):
        n = len(data.inputs[number].words)
        states[:, place, :n] = hidden[number][layers]
        wanted[place, :n, :n] = tree_distances(data.inputs[number])
        present = data.words[number].present
        share[place, :n, :n] = np.outer(present, present) / max(1, present.sum()) ** 2
    return _Batch(numbers, *(torch.from_numpy(a) for a in (states, wanted, share)))


def _losses(matrices: torch.Tensor, batch: _Batch) -> torch.Tensor:
    """The loss of every layer and sentence."""
    moved = batch.states.flatten(1, 2) @ matrices  # a product a layer, not one a sentence
    far = distances(moved.unflatten(1, batch.wanted.shape[:2]))
    return ((far - batch.wanted).abs() * batch.share).sum(dim=(2, 3))


def _check(losses: torch.Tensor, batch: _Batch, data: ProbeData) -> None:
    bad = ~torch.isfinite(losses).all(dim=0)
    if bad.any():
        name = data.sentence(batch.numbers[int(bad.nonzero()[0])]).id
        raise TrainingError(
            f"the structural probe's loss of sentence {name!r} is no number; are its hidden states "
            "numbers? If so, take a smaller learning rate"
        )


def distances(
    moved: Float[torch.Tensor, "*batch word rank"],
) -> Float[torch.Tensor, "*batch word word"]:
    """The squared length of the difference of every two words' vectors.

    Example:
        >>> distances(torch.tensor([[0.0, 0.0], [3.0, 4.0]])).tolist()
        [[0.0, 25.0], [25.0, 0.0]]
    """
    squares = (moved**2).sum(dim=-1)
    both = moved @ moved.transpose(-1, -2)
    return (squares[..., :, None] + squares[..., None, :] - 2 * both).clamp(min=0)


def tree_distances(tokens: Tokens) -> Float[np.ndarray, "word word"]:
    """How many arcs lie between two words of a sentence's tree.

    Words are placed from the root down; a word is one arc further from all that are placed than its
    governor is.
    """
    governors = tokens.source.governors
    found = np.zeros((len(governors), len(governors)), dtype=np.float32)
    placed: list[int] = []
    for word in from_the_root(governors):
        governor = governors[word]
        if governor is not None:
            found[word, placed] = found[governor, placed] + 1
            found[placed, word] = found[word, placed]
        placed.append(word)
    return found


def from_the_root(governors: Sequence[int | None]) -> list[int]:
    """Words in an order in which every governor comes before its dependents."""
    below: dict[int | None, list[int]] = {}
    for word, governor in enumerate(governors):
        below.setdefault(governor, []).append(word)
    order = list(below.get(None, []))
    for word in order:
        order.extend(below.get(word, []))
    return order


@torch.no_grad()
def predict_structural(
    probe: Structural, data: ProbeData, hidden: States, numbers: Sequence[int]
) -> list[Prediction]:
    """Trees without direction; a structural probe names no governors."""
    return _predicted(probe.matrix, data, hidden, probe.layer, numbers)


def _predicted(
    matrix: torch.Tensor, data: ProbeData, hidden: States, layer: int, numbers: Sequence[int]
) -> list[Prediction]:
    found = []
    for number in numbers:
        moved = torch.from_numpy(hidden[number][layer].astype(np.float32)) @ matrix
        tree = undirected(distances(moved).double().numpy(), data.words[number].in_edges)
        found.append(Prediction(number, None, None, tree))
    return found
