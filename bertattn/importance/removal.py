"""Attention to a kind of token, taken away, and how far that moves what a model computes.

Three ways, for the heads of a layer or one of them:

============ ===========================================================================
dropped      weights to the kind become 0 and the others stay: what they moved is lost, and
             nothing else (rows sum to less than 1)
renormalised weights to the kind become 0 and each row's others are scaled up to sum to 1, so
             that the others move more than they did
mean         each weight to the kind becomes its column's mean over the input's rows, so
             that only *when* a row attends to it is lost; the others are scaled to fill the
             row
============ ===========================================================================

With the last two a row that attends to nothing else (under 1e-6) stays as it is and is counted. The
change is that of the final hidden states h, to h':

========= ==============================================================================
tokens    1 - cos(h[i], h'[i]), mean over tokens
relative  |h - h'| / |h| over all tokens of an input
text      1 - cos of the means of h and h' over tokens: of a sentence vector
share     how much attention was taken away, mean over rows and the heads concerned
========= ==============================================================================
"""

from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch.nn import functional

Way = Literal["dropped", "renormalised", "mean"]
WAYS = ("dropped", "renormalised", "mean")
CHANGES = ("tokens", "relative", "text", "share")
LEAST = 1e-6


def remove(
    weights: Float[torch.Tensor, "batch head token token"],
    columns: Bool[torch.Tensor, "batch token"],
    rows: Bool[torch.Tensor, "batch token"],
    way: Way = "renormalised",
) -> tuple[Float[torch.Tensor, "batch head token token"], Bool[torch.Tensor, "batch head token"]]:
    """Weights without attention to some columns, and which rows had nothing else.

    Args:
        weights: Attention maps.
        columns: The tokens that are to be attended to no more.
        rows: The tokens that are no padding.
        way: What becomes of the weights to them.

    Example:
        >>> weights = torch.tensor([[[[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]]])
        >>> first, all_rows = torch.tensor([[True, False, False]]), torch.ones(1, 3).bool()
        >>> without, stuck = remove(weights, first, all_rows)
        >>> without[0, 0].tolist()
        [[0.0, 0.5, 0.5], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
        >>> stuck[0, 0].tolist()
        [False, False, True]
    """
    chosen = columns[:, None, None, :]
    others = weights.masked_fill(chosen, 0)
    if way == "dropped":
        return others, torch.zeros_like(others[..., 0], dtype=torch.bool)
    rest = others.sum(dim=-1, keepdim=True)
    put = torch.zeros_like(weights)
    if way == "mean":
        seen = (weights > 0).any(dim=1, keepdim=True) & rows[:, None, :, None]
        means = (weights * seen).sum(dim=2, keepdim=True) / seen.sum(dim=2, keepdim=True).clamp(1)
        put = means * (seen & chosen)
    stuck = rest <= LEAST
    filled = put + others * (1 - put.sum(dim=-1, keepdim=True)) / rest.clamp(LEAST)
    return torch.where(stuck, weights, filled), stuck[..., 0]


def change(
    plain: Float[torch.Tensor, "batch token dimension"],
    changed: Float[torch.Tensor, "batch token dimension"],
    rows: Bool[torch.Tensor, "batch token"],
) -> Float[torch.Tensor, "batch three"]:
    """How far final hidden states moved: tokens, relative and text, in the order of ``CHANGES``."""
    rows = rows.cpu()
    one, two = (states.cpu().double() * rows[..., None] for states in (plain, changed))
    n = rows.sum(dim=1)
    tokens = ((1 - functional.cosine_similarity(one, two, dim=-1)) * rows).sum(dim=1) / n
    relative = (one - two).flatten(1).norm(dim=1) / one.flatten(1).norm(dim=1)
    text = 1 - functional.cosine_similarity(one.sum(dim=1), two.sum(dim=1), dim=-1)
    return torch.stack([tokens, relative, text], dim=1)
