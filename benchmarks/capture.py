"""What it costs to look: capture and section 3's statistics beside the plain forward pass.

Each line is two things measured in turn, in one process, several times over; the ratio is
of the medians of processor time.
"""

from collections.abc import Sequence

import torch

from benchmarks.models import bert_base, bert_large, capture, plain_pass, plain_twin
from benchmarks.timing import Line, medians
from bertattn import corpora, measure
from bertattn.attention import Tokens
from bertattn.model import AttentionModel, load
from bertattn.segments import Segments, Sentences
from bertattn.surface import SurfaceSums

SIZES = (("minilm", 256, 48), ("base", 64, 16), ("large", 12, 3))  # sentences, segments


def lines(rounds: int = 5) -> list[Line]:
    """Three models, on single sentences of mixed length and on segments of 128 pieces."""
    made = {"minilm": lambda: load("minilm", device="cpu"), "base": bert_base, "large": bert_large}
    found = []
    for size, n_sentences, n_segments in SIZES:
        model, text = made[size](), corpora.load("sample")
        sentences = list(Sentences(text, model.encoder, n=n_sentences))
        segments = list(Segments(text, model.encoder, n=n_segments))
        found += _of_inputs(model, sentences, "sentences", rounds)
        found += _of_inputs(model, segments, "segments", rounds)
    return found


def _of_inputs(
    model: AttentionModel, inputs: Sequence[Tokens], name: str, rounds: int
) -> list[Line]:
    batches = list(measure.batches(inputs))
    plain = plain_twin(model)
    costs = medians(
        {
            "limit": lambda: plain_pass(model, plain, batches),
            "capture": lambda: capture(model, batches),
            "statistics": lambda: capture(model, batches, SurfaceSums.empty(*model.shape)),
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
            "at most 1.10",
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


def _naive(model: AttentionModel, inputs: Sequence[Tokens]) -> list[torch.Tensor]:
    """What a first script does: each text alone, its maps stacked and kept."""
    kept = []
    with torch.inference_mode():
        for tokens in inputs:
            out = model.module(**model._arguments([tokens]), output_attentions=True)
            kept.append(torch.stack(out.attentions))
    return kept
