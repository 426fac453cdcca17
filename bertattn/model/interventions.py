"""Values that attention moves, and passes in which attention is changed.

Both need to stand between a model's softmax and its values. The library lets a function of ours
stand there in families that call it; each model is tried once, and others are refused.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import nn
from transformers import AttentionInterface
from transformers.masking_utils import AttentionMaskInterface, eager_mask

from bertattn.attention import Tokens
from bertattn.model.capture import AttentionModel
from bertattn.model.taps import ModelError

NAME = "bertattn"
TOLERANCE = 1e-4

Edit = Callable[[int, torch.Tensor, torch.Tensor], torch.Tensor | None]


class Interventions:
    """A model whose attention can be changed between softmax and values.

    Attributes:
        model: The model.

    Raises:
        ModelError: If the model's family does not let attention be changed, or if what is read of
            it does not make up what the model computes.
    """

    def __init__(self, model: AttentionModel) -> None:
        self.model = model
        self._check()

    def hidden(self, inputs: Sequence[Tokens], edit: Edit | None = None) -> torch.Tensor:
        """The final hidden states, "batch token dimension", of a pass in which attention is edited.

        Args:
            inputs: What the model reads, of similar length.
            edit: Is given each layer's number, weights ("batch head from to") and values ("batch
                head token dimension"), and returns other weights, or None to leave them.

        Raises:
            ModelError: If fewer or more layers were edited than the model has.
        """
        n_calls = 0

        def attention(
            module: nn.Module, query: Any, key: Any, value: Any, mask: Any, **options: Any
        ) -> tuple[torch.Tensor, torch.Tensor]:
            nonlocal n_calls
            family = _family(module)
            if family is None:
                raise self._refusal("it has no attention of its own to call")
            output, weights = family(module, query, key, value, mask, **options)
            values = _for_each_head(value, weights)
            changed = edit(n_calls, weights, values) if edit else None
            n_calls += 1
            if changed is None:
                return output, weights
            return (changed @ values).transpose(1, 2).contiguous(), changed

        with torch.inference_mode(), _standing_in(self.model, attention):
            output = self.model.module(**self.model._arguments(inputs), **self.model._taps.flag)
        if n_calls != self.model.n_layers:
            raise self._refusal(
                f"the function was called for {n_calls} of {self.model.n_layers} layers"
            )
        return output[0]

    def _check(self) -> None:
        """Pass the model's own weights through, alone and beside a longer input."""
        trial = [self.model.encoder.text(t) for t in ("It is so.", "It is so, and so it is.")]
        for inputs in (trial[:1], trial):
            with torch.inference_mode():
                plain = self.model.module(**self.model._arguments(inputs))[0]
            through = self.hidden(inputs, lambda _layer, weights, _values: weights.clone())
            if not (difference := float((plain - through).abs().max())) <= TOLERANCE * float(
                plain.abs().max()
            ):
                raise self._refusal(f"passing attention through changes it by {difference:.2g}")

    def _refusal(self, reason: str) -> ModelError:
        family = type(self.model.module).__name__
        return ModelError(
            f"{self.model.name}: {family} does not let its attention be changed, or its values be "
            f"read ({reason}); gradients by its attention weights can still be measured"
        )


def _family(module: nn.Module) -> Callable | None:
    """The family's own way from queries, keys and values to an output and its weights."""
    return getattr(sys.modules[type(module).__module__], "eager_attention_forward", None)


def _for_each_head(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Values of heads that share theirs with others, once for each."""
    return values.repeat_interleave(weights.shape[1] // values.shape[1], dim=1)


@contextmanager
def _standing_in(model: AttentionModel, attention: Callable) -> Iterator[None]:
    """Have the library call ours; without a mask of that name it would drop the padding's.

    The library keeps what is registered, and for all threads. So what it keeps is a function that
    asks who stands in here: passes of two threads never meet, and no model is held.
    """
    AttentionInterface.register(NAME, _called)
    AttentionMaskInterface.register(NAME, eager_mask)
    config = model.module.config
    before = config._attn_implementation
    config._attn_implementation = NAME
    standing = _STANDING_IN.set(attention)
    try:
        yield
    finally:
        config._attn_implementation = before
        _STANDING_IN.reset(standing)


def _idle(*_: Any, **__: Any) -> tuple[torch.Tensor, torch.Tensor]:
    raise ModelError(f"attention {NAME!r} is there during a pass of Interventions only")


_STANDING_IN: ContextVar[Callable] = ContextVar("attention that stands in", default=_idle)


def _called(*arguments: Any, **options: Any) -> tuple[torch.Tensor, torch.Tensor]:
    return _STANDING_IN.get()(*arguments, **options)
