"""What changes in one text when an attention head is taken away.

A head is taken away by making all its weights 0, so that it moves nothing: the same as making 0
those columns of the layer's output projection that belong to it. The change is that of the final
hidden states, of each word (the mean of its pieces' states), each special token, and the text (the
mean over all tokens): 1 - cosine, 0 for no change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from numpy import ndarray, zeros
from torch.nn import functional

from bertattn.attention import Tokens
from bertattn.heads import AttentionHead, all_heads
from bertattn.model import AttentionModel, Interventions, ModelError

PIECES = 2048  # of copies of a text that are run together

Heads = tuple[AttentionHead, ...]


@dataclass(frozen=True, eq=False)
class Without:
    """How far a text's vectors move when heads are taken away, one choice of heads a row.

    Attributes:
        units: The words that have pieces, then the special tokens.
        heads: The heads that are taken away together.
        by_unit: 1 - cosine of each unit's final vectors.
        text: 1 - cosine of the means over all tokens.
        refused: Why there is nothing; empty if there is.
    """

    units: tuple[str, ...]
    heads: tuple[Heads, ...]
    by_unit: Float[ndarray, "choice unit"]
    text: Float[ndarray, " choice"]
    refused: str = ""


def without_heads(model: AttentionModel, tokens: Tokens, heads: Sequence[AttentionHead]) -> Without:
    """What changes in a text when some heads are taken away together.

    Args:
        model: The model.
        tokens: The text.
        heads: The heads.

    Raises:
        ModelError: If the model does not let its attention be changed.
        ValueError: If there is no such head, or none at all.
    """
    return _without(model, tokens, [tuple(heads)])


def without_each(model: AttentionModel, tokens: Tokens) -> Without:
    """What changes in a text when one head is taken away, for every head of the model.

    Raises:
        ModelError: If the model does not let its attention be changed.
    """
    return _without(model, tokens, [(attn_head,) for attn_head in all_heads(*model.shape)])


def without_each_or_why_not(model: AttentionModel, tokens: Tokens) -> Without:
    """The same; in families that do not let their attention be changed, the reason."""
    try:
        return without_each(model, tokens)
    except ModelError as error:
        return Without((), (), zeros((0, 0)), zeros(0), str(error))


def _without(model: AttentionModel, tokens: Tokens, choices: Sequence[Heads]) -> Without:
    """Copies of a text together, of which each lacks other heads."""
    for heads in choices:
        _check(heads, model.shape)
    opened = Interventions(model)
    member = _units(tokens)
    plain = opened.hidden([tokens])[:1, : len(tokens)]
    by_unit, text = [], []
    step = max(1, PIECES // len(tokens))
    for start in range(0, len(choices), step):
        some = choices[start : start + step]
        changed = opened.hidden([tokens] * len(some), _Silence(some))[:, : len(tokens)]
        by_unit.append(_change(plain, changed, member))
        text.append(_change(plain, changed, torch.ones(1, len(tokens)))[:, 0])
    units = tuple(tokens.units[i] for i in sorted(set(tokens.unit_of.tolist())))
    return Without(units, tuple(choices), torch.cat(by_unit).numpy(), torch.cat(text).numpy())


def _check(heads: Heads, shape: tuple[int, int]) -> None:
    if not heads:
        raise ValueError("wanted one head at least to take away, got none")
    last = AttentionHead(shape[0] - 1, shape[1] - 1)
    if beyond := [h for h in heads if h.layer > last.layer or h.index > last.index]:
        raise ValueError(f"wanted heads from 1-1 to {last}, got {beyond[0]}")


def _units(tokens: Tokens) -> Float[torch.Tensor, "unit token"]:
    """Which tokens make up which unit."""
    units = torch.as_tensor(tokens.unit_of.copy())
    return (units.unique()[:, None] == units).double()


def _change(
    plain: Float[torch.Tensor, "one token dimension"],
    changed: Float[torch.Tensor, "choice token dimension"],
    member: Float[torch.Tensor, "unit token"],
) -> Float[torch.Tensor, "choice unit"]:
    """1 - cosine of the sums, and so of the means, over each unit's tokens."""
    one, two = (member.double() @ states.cpu().double() for states in (plain, changed))
    return (1 - functional.cosine_similarity(one, two, dim=-1)).clamp(min=0)


@dataclass(frozen=True)
class _Silence:
    """An edit under which each input of a batch lacks other heads."""

    choices: Sequence[Heads]

    def __call__(self, layer: int, weights: torch.Tensor, _: torch.Tensor) -> torch.Tensor | None:
        places = [
            (row, attn_head.index)
            for row, heads in enumerate(self.choices)
            for attn_head in heads
            if attn_head.layer == layer
        ]
        if not places:
            return None
        rows, indices = map(list, zip(*places, strict=True))
        silenced = weights.clone()
        silenced[rows, indices] = 0
        return silenced
