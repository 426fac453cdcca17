"""Models of the paper's sizes with random weights, and passes through any model."""

import copy
from collections.abc import Sequence

import torch
from transformers import BertConfig, BertModel

from bertattn.attention import Tokens
from bertattn.model import AttentionModel, load


class Nothing:
    """An observer that looks away."""

    def update(self, layer: int, weights: object, batch: object) -> None:
        """Do nothing."""


def bert(n_layers: int, n_heads: int, n_dimensions: int, name: str) -> AttentionModel:
    """A BERT of some size with random weights, which reads as the default model does."""
    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=n_dimensions,
        num_hidden_layers=n_layers,
        num_attention_heads=n_heads,
        intermediate_size=4 * n_dimensions,
        attn_implementation="eager",
    )
    return AttentionModel(BertModel(config), load("minilm").encoder.tokenizer, name, device="cpu")


def bert_base() -> AttentionModel:
    """12 layers of 12 heads."""
    return bert(12, 12, 768, "bert-base-sized")


def bert_large() -> AttentionModel:
    """24 layers of 16 heads."""
    return bert(24, 16, 1024, "bert-large-sized")


def plain_twin(model: AttentionModel) -> torch.nn.Module:
    """The same model as it runs when nobody looks: fused attention, no maps."""
    plain = copy.deepcopy(model.module)
    plain.set_attn_implementation("sdpa")
    return plain


def plain_pass(
    model: AttentionModel, plain: torch.nn.Module, batches: Sequence[list[Tokens]]
) -> None:
    """All batches through the plain twin."""
    with torch.inference_mode():
        for batch in batches:
            plain(**model._arguments(batch))


def capture(model: AttentionModel, batches: Sequence[list[Tokens]], *observers: object) -> None:
    """All batches through the model, its maps to observers."""
    for batch in batches:
        model.run(batch, observers or [Nothing()])
