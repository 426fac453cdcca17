"""What changes in a text without a head: one head beside all others."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertattn.heads import AttentionHead
from bertattn.plots.theme import describe, new_axes

CHOSEN, OTHERS = "#D55E00", "#0072B2"
LEAST = 1e-7  # changes under this are drawn as this: as far as float32 can tell


def without(table: pd.DataFrame, attn_head: AttentionHead | str) -> Axes:
    """How far a text's vectors move without a head.

    Left: the vector of the whole text, a point a head, by layer, on a scale of powers of ten; the
    line is the median head. Right: the final vector of each word and special token without this
    head, beside the median over all heads.

    Args:
        table: All heads (``tables.without``).
        attn_head: Which one is marked.

    Raises:
        ValueError: If there is no such head.
    """
    name = str(attn_head)
    if refused := table.attrs.get("refused", ""):
        return _refused(refused)
    if name not in set(table["head"]):
        heads = table["head"].unique()
        raise ValueError(f"wanted a head from {heads[0]} to {heads[-1]}, got {name}")
    of_text = table[table["place"] == 0].reset_index(drop=True)
    of_units = table[table["place"] > 0]
    n_units = int(of_units["place"].max())
    left, right = new_axes(10.5, max(4.0, 0.24 * n_units + 1.6), 2)
    said = _all_heads(left, of_text, name)
    most = _units(right, of_units, name)
    alt = f"What changes without head {name}. {said} {most}"
    return describe(left, alt, table.attrs.get("signature", ""))


def _all_heads(axes: Axes, of_text: pd.DataFrame, name: str) -> str:
    changes = of_text["change"].clip(lower=LEAST)
    chosen = of_text["head"] == name
    median = float(of_text["change"].median())
    axes.scatter(
        of_text["layer"][~chosen], changes[~chosen], s=24, facecolors="none", edgecolors=OTHERS,
        label="another head",
    )  # fmt: skip
    axes.scatter(
        of_text["layer"][chosen], changes[chosen], s=80, marker="D", color=CHOSEN,
        label=f"head {name}", zorder=3,
    )  # fmt: skip
    axes.axhline(max(median, LEAST), color="0.3", linestyle=":", label="the median head")
    axes.set(yscale="log", xlabel="layer of the head", ylabel="1 - cosine")
    axes.set_title("the whole text's vector without a head")
    axes.set_xticks(sorted(of_text["layer"].unique()))
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    own = float(of_text.loc[chosen, "change"].iloc[0])
    return f"The text's vector: {own:.2g}, median head {median:.2g}."


def _units(axes: Axes, of_units: pd.DataFrame, name: str) -> str:
    own = of_units[of_units["head"] == name]
    medians = of_units.groupby("place")["change"].median()
    places = np.arange(len(own))
    axes.barh(places, own["change"], color=CHOSEN, height=0.7, label=f"without head {name}")
    axes.plot(
        medians.to_numpy(), places, linestyle="none", marker="|", markersize=11,
        markeredgewidth=2, color="black", label="median over all heads",
    )  # fmt: skip
    axes.set_yticks(places, own["unit"].tolist(), fontsize=9, parse_math=False)
    axes.invert_yaxis()
    axes.set(xlim=(0, None), xlabel="1 - cosine")
    axes.set_title("each word's final vector")
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
    top = own.loc[own["change"].idxmax()]
    return f"Most moved: {top['unit']!r}, {top['change']:.2g}."


def _refused(why: str) -> Axes:
    axes = new_axes(7.0, 1.2)[0]
    words = "cannot be taken away\nin this family of models"
    axes.text(0.5, 0.5, words, ha="center", va="center", transform=axes.transAxes)
    axes.set_axis_off()
    return describe(axes, f"Nothing is drawn. {why}.")
