"""What a layer makes of its heads: each head's slice of the output projection.

A layer lays its heads' outputs side by side and multiplies them by one matrix. Which module of a
family does so is found by a trial run, as attention maps are: it is the one that is given them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float
from torch import nn

from bertattn.model.interventions import Interventions
from bertattn.model.taps import ModelError

TRIAL = "It is so, and so it is."
TOLERANCE = 1e-4

Slices = Float[torch.Tensor, "head dimension output"]


def output_slices(opened: Interventions) -> list[Slices]:
    """Each layer's matrices, one a head, that make a head's values into what the layer adds.

    With ``o[h]`` what head h took in (the sum over j of a[i, j] v[j]), the layer's output is the
    sum over h of o[h] @ slices[h], and a bias that belongs to no token.

    Raises:
        ModelError: If some layer's projection cannot be found, or slices do not make up what it
            computes.
    """
    model = opened.model
    mixes: list[torch.Tensor] = []
    found: dict[int, nn.Module] = {}

    def note(_: int, weights: torch.Tensor, values: torch.Tensor) -> None:
        mixes.append((weights @ values).transpose(1, 2).flatten(2))

    def given(part: nn.Module, arguments: tuple) -> None:
        if mixes and arguments and _same(arguments[0], mixes[-1]):
            found.setdefault(len(mixes) - 1, part)

    with _listening(model.module, given):
        opened.hidden([model.encoder.text(TRIAL)], note)
    if missing := [layer + 1 for layer in range(model.n_layers) if layer not in found]:
        raise ModelError(
            f"{model.name}: no matrix of layer {missing[0]} is given its heads' outputs side by "
            "side, so what a head's values become cannot be told; attention weights can still be "
            "measured"
        )
    with torch.inference_mode():
        parts = (_matrix(found[layer], mix, model.name) for layer, mix in enumerate(mixes))
        return [m.unflatten(0, (model.n_heads, -1)).float() for m in parts]


def _matrix(projection: nn.Module, mix: torch.Tensor, name: str) -> torch.Tensor:
    """The matrix of an affine map, asked of the map itself: families store theirs either way up."""
    n = mix.shape[-1]
    unit = torch.eye(n, dtype=mix.dtype, device=mix.device)
    bias = projection(torch.zeros_like(unit[:1]))
    matrix = projection(unit) - bias
    wanted = projection(mix)
    off = float((mix @ matrix + bias - wanted).abs().max())
    tolerance = TOLERANCE if mix.dtype == torch.float32 else 5e-2
    if not off <= tolerance * max(1.0, float(wanted.abs().max())):
        raise ModelError(
            f"{name}: {type(projection).__name__} is no matrix and bias (off by {off:.2g}), so its "
            "heads cannot be told apart; load the checkpoint unquantised, in float32"
        )
    return matrix


def _same(given: object, mix: torch.Tensor) -> bool:
    if not isinstance(given, torch.Tensor) or given.shape != mix.shape:
        return False
    return torch.allclose(given, mix, rtol=1e-4, atol=1e-5 * max(1.0, float(mix.abs().max())))


@contextmanager
def _listening(module: nn.Module, given: Callable[..., None]) -> Iterator[None]:
    """Hear what matrices are given: parts that have no parts and two-dimensional weights."""
    leaves = [part for part in module.modules() if not any(part.children())]
    matrices = [part for part in leaves if getattr(getattr(part, "weight", None), "ndim", 0) == 2]
    handles = [part.register_forward_pre_hook(given) for part in matrices]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
