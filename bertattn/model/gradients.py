"""Gradients of a loss by attention weights, layer by layer, in one forward and backward pass.

Parameters are frozen and the graph begins at the embeddings, so the pass costs two to three
forward passes. Each layer's gradient goes to whoever asked and is dropped.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import nn

from bertattn.attention import Tokens
from bertattn.model.capture import AttentionModel, in_full
from bertattn.model.taps import ModelError

Losses = Callable[[torch.Tensor], Iterable[torch.Tensor]]
Take = Callable[[int, Any, Any], None]


def backward(model: AttentionModel, inputs: Sequence[Tokens], losses: Losses, take: Take) -> None:
    """One forward pass over inputs of similar length, and a backward pass for each loss.

    Args:
        model: The model, which is left as it was.
        inputs: What it reads.
        losses: Makes losses of the final hidden states, "batch token dimension", padding
            included; each of them a sum over inputs, so that gradients do not shrink as a batch
            grows. Those of a loss that compares inputs still depend on what stands in the batch.
        take: Is given each layer's number (the last first), weights and gradients, both "batch
            head from to", once for each loss.

    Raises:
        ModelError: If no gradient reaches some layer's weights: the model has integer or quantised
            weights, or its maps are not part of its own computation.
    """
    _refuse_integers(model)
    maps: list[torch.Tensor] = []
    with torch.enable_grad(), _frozen(model), model._taps.caught(maps.append):
        output = model.module(**model._arguments(inputs), **model._taps.flag)
        for weights in maps:
            if not weights.requires_grad:
                raise _without_gradient(model, "no gradient reaches")
        found = list(losses(output[0]))
        if not all(loss.requires_grad for loss in found):
            raise _without_gradient(model, "no gradient reaches")
        _go_back(model, found, maps, take)


def _go_back(
    model: AttentionModel, losses: list[torch.Tensor], maps: list[torch.Tensor], take: Take
) -> None:
    largest = np.zeros(len(maps))

    def listens(layer: int, weights: torch.Tensor) -> Callable[[torch.Tensor], None]:
        shown = model.shown(in_full(weights.detach()))

        def hook(gradient: torch.Tensor) -> None:
            largest[layer] = np.maximum(largest[layer], float(gradient.abs().max()))  # keeps NaN
            take(layer, shown, model.shown(gradient.float()))

        return hook

    for layer, weights in enumerate(maps):
        weights.register_hook(listens(layer, weights))
    maps.clear()
    while losses:
        losses.pop(0).backward(retain_graph=bool(losses))
    for layer, most in enumerate(largest):
        if not 0 < most < math.inf:
            raise _without_gradient(model, f"the largest gradient is {most:.3g} by", layer)


@contextmanager
def _frozen(model: AttentionModel) -> Iterator[None]:
    """Gradients go as far as the embeddings and no parameter gathers one."""
    free = [p for p in model.module.parameters() if p.requires_grad]

    def begin(_: nn.Module, __: Any, embedded: torch.Tensor) -> torch.Tensor:
        return embedded.detach().requires_grad_()

    handle = model.module.get_input_embeddings().register_forward_hook(begin)
    for parameter in free:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        handle.remove()
        for parameter in free:
            parameter.requires_grad_(True)


def _refuse_integers(model: AttentionModel) -> None:
    if not all(p.is_floating_point() for p in model.module.parameters()):
        raise _without_gradient(model, "no gradient reaches")


def _without_gradient(model: AttentionModel, what: str, layer: int | None = None) -> ModelError:
    where = "the attention weights" + ("" if layer is None else f" of layer {layer + 1}")
    return ModelError(
        f"{model.name}: {what} {where}. Wanted floating-point weights, not integer or quantised "
        "ones, maps that are part of the model's own computation, and a loss that depends on "
        "them; load the checkpoint unquantised, in float32"
    )
