"""How far off the forecast of a run's time is: what it said, and what the run then took."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bertattn import corpora, measure
from bertattn.attention import Tokens
from bertattn.clusters import DistanceSums, Options
from bertattn.model import AttentionModel, load
from bertattn.reducer import Observer
from bertattn.segments import Segments, Sentences, Trees
from bertattn.surface import SurfaceSums
from bertattn.syntax import SyntaxCounts


class Forecast(NamedTuple):
    """Of one run: seconds as they were forecast, and as they came."""

    what: str
    said: float
    took: float

    @property
    def error(self) -> float:
        """How far off, as a share of what it took."""
        return self.said / self.took - 1


def forecasts() -> list[Forecast]:
    """Four runs over the sample by the default model."""
    model, text = load("minilm", device="cpu"), corpora.load("sample")
    treebank = corpora.treebank("sample")
    segments, sentences = list(Segments(text, model.encoder)), list(Sentences(text, model.encoder))
    trees, shape = list(Trees(treebank, model.encoder)), model.shape
    return [
        _one("surface, segments", model, segments, lambda: [SurfaceSums.empty(*shape)]),
        _one("surface, sentences", model, sentences, lambda: [SurfaceSums.empty(*shape)]),
        _one("syntax, sentences", model, trees,
             lambda: [SyntaxCounts.empty(*shape, treebank.relations)]),
        _one("distances of all rows, segments", model, segments[::2],
             lambda: [DistanceSums.empty(*shape, Options())]),
    ]  # fmt: skip


def _one(
    what: str,
    model: AttentionModel,
    inputs: Sequence[Tokens],
    observers: Callable[[], list[Observer]],
) -> Forecast:
    said = measure.cost(inputs, model, *observers(), n_inputs=len(inputs)).seconds
    begin = time.perf_counter()
    measure.measure(inputs, model, *observers())
    return Forecast(f"{what} ({len(inputs)})", said, time.perf_counter() - begin)
