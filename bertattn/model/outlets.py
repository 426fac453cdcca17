"""Where the heads of a layer give out what they have gathered, and passes in which that is changed.

The outputs of a layer's heads stand side by side, "batch token (head dimension)", where they enter
the layer's output projection. Which module that is differs by family; it is found by a trial run,
and silencing a head there is checked against making its attention 0. No function of the library is
replaced during a pass, so models of their own (``twin``) can be run at the same time in threads.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from bertattn.attention import Tokens
from bertattn.model.capture import AttentionModel, in_full
from bertattn.model.interventions import TOLERANCE, Interventions
from bertattn.model.taps import ModelError

Put = Callable[[int, torch.Tensor], torch.Tensor | None]
See = Callable[[int, torch.Tensor], None]


@dataclass(eq=False)
class Kept:
    """What each layer of a pass gave, so that a pass over the same inputs may begin further up."""

    outputs: list[Any] = field(default_factory=list)


class Outlets:
    """A model of which the heads' outputs can be read and changed.

    Attributes:
        model: The model.
        resumes: Whether a pass can begin at a layer, from what was kept of an earlier one.

    Raises:
        ModelError: If the model's family does not let its attention be changed, or its heads'
            outputs enter no module as they are.
    """

    def __init__(self, model: AttentionModel) -> None:
        self.model = model
        opened = Interventions(model)
        trial = [model.encoder.text("It is so.")]
        self._projections = self._found(opened, trial)
        self._layers = _stack(model.module, model.n_layers, self._projections)
        self._check(opened, trial)
        self.resumes = self._check_resuming(trial)

    def hidden(
        self,
        inputs: Sequence[Tokens],
        put: Put | None = None,
        see: See | None = None,
        keep: Kept | None = None,
        begin: tuple[int, Kept] | None = None,
    ) -> torch.Tensor:
        """The final hidden states, "batch token dimension", of a pass with other heads' outputs.

        Args:
            inputs: What the model reads, of similar length.
            put: Is given each layer's number and its heads' outputs ("batch token head dimension"),
                and returns others, or None to leave them.
            see: Is shown each layer's number and attention maps, as the changed states make them.
            keep: Takes what each layer gives.
            begin: A layer's number and what was kept of a pass over the same inputs in which
                nothing was changed below it: layers below it are not run (nor seen).

        Raises:
            ModelError: If fewer or more layers came by than were run.
        """
        first = begin[0] if begin and self.resumes else 0
        n_put, n_seen = first, first

        def changed(_: nn.Module, arguments: tuple) -> tuple | None:
            nonlocal n_put
            together = arguments[0]
            n_put += 1
            if put is None:
                return None
            new = put(n_put - 1, together.unflatten(-1, (self.model.n_heads, -1)))
            return None if new is None else (new.flatten(-2), *arguments[1:])

        def seen(weights: torch.Tensor) -> None:
            nonlocal n_seen
            if see is not None:
                see(n_seen, in_full(weights))
            n_seen += 1

        with torch.inference_mode(), ExitStack() as hooks:
            hooks.enter_context(self.model._taps.caught(seen))
            hooks.enter_context(_before(self._projections, changed))
            if keep is not None:
                hooks.enter_context(_keeping(self._layers, keep))
            if first:
                assert begin is not None, "a layer to begin at comes with what was kept below it"
                hooks.enter_context(_skipping(self._layers[:first], begin[1]))
            output = self.model.module(**self.model._arguments(inputs), **self.model._taps.flag)
        if (n_put, n_seen) != (self.model.n_layers, self.model.n_layers):
            raise self._refusal(
                f"outputs of {n_put} and maps of {n_seen} of {self.model.n_layers} layers came by"
            )
        return output[0]

    def _found(self, opened: Interventions, trial: list[Tokens]) -> list[nn.Module]:
        """The innermost module that each layer's heads' outputs enter, each once."""
        made: list[torch.Tensor] = []

        def gather(_: int, weights: torch.Tensor, values: torch.Tensor) -> None:
            made.append((weights @ values).transpose(1, 2).flatten(2))

        with _entering(self.model.module) as entered:
            opened.hidden(trial, gather)
        found: list[nn.Module] = []
        for outputs in made:
            same = [part for part, given in entered if _alike(given, outputs)]
            if not same:
                raise self._refusal("its heads' outputs enter no module as they are")
            found.append(same[-1])
        return list(dict.fromkeys(found))

    def _check(self, opened: Interventions, trial: list[Tokens]) -> None:
        """Silence the first head of the last layer in both ways."""
        last = self.model.n_layers - 1

        def unseeing(layer: int, weights: torch.Tensor, _: torch.Tensor) -> torch.Tensor | None:
            return _silent(weights, 1) if layer == last else None

        def silent(layer: int, outputs: torch.Tensor) -> torch.Tensor | None:
            return _silent(outputs, 2) if layer == last else None

        by_weights, by_output = opened.hidden(trial, unseeing), self.hidden(trial, silent)
        if not _alike(by_output, by_weights):
            raise self._refusal("silencing a head there is not the same as taking its attention")

    def _check_resuming(self, trial: list[Tokens]) -> bool:
        """Whether a pass from the last layer on, a head silenced, ends as a whole one does."""
        last = self.model.n_layers - 1
        self.resumes = len(self._layers) == self.model.n_layers > 1
        if not self.resumes:
            return False

        def silent(layer: int, outputs: torch.Tensor) -> torch.Tensor | None:
            return _silent(outputs, 2) if layer == last else None

        kept = Kept()
        self.hidden(trial, keep=kept)
        whole = self.hidden(trial, silent)
        return _alike(self.hidden(trial, silent, begin=(last, kept)), whole)

    def _refusal(self, reason: str) -> ModelError:
        family = type(self.model.module).__name__
        return ModelError(
            f"{self.model.name}: {family} does not let its heads be taken away ({reason}); "
            "gradients by its attention weights can still be measured"
        )


def _alike(one: Any, two: torch.Tensor) -> bool:
    """Whether two tensors are of one shape and the same to rounding."""
    if not isinstance(one, torch.Tensor) or one.shape != two.shape:
        return False
    return float((one - two).abs().max()) <= TOLERANCE * float(two.abs().max())


def _silent(values: torch.Tensor, axis: int) -> torch.Tensor:
    """A copy of which the first entry along an axis is 0."""
    copied = values.clone()
    copied.select(axis, 0).zero_()
    return copied


def _stack(module: nn.Module, n_layers: int, projections: list[nn.Module]) -> list[nn.Module]:
    """The model's layers, each with a projection of its own; none where layers share theirs."""
    for part in module.modules():
        if isinstance(part, nn.ModuleList) and len(part) == n_layers == len(projections):
            owned = [p in set(layer.modules()) for layer, p in zip(part, projections, strict=True)]
            if all(owned):
                return list(part)
    return []


@contextmanager
def _before(parts: Sequence[nn.Module], hook: Callable) -> Iterator[None]:
    handles = [part.register_forward_pre_hook(hook) for part in parts]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _entering(module: nn.Module) -> Iterator[list[tuple[nn.Module, Any]]]:
    """What comes first into each part of a model, in order."""
    entered: list[tuple[nn.Module, Any]] = []

    def record(part: nn.Module, arguments: tuple) -> None:
        if arguments:
            entered.append((part, arguments[0]))

    with _before([part for part in module.modules() if part is not module], record):
        yield entered


@contextmanager
def _keeping(layers: Sequence[nn.Module], kept: Kept) -> Iterator[None]:
    kept.outputs = []

    def keep(_: nn.Module, __: Any, output: Any) -> None:
        kept.outputs.append(output)

    handles = [layer.register_forward_hook(keep) for layer in layers]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _skipping(layers: Sequence[nn.Module], kept: Kept) -> Iterator[None]:
    """Layers that give what was kept of them and compute nothing."""
    for layer, output in zip(layers, kept.outputs, strict=False):
        layer.forward = lambda *_, output=output, **__: output
    try:
        yield
    finally:
        for layer in layers:
            del layer.forward
