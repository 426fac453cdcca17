"""What it costs to look: capture and section 3's statistics beside the plain forward pass.

Each line is two things measured in turn, in one process, several times over; the ratio is
of the medians of processor time.
"""

import copy
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from transformers import BertConfig, BertModel

from bertattn import corpora, measure
from bertattn.attention import Tokens
from bertattn.model import AttentionModel, load
from bertattn.segments import Segments, Sentences
from bertattn.surface import SurfaceSums


class Line(NamedTuple):
    """A ratio, what it is of, and what is wanted of it."""

    what: str
    ratio: float
    wanted: str


class Nothing:
    """An observer that looks away."""

    def update(self, layer: int, weights: object, batch: object) -> None:
        """Do nothing."""


def bert_base() -> AttentionModel:
    """BERT-base's size with random weights."""
    torch.manual_seed(0)
    module = BertModel(BertConfig(attn_implementation="eager"))
    return AttentionModel(module, load("minilm").encoder.tokenizer, "bert-base-sized")


def lines(rounds: int = 5) -> list[Line]:
    """Both models, on single sentences of mixed length and on segments of 128 pieces."""
    found = []
    for model, n_sentences, n_segments in ((load("minilm"), 256, 48), (bert_base(), 64, 16)):
        text = corpora.load("sample")
        sentences = list(Sentences(text, model.encoder, n=n_sentences))
        segments = list(Segments(text, model.encoder, n=n_segments))
        found += _of_inputs(model, sentences, "sentences", rounds)
        found += _of_inputs(model, segments, "segments", rounds)
    return found


def _of_inputs(
    model: AttentionModel, inputs: Sequence[Tokens], name: str, rounds: int
) -> list[Line]:
    batches = list(measure.batches(inputs))
    plain = copy.deepcopy(model.module)
    plain.set_attn_implementation("sdpa")
    costs = _medians(
        {
            "limit": lambda: _plain_pass(model, plain, batches),
            "capture": lambda: _capture(model, batches, Nothing()),
            "statistics": lambda: _capture(model, batches, SurfaceSums.empty(*model.shape)),
            "naive": lambda: _naive(model, inputs),
        },
        rounds,
    )
    label = f"{model.name}, {len(inputs)} {name}"
    at_least = "at least 1.6" if (model.name, name) == ("minilm", "sentences") else ""
    return [
        Line(
            f"{label}: capture / plain sdpa pass without maps",
            costs["capture"] / costs["limit"],
            "",
        ),
        Line(
            f"{label}: capture and all statistics / plain sdpa pass",
            costs["statistics"] / costs["limit"],
            "at most 1.15",
        ),
        Line(
            f"{label}: one text at a time, every map kept / capture and all statistics",
            costs["naive"] / costs["statistics"],
            at_least,
        ),
        Line(
            f"{label}: one text at a time, every map kept / plain sdpa pass, "
            "the limit of the above",
            costs["naive"] / costs["limit"],
            "",
        ),
    ]


def _medians(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Processor seconds of each task, the tasks taken in turn after one round to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(rounds + 1):
        for name, task in tasks.items():
            begin = time.process_time()
            task()
            if turn:
                seconds[name].append(time.process_time() - begin)
    return {name: statistics.median(values) for name, values in seconds.items()}


def _plain_pass(
    model: AttentionModel, plain: torch.nn.Module, batches: Sequence[list[Tokens]]
) -> None:
    with torch.inference_mode():
        for batch in batches:
            plain(**model._arguments(batch))


def _capture(model: AttentionModel, batches: Sequence[list[Tokens]], observer: object) -> None:
    for batch in batches:
        model.run(batch, [observer])


def _naive(model: AttentionModel, inputs: Sequence[Tokens]) -> list[torch.Tensor]:
    """What a first script does: each text alone, its maps stacked and kept."""
    kept = []
    with torch.inference_mode():
        for tokens in inputs:
            out = model.module(**model._arguments([tokens]), output_attentions=True)
            kept.append(torch.stack(out.attentions))
    return kept
