"""What scoring of all heads costs: beside the forward pass, and beside a loop over heads.

The loop is what a first script does: for each head its words' rows and columns are summed one after
another, then its guesses are compared with the tree's governors.
"""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.models import capture
from benchmarks.timing import Line, medians
from bertattn import corpora, measure, syntax, words
from bertattn.attention import AttentionMap, Tokens
from bertattn.model import AttentionModel, load
from bertattn.reducer import Batch, KeepMaps
from bertattn.segments import Trees
from bertattn.syntax import SyntaxCounts
from bertattn.words import Members

N_LOOPED = 380


def lines(rounds: int = 5) -> list[Line]:
    """The sample's sentences, and those of GUM where ``BERTATTN_TEST_DATA`` has them."""
    model = load("minilm")
    found = _of(model, "sample", "the sample", rounds)
    if folder := os.environ.get("BERTATTN_TEST_DATA"):
        found += _of(model, Path(folder) / "gum" / "sd_v5", "25 documents of GUM", rounds)
    return found


def _of(model: AttentionModel, corpus: str | Path, label: str, rounds: int) -> list[Line]:
    treebank = corpora.treebank(corpus, skip=True)
    inputs = list(Trees(treebank, model.encoder))
    relations = treebank.relations
    batches = list(measure.batches(inputs))
    kept = _Kept()
    for batch in batches:
        model.run(batch, [kept])
    few = inputs[:: max(1, len(inputs) // N_LOOPED)][:N_LOOPED]
    few.sort(key=len)
    maps = _maps(model, few)
    ready = _ready(few, maps, relations)
    merged = [(c, b, [c._plan.members.between_words(w) for w in ws]) for c, b, ws in ready]
    middle = ready[len(ready) // 2]
    looped = [words.merge(m).between_words.copy() for m in maps]
    costs = medians(
        {
            "forward": lambda: capture(model, batches),
            "merging and scoring": lambda: _score(model, kept, relations),
            "loop merging": lambda: [_loop_merged(m) for m in _of_batch(maps, middle)],
            "merging": lambda: _merged([middle]),
            "loop scoring": lambda: _loop_scored(few, looped),
            "scoring": lambda: _scored(merged),
        },
        rounds,
    )
    return [
        Line(
            f"{label}: merging words and scoring all heads / forward pass with capture",
            costs["merging and scoring"] / costs["forward"],
            "under 0.10",
        ),
        Line(
            f"{label}: words merged by a loop over heads / all heads at once",
            costs["loop merging"] / costs["merging"],
            "at least 80",
        ),
        Line(
            f"{label}: heads scored by a loop / all heads and relations at once",
            costs["loop scoring"] / costs["scoring"],
            "at least 15",
        ),
    ]


class _Kept:
    """Every layer's maps of every batch, as they come."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, np.ndarray, Batch]] = []

    def update(self, layer: int, weights: object, batch: Batch) -> None:
        """Keep them."""
        self.seen.append((layer, np.array(weights), batch))


def _score(model: AttentionModel, kept: _Kept, relations: Sequence[str]) -> None:
    counts = SyntaxCounts.empty(*model.shape, relations)
    for layer, weights, batch in kept.seen:
        counts.update(layer, weights, batch)


def _maps(model: AttentionModel, inputs: Sequence[Tokens]) -> list[AttentionMap]:
    maps = KeepMaps()
    for tokens in inputs:
        model.run([tokens], [maps])
    return maps.result()


def _ready(
    inputs: Sequence[Tokens], maps: Sequence[AttentionMap], relations: Sequence[str]
) -> list[tuple[SyntaxCounts, Batch, list[np.ndarray]]]:
    """Batches as a run has them, with the maps of each layer and counts that began."""
    weights_of = {id(m.tokens): m.weights for m in maps}
    found = []
    for group in measure.batches(inputs):
        batch = Batch.of(group)
        wide = np.stack([_wide(weights_of[id(t)], batch.kinds.shape[1]) for t in group])
        layers = [np.ascontiguousarray(wide[:, layer]) for layer in range(wide.shape[1])]
        counts = SyntaxCounts.empty(*wide.shape[1:3], relations)
        counts.update(0, layers[0], batch)
        found.append((counts, batch, layers))
    return found


def _of_batch(maps: Sequence[AttentionMap], ready: tuple) -> list[AttentionMap]:
    names = {id(tokens) for tokens in ready[1].tokens}
    return [m for m in maps if id(m.tokens) in names]


def _wide(weights: np.ndarray, width: int) -> np.ndarray:
    more = width - weights.shape[-1]
    return np.pad(weights, [(0, 0), (0, 0), (0, more), (0, more)])


def _merged(ready: list[tuple[SyntaxCounts, Batch, list[np.ndarray]]]) -> None:
    for _, batch, layers in ready:
        members = Members.of(batch)
        for weights in layers:
            members.between_words(weights)


def _scored(ready: list[tuple[SyntaxCounts, Batch, list[np.ndarray]]]) -> None:
    """Guesses and counts of maps that are merged already."""
    for counts, _, layers in ready:
        plan = counts._plan
        assert plan is not None, "counts have begun"
        for layer, merged in enumerate(layers):
            counts._add(counts.right[:, :, :, layer], syntax.governors(merged), plan)


def _loop_merged(attention: AttentionMap) -> list[list[np.ndarray]]:
    """For each head and word, columns summed and rows averaged."""
    tokens = attention.tokens
    pieces = [np.flatnonzero(tokens.unit_of == w) for w in range(len(tokens.words))]
    found = []
    for layer in attention.weights:
        of_layer = []
        for weights in layer:
            columns = np.array([[row[p].sum() for p in pieces] for row in weights])
            of_layer.append(np.array([columns[p].mean(axis=0) for p in pieces]))
        found.append(of_layer)
    return found


def _loop_scored(inputs: Sequence[Tokens], merged: list[np.ndarray]) -> Counter:
    """For each head, direction and arc: is the guess right?"""
    right: Counter = Counter()
    for tokens, layers in zip(inputs, merged, strict=True):
        for layer, heads in enumerate(layers):
            for number, given in enumerate(heads):
                weights = given.copy()
                np.fill_diagonal(weights, -1)
                guesses = (weights.argmax(axis=1), weights.argmax(axis=0))
                for word, governor, relation in tokens.source.arcs:
                    asked = syntax.possessor_asks(tokens.source, word)
                    for direction, guess in enumerate(guesses):
                        right[relation, direction, layer, number] += guess[asked] == governor
    return right
