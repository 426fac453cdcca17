"""What gradients cost beside the plain forward pass, the cheap way and the naive one.

The naive way lets every parameter gather a gradient and makes scores of all pieces at all
positions. Both have the masked LM's loss; the head is a random one of BERT-base's size.
"""

import tempfile
from collections import Counter
from collections.abc import Sequence

import torch
from torch.nn import functional
from transformers import BertConfig, BertForMaskedLM

from benchmarks.timing import Line, medians
from bertattn import corpora
from bertattn.importance import Contrastive, ImportanceSums, MaskedLM, Step, differentiate
from bertattn.model import AttentionModel, load, masked_head
from bertattn.segments import Segments

N_SEGMENTS = 8
N_PAIRS = 64


def lines(rounds: int = 5) -> list[Line]:
    """The default model by its contrastive loss; a BERT of base size by its masked-LM loss."""
    return [*_contrastive(load("minilm", device="cpu"), rounds), *_masked(rounds)]


def _contrastive(model: AttentionModel, rounds: int) -> list[Line]:
    objective = Contrastive()
    inputs = list(objective.inputs(corpora.load("sample"), model.encoder, N_PAIRS))
    steps = list(objective.steps(inputs, Counter()))
    costs = medians(
        {
            "forward": lambda: _forward(model, steps),
            "gradients": lambda: _gradients(model, inputs, objective),
        },
        rounds,
    )
    what = f"minilm, {len(inputs)} sentences in pairs: contrastive gradients and all sums"
    return [Line(f"{what} / forward pass", costs["gradients"] / costs["forward"], "at most 2.5")]


def _masked(rounds: int) -> list[Line]:
    torch.manual_seed(0)
    whole = BertForMaskedLM(BertConfig(attn_implementation="eager")).eval()
    with tempfile.TemporaryDirectory() as folder:
        whole.save_pretrained(folder)
        load("minilm").encoder.tokenizer.save_pretrained(folder)
        model = load(folder, device="cpu")
        objective = MaskedLM(masked_head(folder, model))
    inputs = list(Segments(corpora.load("sample"), model.encoder, n=N_SEGMENTS))
    steps = list(objective.steps(inputs, Counter()))
    costs = medians(
        {
            "forward": lambda: _forward(model, steps),
            "gradients": lambda: _gradients(model, inputs, objective),
            "naive": lambda: _naive(whole, model, steps),
        },
        rounds,
    )
    what = f"bert-base-sized, {N_SEGMENTS} segments: masked-LM gradients"
    return [
        Line(
            f"{what} and all sums / forward pass",
            costs["gradients"] / costs["forward"],
            "at most 2.5",
        ),
        Line(
            f"{what}, naively and without sums / forward pass",
            costs["naive"] / costs["forward"],
            "",
        ),
    ]


def _forward(model: AttentionModel, steps: Sequence[Step]) -> None:
    with torch.inference_mode():
        for step in steps:
            model.module(**model._arguments(step.inputs))


def _gradients(model: AttentionModel, inputs: Sequence, objective: Contrastive | MaskedLM) -> None:
    differentiate(inputs, model, objective, ImportanceSums.empty(*model.shape))


def _naive(whole: BertForMaskedLM, model: AttentionModel, steps: Sequence[Step]) -> None:
    for step in steps:
        arguments = model._arguments(step.inputs)
        out = whole(**arguments, output_attentions=True)
        for weights in out.attentions:
            weights.retain_grad()
        functional.cross_entropy(
            out.logits.flatten(0, 1), arguments["input_ids"].flatten()
        ).backward()
        whole.zero_grad()
