"""Pictures of single attention maps."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from bertattn.attention import AttentionMap, WordAttention
from bertattn.heads import AttentionHead
from bertattn.plots.theme import MARKS, SEQUENTIAL, cut, describe, new_axes

LINE = MARKS["to_start"].colour
MOST_CELLS = 40  # rows and columns of a small map


def figure_1(attention: AttentionMap | WordAttention, heads: Sequence[AttentionHead]) -> Axes:
    """Several heads side by side, a line from each token to those it attends to.

    The darker the line, the more attention (Clark et al. 2019, figure 1).
    """
    labels = labels_of(attention)
    panels = new_axes(2.6 * len(heads), 0.24 * len(labels) + 0.7, len(heads))
    for axes, attn_head in zip(panels, heads, strict=True):
        attention_lines(attention, attn_head, axes)
    texts = [_strongest(labels, _weights(attention, attn_head)) for attn_head in heads]
    parts = [f"head {h}: {text}" for h, text in zip(heads, texts, strict=True)]
    return describe(panels[0], "Attention as lines. " + " ".join(parts))


def attention_lines(
    attention: AttentionMap | WordAttention, attn_head: AttentionHead, axes: Axes | None = None
) -> Axes:
    """One head's attention: tokens twice, and a line from each to those it attends to."""
    labels, weights = labels_of(attention), _weights(attention, attn_head)
    drawn, n = [cut(label) for label in labels], len(labels)
    axes = axes or new_axes(3.6, 0.24 * n + 0.7)[0]
    for i, j in zip(*np.nonzero(weights > 0.02), strict=True):
        axes.plot([0, 1], [i, j], color=LINE, alpha=min(1.0, float(weights[i, j])), linewidth=1.5)
    for i, label in enumerate(drawn):
        axes.text(-0.05, i, label, ha="right", va="center", fontsize=9, parse_math=False)
        axes.text(1.05, i, label, ha="left", va="center", fontsize=9, parse_math=False)
    axes.set(xlim=(-0.9, 1.9), ylim=(n - 0.4, -0.6), title=f"head {attn_head}")
    axes.axis("off")
    return describe(axes, f"Attention of head {attn_head} as lines. {_strongest(labels, weights)}")


def attention_matrix(
    attention: AttentionMap | WordAttention, attn_head: AttentionHead, axes: Axes | None = None
) -> Axes:
    """One head's attention as a matrix: rows attend to columns."""
    labels, weights = labels_of(attention), _weights(attention, attn_head)
    drawn, n = [cut(label) for label in labels], len(labels)
    axes = axes or new_axes(0.2 * n + 2.4, 0.2 * n + 1.5)[0]
    image = axes.imshow(weights, cmap=SEQUENTIAL, vmin=0, vmax=1, interpolation="nearest")
    axes.figure.colorbar(image, ax=axes, label="attention", shrink=0.8)
    axes.set_xticks(range(n), drawn, rotation=90, fontsize=9, parse_math=False)
    axes.set_yticks(range(n), drawn, fontsize=9, parse_math=False)
    axes.set(xlabel="to", ylabel="from", title=f"head {attn_head}")
    return describe(
        axes, f"Attention of head {attn_head} as a matrix. {_strongest(labels, weights)}"
    )


def all_maps(weights: Float[np.ndarray, "layer head unit unit"], title: str) -> Axes:
    """The maps of all heads of one text as small pictures, layers down and heads across.

    Colours show the square root of a weight, so that weak attention can be seen. Of a long text
    neighbouring tokens are taken together.
    """
    n_layers, n_heads, n, _ = weights.shape
    step = -(-n // MOST_CELLS)
    small = _merged(weights, step)
    framed = np.pad(np.sqrt(small), ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=np.nan)
    size = framed.shape[-1]
    mosaic = framed.transpose(0, 2, 1, 3).reshape(n_layers * size, n_heads * size)
    axes = new_axes(0.75 * n_heads + 0.6, 0.75 * n_layers + 0.7)[0]
    axes.imshow(mosaic, cmap=SEQUENTIAL, vmin=0, vmax=1, interpolation="nearest")
    middles = size * (np.arange(max(n_layers, n_heads)) + 0.5) - 0.5
    axes.set_xticks(middles[:n_heads], [str(i + 1) for i in range(n_heads)])
    axes.set_yticks(middles[:n_layers], [str(i + 1) for i in range(n_layers)])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set(xlabel="head", ylabel="layer")
    largest = weights.max(axis=-1).mean(axis=-1)
    layer, index = np.unravel_index(largest.argmax(), largest.shape)
    narrowest = AttentionHead(int(layer), int(index))
    together = f", {step} tokens taken together" if step > 1 else ""
    axes.set_title(f"colours: square root of the weight{together}", fontsize=9)
    alt = (
        f"{title}{together}. The narrowest is head {narrowest}, with {largest.max():.2f} on one "
        "token on average."
    )
    return describe(axes, alt)


def _merged(
    weights: Float[np.ndarray, "layer head unit unit"], step: int
) -> Float[np.ndarray, "layer head part part"]:
    """Neighbours taken together, as the pieces of a word are: sums to them, means from them."""
    begins = np.arange(0, weights.shape[-1], step)
    lengths = np.diff([*begins, weights.shape[-1]])
    summed = np.add.reduceat(weights, begins, axis=-1)
    return np.add.reduceat(summed, begins, axis=-2) / lengths[:, None]


def labels_of(attention: AttentionMap | WordAttention) -> tuple[str, ...]:
    """What stands along the rows and columns of a map."""
    if isinstance(attention, WordAttention):
        return attention.words + attention.specials
    return attention.tokens.pieces


def _weights(
    attention: AttentionMap | WordAttention, attn_head: AttentionHead
) -> Float[np.ndarray, "from to"]:
    n_layers, n_heads = attention.weights.shape[:2]
    if attn_head.layer >= n_layers or attn_head.index >= n_heads:
        last = AttentionHead(n_layers - 1, n_heads - 1)
        raise ValueError(f"wanted a head from 1-1 to {last}, got {attn_head}")
    return attention.weights[attn_head.layer, attn_head.index]


def _strongest(labels: Sequence[str], weights: Float[np.ndarray, "from to"]) -> str:
    """The three strongest arrows in words."""
    flat = np.argsort(-weights, axis=None, kind="stable")[:3]
    pairs = zip(*np.unravel_index(flat, weights.shape), strict=True)
    arrows = [f"{labels[i]!r} to {labels[j]!r} {weights[i, j]:.2f}" for i, j in pairs]
    return f"Strongest: {', '.join(arrows)}."
