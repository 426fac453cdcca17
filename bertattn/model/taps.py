"""Where in a model its attention maps come out, found by a trial run."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


class ModelError(RuntimeError):
    """A model that cannot be loaded, or whose attention cannot be read."""


@dataclass(frozen=True)
class Taps:
    """Where maps come out.

    Attributes:
        slots: The modules that return maps, with the place in their output.
        needs_flag: Whether they do so only when asked for ``output_attentions``.
    """

    slots: dict[nn.Module, int]
    needs_flag: bool

    @property
    def flag(self) -> dict[str, bool]:
        """The argument that makes the modules return maps."""
        return {"output_attentions": True} if self.needs_flag else {}

    @contextmanager
    def caught(self, take: Callable[[torch.Tensor], None]) -> Iterator[None]:
        """Hooks that hand each layer's map on as it comes, and put None in its place.

        They go before the hooks of the library, which would keep every map.
        """

        def hook(module: nn.Module, _: Any, output: tuple) -> tuple:
            slot = self.slots[module]
            if output[slot] is None:
                return output
            take(output[slot])
            return (*output[:slot], None, *output[slot + 1 :])

        handles = [part.register_forward_hook(hook, prepend=True) for part in self.slots]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


Output = tuple[nn.Module, tuple]


def find_taps(
    module: nn.Module, arguments: Mapping[str, torch.Tensor]
) -> tuple[Taps, list[torch.Tensor]]:
    """Find the innermost modules that return a model's attention maps; also give those maps.

    Raises:
        ModelError: If there are no maps, layers differ in their number of heads, or no
            module returns a map as it stands.
    """
    name = type(module).__name__
    with _recording(module) as outputs:
        result = module(**arguments, output_attentions=True)
    maps = [m for m in getattr(result, "attentions", None) or () if m is not None]
    if len({m.shape[1] for m in maps}) != 1:
        raise ModelError(
            f"{name} returns {len(maps)} attention maps; wanted one a layer, each with equally "
            "many heads (loaded with attn_implementation='eager'): it cannot be measured"
        )
    slots = dict(_place(m, outputs, name) for m in maps)
    with _recording(module) as outputs:
        module(**arguments)
    needs_flag = any(_lacks(output, slots[part]) for part, output in outputs if part in slots)
    return Taps(slots, needs_flag), maps


def _lacks(output: tuple, slot: int) -> bool:
    return len(output) <= slot or output[slot] is None


def _place(wanted: torch.Tensor, outputs: list[Output], name: str) -> tuple[nn.Module, int]:
    """The first module, and so the innermost, whose output holds this very tensor."""
    for part, output in outputs:
        for slot, value in enumerate(output):
            if isinstance(value, torch.Tensor) and value.data_ptr() == wanted.data_ptr():
                return part, slot
    raise ModelError(f"{name}: no module returns its attention maps as they are; it cannot be read")


@contextmanager
def _recording(module: nn.Module) -> Iterator[list[Output]]:
    """Collect what the parts of a model return as tuples, in order."""
    outputs: list[Output] = []

    def record(part: nn.Module, _: Any, output: Any) -> None:
        if isinstance(output, tuple):
            outputs.append((part, output))

    parts = [part for part in module.modules() if part is not module]
    handles = [part.register_forward_hook(record, prepend=True) for part in parts]
    try:
        yield outputs
    finally:
        for handle in handles:
            handle.remove()
