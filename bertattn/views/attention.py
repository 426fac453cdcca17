"""Views of attention maps: chosen heads as lines or matrices, and all heads at once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from matplotlib.axes import Axes

from bertattn import plots
from bertattn.attention import AttentionMap, WordAttention
from bertattn.heads import AttentionHead
from bertattn.views.levels import Level, Part, levels_of
from bertattn.views.packing import codes, weights
from bertattn.views.page import View

Form = Literal["lines", "matrix"]
FIRST = AttentionHead(0, 0)
BUDGET = 5_000_000  # weights in a page, a byte each before they are compressed
N_ROWS = 20
N_DRAWN = 64  # tokens in a still picture


class HeadView(View):
    """Attention heads as lines between two columns of tokens, or as matrices.

    In the page a reader chooses layer, heads (several, if wished), words or pieces, lines or
    matrix, one of two texts, hides special tokens, and reads the numbers of a token by pointing at
    it or by moving to it with the keys. Weights with special tokens hidden are not rescaled.

    A long text has more weights than a page can hold: then the level that is shown first, fewer
    layers, or fewer heads are kept, and the view says which.

    Args:
        attention: The maps of a text, by piece; of ``WordAttention`` only words can be shown.
        heads: Heads of one layer that are shown first.
        level: What is shown first, words or pieces.
        form: Lines or a matrix.
        threshold: The smallest weight that is drawn as a line.
        specials: Whether special tokens are shown at first.

    Raises:
        ValueError: If heads are of several layers, or not in the model; if there is no token, or
            weights are not from 0 to 1.
    """

    def __init__(
        self,
        attention: AttentionMap | WordAttention,
        heads: Sequence[AttentionHead] = (FIRST,),
        level: Level = "word",
        form: Form = "lines",
        threshold: float = 0.05,
        specials: bool = True,
    ) -> None:
        _known(level, form)
        parts = levels_of(attention, level)
        chosen = _of_one_layer(heads, parts[0].weights.shape[:2])
        kept, layers, indices, notice = _within_budget(parts, chosen)
        data = {
            "title": "attention, head by head",
            "notice": notice,
            "layers": layers,
            "heads": indices,
            "levels": _offsets(kept),
            "start": {
                "level": 0,
                "layer": chosen[0].layer,
                "heads": [h.index for h in chosen],
                "form": form,
                "threshold": threshold,
                "specials": specials,
            },
        }
        first = kept[0]
        at = [(layers.index(h.layer), indices.index(h.index)) for h in chosen]
        super().__init__(
            "heads",
            data,
            lambda: _still(parts[0], chosen, form),
            ("head", "from", "to", "weight"),
            [
                row
                for name, place in zip(chosen, at, strict=True)
                for row in _strongest(str(name), first, codes(first.weights[place]))
            ],
            b"".join(codes(part.weights).tobytes() for part in kept),
            f"the {N_ROWS} strongest weights of {', '.join(map(str, chosen))}, by {first.name}",
        )


class ModelView(View):
    """All heads of a model on one text as small pictures, of which a reader opens one.

    Args:
        attention: The maps of a text.
        level: Words or pieces.
        opened: The head that is open at first.

    Raises:
        ValueError: As ``HeadView``.
    """

    def __init__(
        self,
        attention: AttentionMap | WordAttention,
        level: Level = "word",
        opened: AttentionHead = FIRST,
    ) -> None:
        large = HeadView(attention, [opened], level)
        n_layers, n_heads = attention.weights.shape[:2]
        title = f"{n_layers} layers of {n_heads} heads on one text"
        part = levels_of(attention, level)[0]
        super().__init__(
            "model",
            {**large.data, "title": title},
            lambda: plots.all_maps(part.weights, title),
            large.columns,
            large.rows,
            large.maps,
            large.caption,
        )


def _known(level: str, form: str) -> None:
    """Refuse what is neither level nor form."""
    for what, got, known in (("level", level, get_args(Level)), ("form", form, get_args(Form))):
        if got not in known:
            raise ValueError(f"wanted {what} {' or '.join(map(repr, known))}, got {got!r}")


def _of_one_layer(
    heads: Sequence[AttentionHead], shape: tuple[int, ...]
) -> Sequence[AttentionHead]:
    if len({h.layer for h in heads}) != 1:
        names = ", ".join(map(str, heads)) or "none"
        raise ValueError(f"wanted one head, or several of one layer, got {names}")
    for h in heads:
        if h.layer >= shape[0] or h.index >= shape[1]:
            last = AttentionHead(shape[0] - 1, shape[1] - 1)
            raise ValueError(f"wanted a head from 1-1 to {last}, got {h}")
    return heads


def _within_budget(
    parts: list[Part], chosen: Sequence[AttentionHead]
) -> tuple[list[Part], list[int], list[int], str]:
    """As many levels, layers and heads as a page can hold, and what is left out, in words."""
    n_layers, n_heads = parts[0].weights.shape[:2]
    layers, indices = list(range(n_layers)), list(range(n_heads))
    if sum(part.weights.size for part in parts) <= BUDGET:
        return parts, layers, indices, ""
    part = parts[0]
    n = len(part.labels)
    left_out = [] if len(parts) == 1 else [f"only {part.name}s"]
    n_kept = BUDGET // (n * n)
    if n_kept < n_layers * n_heads:
        at, n_near = chosen[0].layer, max(n_kept // n_heads, 1)
        begin = min(max(at - n_near // 2, 0), n_layers - n_near)
        layers = layers[begin : begin + n_near]
        span = f"s {layers[0] + 1} to {layers[-1] + 1}" if n_near > 1 else f" {at + 1}"
        left_out.append(f"layer{span} of {n_layers}")
    if n_kept < n_heads:
        asked = [h.index for h in chosen]
        others = [index for index in indices if index not in asked]
        indices = sorted((asked + others)[: max(n_kept, len(asked))])
        left_out.append(f"{len(indices)} of {n_heads} heads")
    kept = replace(part, weights=part.weights[np.ix_(layers, indices)])
    what = ", ".join(left_out)
    return [kept], layers, indices, f"A text of {n} tokens: this page holds {what}."


def _offsets(parts: Sequence[Part]) -> list[dict[str, Any]]:
    begins = np.cumsum([0, *(part.weights.size for part in parts)])
    return [part.as_data(int(begin)) for part, begin in zip(parts, begins, strict=False)]


def _still(part: Part, heads: Sequence[AttentionHead], form: Form) -> Axes:
    """The first head as a picture, of a long text the first tokens only."""
    n_tokens = len(part.labels)
    n = min(n_tokens, N_DRAWN)
    attention = WordAttention(part.labels[:n], np.arange(n), part.weights[..., :n, :n])
    if form == "matrix":
        axes = plots.attention_matrix(attention, heads[0])
    elif len(heads) > 1:
        axes = plots.figure_1(attention, heads)
    else:
        axes = plots.attention_lines(attention, heads[0])
    if n < n_tokens:
        axes.set_title(f"{axes.get_title()}, first {n} of {n_tokens} tokens")
        said = plots.show(axes).alt
        plots.describe(axes, f"Of {n_tokens} tokens the first {n}. {said}")
    return axes


def _strongest(name: str, part: Part, packed: np.ndarray) -> list[list[str]]:
    """The strongest arrows of a head, in two digits."""
    shown = weights(packed)
    flat = np.argsort(-shown, axis=None, kind="stable")[:N_ROWS]
    pairs = zip(*np.unravel_index(flat, shown.shape), strict=True)
    return [
        [name, part.labels[i], part.labels[j], _two_digits(float(shown[i, j]))]
        for i, j in pairs
        if shown[i, j]
    ]


def _two_digits(weight: float) -> str:
    return f"{weight:g}" if weight < 0.1 else f"{weight:.2f}"
