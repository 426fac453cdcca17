"""Which heads are taken away together: the best by a score, and random ones to hold them against.

A layer's heads differ less from one another than layers do, and what is broken early has further to
go; so beside heads drawn anywhere stand *layer-matched* draws: of each layer as many heads as the
chosen ones have there. The chosen ones may be drawn too: a draw is what the choice would be if, of
the same layers, any heads would do.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Num

from bertattn.heads import AttentionHead, all_heads

Heads = tuple[AttentionHead, ...]


@dataclass(frozen=True)
class Pick:
    """Heads that are taken away together.

    Attributes:
        name: By what they were chosen.
        heads: The heads.
        draw: Of heads drawn at random, the number of the draw.
        matched: Of layer-matched draws, whose layers they have.
    """

    name: str
    heads: Heads
    draw: int | None = None
    matched: str | None = None

    def __post_init__(self) -> None:
        if not self.heads or len(set(self.heads)) < len(self.heads):
            named = ", ".join(map(str, self.heads)) or "none"
            raise ValueError(f"{self.name}: wanted one head at least, each once, got {named}")

    @property
    def first_layer(self) -> int:
        """The lowest layer that loses a head."""
        return min(attn_head.layer for attn_head in self.heads)


def best_heads(scores: Num[np.ndarray, "layer head"], k: int) -> Heads:
    """The ``k`` heads with the largest scores, the largest first; the lowest of equals.

    Heads without a score (NaN) come last.

    Raises:
        ValueError: If there are not so many heads.

    Example:
        >>> [str(h) for h in best_heads(np.array([[0.1, 0.9], [0.5, 0.5]]), 3)]
        ['1-2', '2-1', '2-2']
    """
    _check_number(k, scores.size)
    heads = all_heads(*scores.shape)
    known = np.where(np.isnan(scores), -np.inf, scores).ravel()
    return tuple(heads[i] for i in np.argsort(-known, kind="stable")[:k])


def each_head(n_layers: int, n_heads: int) -> list[Pick]:
    """Every head by itself."""
    return [Pick("one head", (attn_head,)) for attn_head in all_heads(n_layers, n_heads)]


def chosen(scores: Mapping[str, Num[np.ndarray, "layer head"]], k: int) -> list[Pick]:
    """The ``k`` best heads by each score."""
    return [Pick(name, best_heads(values, k)) for name, values in scores.items()]


def growing(
    scores: Mapping[str, Num[np.ndarray, "layer head"]],
    sizes: Sequence[int],
    n_draws: int,
    seed: int = 0,
) -> list[Pick]:
    """More and more heads: the best by each score, and heads drawn from all.

    Args:
        scores: By name.
        sizes: How many heads, for each point of a curve.
        n_draws: How many draws of each size.
        seed: Of the draws.

    Raises:
        ValueError: If there are not so many heads.
    """
    found = [pick for k in sizes for pick in chosen(scores, k)]
    shape = next(iter(scores.values())).shape
    return found + [pick for k in sizes for pick in drawn(shape, k, n_draws, seed)]


def beside(picks: Sequence[Pick], n_heads: int, n_draws: int, seed: int = 0) -> list[Pick]:
    """Picks, and layer-matched draws of each."""
    draws = [draw for pick in picks for draw in drawn_beside(pick, n_heads, n_draws, seed)]
    return [*picks, *draws]


def drawn(shape: tuple[int, int], k: int, n: int, seed: int = 0) -> list[Pick]:
    """``k`` heads drawn from all, ``n`` times over.

    Raises:
        ValueError: If there are not so many heads.
    """
    heads = all_heads(*shape)
    _check_number(k, len(heads))
    rng = np.random.default_rng([seed, k])
    chosen = [rng.choice(len(heads), k, replace=False) for _ in range(n)]
    return [
        Pick("random", tuple(heads[i] for i in sorted(places)), number)
        for number, places in enumerate(chosen)
    ]


def drawn_beside(pick: Pick, n_heads: int, n: int, seed: int = 0) -> list[Pick]:
    """Heads drawn from the layers of a pick, of each layer as many, ``n`` times over.

    Args:
        pick: What they stand beside.
        n_heads: How many heads a layer has.
        n: How many draws.
        seed: Of the draws.

    Example:
        >>> pick = Pick("syntax", (AttentionHead(0, 2), AttentionHead(4, 1)))
        >>> [sorted(h.layer for h in draw.heads) for draw in drawn_beside(pick, 12, 2)]
        [[0, 4], [0, 4]]
    """
    rng = np.random.default_rng([seed, len(pick.heads), *pick.name.encode()])
    per_layer = sorted(Counter(attn_head.layer for attn_head in pick.heads).items())
    draws = []
    for number in range(n):
        heads = tuple(
            AttentionHead(layer, int(index))
            for layer, k in per_layer
            for index in sorted(rng.choice(n_heads, k, replace=False))
        )
        draws.append(Pick("random, same layers", heads, number, pick.name))
    return draws


def _check_number(k: int, n_all: int) -> None:
    if not 1 <= k <= n_all:
        raise ValueError(f"wanted to choose 1 to {n_all} heads, got {k}")
