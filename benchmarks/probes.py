"""What training a probe costs beside one sentence a step, and how well the probes do on more text.

The slow way is the formula as it is printed: for every pair of words their two vectors one after
the other, a weight for each head from them, one sentence a step.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from benchmarks.timing import Line, medians
from bertattn import corpora, probes, vectors
from bertattn.model import AttentionModel, load, random_init
from bertattn.probes import Parts, ProbeData
from bertattn.probes.batches import Batches
from bertattn.probes.training import accuracy, word_losses
from bertattn.segments import Trees

N_TRAIN, N_DEV, N_TEST = 2000, 600, 1000
SEEDS = range(3)
RATE = 0.002  # of the slow way, as in the paper


class Scores(NamedTuple):
    """UAS of one probe with each seed."""

    probe: str
    uas: list[float]


def lines(rounds: int = 5) -> list[Line]:
    """An epoch of attention and words on the sample, and what eight of them come to."""
    with _cache():
        data = _sample(load("minilm"))
        batched, single = probes.AttentionAndWords(data), Printed(data)
        learned = Batches(data, data.parts.train, rng=np.random.default_rng(0))
        costs = medians(
            {
                "batched": lambda: _epoch(batched, learned, 0.01),
                "single": lambda: _epoch_of_single(single, data, RATE),
            },
            rounds,
        )
        reached = _reached(data)
    ratio = costs["single"] / costs["batched"]
    return [
        Line("the sample: one sentence a step, formula as printed / batches", ratio, "at least 8"),
        Line("the same, UAS after 8 epochs: one sentence a step", reached["single"], ""),
        Line("the same, UAS after 8 epochs: batches", reached["batched"], "not less"),
    ]


def scores() -> list[Scores]:
    """UAS on silver trees of WikiText-2, where ``BERTATTN_TEST_DATA`` has its sentences."""
    folder = os.environ.get("BERTATTN_TEST_DATA")
    path = Path(folder or "") / "wiki" / "wikitext2_valid_sentences.txt"
    if not folder or not path.exists():
        return []
    with _cache():
        model = load("minilm")
        n_sentences = N_TRAIN + N_DEV + N_TEST
        inputs = list(Trees(corpora.treebank(path, skip=True), model.encoder, n=n_sentences))
        order = np.random.default_rng(0).permutation(n_sentences)
        parts = Parts(*(x.tolist() for x in np.split(order, [N_TRAIN, N_TRAIN + N_DEV])))
        maps = probes.word_maps(model, inputs)
        return list(_scored(ProbeData.of(inputs, maps, vectors.load(), parts)))


def _scored(data: ProbeData) -> Iterator[Scores]:
    kinds = {
        "attention and words": probes.AttentionAndWords,
        "words and distances": probes.WordsAndDistances,
        "attention only": probes.AttentionOnly,
    }
    for name, make in kinds.items():
        result = probes.evaluated(name, make, data, seeds=SEEDS, n_epochs=10)
        yield Scores(name, [_uas(run) for run in result.runs])
    yield Scores("right-branching", [_uas(probes.baselines(data)[0].runs[0])])
    models = [random_init("minilm", seed=seed) for seed in SEEDS]
    at_random = probes.random_init(models, data, n_epochs=10)
    yield Scores(at_random.name, [_uas(run) for run in at_random.runs])


def _uas(run: probes.Run) -> float:
    return float(run.counts.right.sum() / run.counts.total.sum())


@contextmanager
def _cache() -> Iterator[None]:
    """A cache of maps for this run alone, without progress bars."""
    before = {name: os.environ.get(name) for name in ("BERTATTN_CACHE", "BERTATTN_PROGRESS")}
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"BERTATTN_CACHE": folder, "BERTATTN_PROGRESS": "0"}
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


def _sample(model: AttentionModel) -> ProbeData:
    inputs = list(Trees(corpora.treebank("sample"), model.encoder))
    return ProbeData.of(
        inputs, probes.word_maps(model, inputs), vectors.load(), probes.parts(inputs)
    )


def _epoch(probe: nn.Module, learned: Batches, rate: float) -> None:
    optimizer = torch.optim.Adam(probe.parameters(), lr=rate)
    for batch in learned:
        losses = word_losses(probe(batch), batch)
        optimizer.zero_grad()
        (losses.sum() / (batch.governors >= 0).sum()).backward()
        optimizer.step()


class Printed(nn.Module):
    """W_k . (v_i ++ v_j) for every pair, of one sentence."""

    def __init__(self, data: ProbeData) -> None:
        super().__init__()
        n_dimensions = data.vectors.n_dimensions
        self.weights = nn.Parameter(torch.zeros(2, 2 * n_dimensions, data.n_heads))
        self.marks = nn.Parameter(torch.ones(2, 2))
        self.root = nn.Parameter(torch.zeros(n_dimensions))

    def forward(self, maps: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Scores of all candidates, ROOT first."""
        n = len(v)
        to = torch.cat([_marked(maps[:n, n:], self.marks[0]), maps[:n, :n]], dim=1)
        back = maps.transpose(0, 1)
        back = torch.cat([_marked(back[:n, n:], self.marks[1]), back[:n, :n]], dim=1)
        candidates = torch.cat([self.root[None], v])
        pairs = torch.cat(
            [v[:, None].expand(n, n + 1, -1), candidates[None].expand(n, n + 1, -1)], dim=-1
        )
        return (pairs @ self.weights[0] * to + pairs @ self.weights[1] * back).sum(dim=-1)


