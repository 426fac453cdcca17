"""The card of one head: what it does, what it knows, which heads are near, and a map."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertattn.attention import AttentionMap
from bertattn.heads import AttentionHead
from bertattn.plots.attention import labels_of
from bertattn.plots.surface import label
from bertattn.plots.theme import MARKS, SEQUENTIAL, describe, new_axes

SHARES = (
    "to_next",
    "to_previous",
    "to_self",
    "to_start",
    "to_separator",
    "to_first",
    "to_punctuation",
)
N_NEAREST = 2


def behaviour_card(
    heads: pd.DataFrame, nearest: pd.DataFrame, attention: AttentionMap, attn_head: AttentionHead
) -> Axes:
    """One head's shares of attention, its roles, and its map of one text beside its nearest heads'.

    A bar is the mean over the inputs measured; the black line on it is what attending to all tokens
    alike would give. Breadth is the entropy of its rows, of 1 for the most possible.

    Args:
        heads: The heads (``tables.head_map``).
        nearest: The nearest heads of each (``tables.nearest_heads``).
        attention: The map of a text, not too long.
        attn_head: Which head.

    Raises:
        ValueError: If there is no such head.
    """
    rows = heads[heads["head"] == str(attn_head)]
    if rows.empty:
        last = heads["head"].iloc[-1]
        raise ValueError(f"wanted a head from 1-1 to {last}, got {attn_head}")
    row = rows.iloc[0]
    near = nearest[nearest["head"] == str(attn_head)].nsmallest(N_NEAREST, "rank")
    panels = new_axes(4.2 * (2 + len(near)), 4.4, 2 + len(near))
    said = _shares(panels[0], heads, row)
    _matrix(panels[1], attention, attn_head, f"head {attn_head}")
    for axes, other in zip(panels[2:], near.itertuples(), strict=True):
        title = f"nearest: {other.nearest}, at {other.distance:.3f} nats"
        _matrix(axes, attention, AttentionHead.parse(other.nearest), title)
    roles = row["roles"] or "none"
    what = f"head {attn_head}: {row['behaviour']}"
    panels[0].set_title(f"{what}\nbest head for: {roles}", fontsize=10)
    close = ", ".join(f"{o.nearest} ({o.distance:.3f} nats)" for o in near.itertuples())
    alt = f"{what.capitalize()}; best head for: {roles}. {said}. Nearest heads: {close or 'none'}."
    return describe(panels[0], alt, str(heads.attrs.get("signature", "")))


def _shares(axes: Axes, heads: pd.DataFrame, row: pd.Series) -> str:
    """Bars of the measures that the model has, chance on each; said in words too."""
    chance = heads.attrs["chance"]
    has_start = not np.isnan(row["to_start"])  # else the first token stands in its place
    shown = [m for m in SHARES if not np.isnan(row[m]) and not (m == "to_first" and has_start)]
    names = {m: label(heads, m) for m in shown}
    values = {names[m]: (row[m], chance[m], MARKS[m].colour) for m in names}
    values["breadth"] = (row["entropy"] / chance["entropy"], 1.0, "0.5")
    for place, (value, by_chance, colour) in enumerate(values.values()):
        axes.barh(place, value, color=colour, height=0.7)
        axes.plot(
            [by_chance, by_chance], [place - 0.42, place + 0.42], color="black", linewidth=1.5
        )
        behind = by_chance if value < by_chance < value + 0.15 else value
        axes.text(behind + 0.02, place, f"{value:.2f}", va="center", fontsize=9)
    axes.set_yticks(range(len(values)), list(values), fontsize=9)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1.18), xlabel="share of attention; line: by chance")
    return ", ".join(f"{name} {value:.2f}" for name, (value, _, _) in values.items())


def _matrix(axes: Axes, attention: AttentionMap, attn_head: AttentionHead, title: str) -> None:
    weights = attention.weights[attn_head.layer, attn_head.index]
    labels = labels_of(attention)
    axes.imshow(weights, cmap=SEQUENTIAL, vmin=0, vmax=1, interpolation="nearest")
    axes.set_xticks(range(len(labels)), labels, rotation=90, fontsize=8, parse_math=False)
    axes.set_yticks(range(len(labels)), labels, fontsize=8, parse_math=False)
    axes.set_title(title, fontsize=10)