def _marked(attention: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
    return (attention * marks[None, :, None]).sum(dim=1, keepdim=True)


def _singles(data: ProbeData, numbers: list[int]) -> Iterator[tuple[torch.Tensor, ...]]:
    for number in numbers:
        maps = torch.from_numpy(np.array(data.maps[number])).float()
        yield (
            maps,
            torch.from_numpy(data.vectors.of(data.inputs[number].words)),
            torch.from_numpy(data.words[number].governors),
        )


def _single_scores(probe: Printed, maps: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    itself = torch.eye(len(v), len(v) + 1, dtype=torch.bool).roll(1, dims=1)
    return probe(maps, v).masked_fill(itself, -torch.inf)


def _epoch_of_single(
    probe: Printed, data: ProbeData, rate: float, optimizer: torch.optim.Optimizer | None = None
) -> None:
    optimizer = optimizer or torch.optim.Adam(probe.parameters(), lr=rate)
    for maps, v, governors in _singles(data, data.parts.train):
        loss = F.cross_entropy(_single_scores(probe, maps, v), governors, ignore_index=-1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def _reached(data: ProbeData, n_epochs: int = 8) -> dict[str, float]:
    """UAS on the test part after so many epochs, the best of them in development."""
    trained = probes.train(probes.AttentionAndWords, data, learning_rate=0.01, n_epochs=n_epochs)
    batched = accuracy(trained.probe, Batches(data, data.parts.test))
    single = Printed(data)
    optimizer = torch.optim.Adam(single.parameters(), lr=RATE)
    best, reached = -1.0, 0.0
    for _ in range(n_epochs):
        _epoch_of_single(single, data, RATE, optimizer)
        now = _single_uas(single, data, data.parts.dev)
        if now > best:
            best, reached = now, _single_uas(single, data, data.parts.test)
    return {"batched": batched, "single": reached}


@torch.no_grad()
def _single_uas(probe: Printed, data: ProbeData, numbers: list[int]) -> float:
    right = total = 0
    for number, (maps, v, governors) in zip(numbers, _singles(data, numbers), strict=True):
        scored = torch.from_numpy(data.words[number].scored(governors.numpy()))
        found = _single_scores(probe, maps, v).argmax(dim=-1)
        right += int((found == governors)[scored].sum())
        total += int(scored.sum())
    return right / total
