"""Figures of section 3: averages of every head, by layer."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertattn.attention import Kind
from bertattn.plots.theme import MARKS, SEQUENTIAL, describe, new_axes, show
from bertattn.tables import kind_name, present


def figure_2_marks(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """Attention to the start token, the separator and punctuation (figure 2, first panel)."""
    measures = ["to_start", "to_separator", "to_punctuation"]
    return heads_by_layer(table, measures, "attention to special tokens and marks", axes)


def figure_2_separator(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """Attention from separators and from others to separators (figure 2, second panel)."""
    return heads_by_layer(
        table, ["from_separator", "from_others"], "attention to the separator", axes
    )


def figure_2_positions(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """Attention to the previous, the same and the next token (the notebook's third panel)."""
    measures = ["to_previous", "to_self", "to_next"]
    return heads_by_layer(table, measures, "attention by position", axes)


def figure_4(table: pd.DataFrame) -> Axes:
    """Entropy of all rows and of the start token's, with the uniform line (figure 4)."""
    left, right = new_axes(10.5, 4.4, 2)
    heads_by_layer(table, ["entropy"], "entropy of all tokens", left, unit="nats")
    heads_by_layer(table, ["start_entropy"], "entropy of the start token", right, unit="nats")
    alts = _in_words(table, ["entropy", "start_entropy"])
    return describe(left, f"Average entropy of heads by layer. {alts}", _signature(table))


def figure_2(table: pd.DataFrame) -> Axes:
    """All of figure 2: the paper's two panels and the notebook's positional third."""
    panels = new_axes(15.0, 4.6, 3)
    drawers = (figure_2_marks, figure_2_separator, figure_2_positions)
    alts = []
    for axes, draw in zip(panels, drawers, strict=True):
        alts.append(show(draw(table, axes)).alt)
    return describe(panels[0], " ".join(alts), _signature(table))


def heads_by_layer(
    table: pd.DataFrame,
    measures: Sequence[str],
    title: str,
    axes: Axes | None = None,
    *,
    unit: str = "share of attention",
) -> Axes:
    """A point for each head, a line through the means of layers, dots for chance.

    Chance is what attending alike to all tokens that may be seen would give. Measures that
    the model does not have (no separator, say) are named instead of drawn.
    """
    axes = axes or new_axes(6.4, 4.6)[0]
    drawn = present(table, measures)
    for place, measure in enumerate(drawn):
        _draw_measure(axes, table, measure, shift=0.18 * (place - (len(drawn) - 1) / 2))
    missing = [label(table, m) for m in measures if m not in drawn]
    axes.set(xlabel="layer", ylabel=unit, title=title)
    if missing:
        text = "not in this model:\n" + "\n".join(missing)
        axes.text(0.5, 0.98, text, transform=axes.transAxes, ha="center", va="top", fontsize=9)
    if not drawn:
        axes.set_yticks([])
        return describe(axes, f"{title.capitalize()}. {_in_words(table, measures)}")
    axes.set_xticks(sorted(table["layer"].unique()))
    axes.plot([], [], color="0.3", linestyle=":", label="chance: all tokens seen alike")
    axes.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, -0.42), ncols=2)
    alt = f"{title.capitalize()}, a point a head, by layer. {_in_words(table, measures)}"
    return describe(axes, alt, _signature(table))


def _draw_measure(axes: Axes, table: pd.DataFrame, measure: str, shift: float) -> None:
    rows = table[table["measure"] == measure]
    colour, marker, line = MARKS[measure]
    name = label(table, measure)
    means = rows.groupby("layer")["value"].mean()
    axes.scatter(
        rows["layer"] + shift, rows["value"], s=22, marker=marker, alpha=0.6, label=name,
        facecolors="none" if marker == "o" else colour, edgecolors=colour, linewidths=1,
    )  # fmt: skip
    axes.plot(means.index, means, color=colour, linestyle=line, linewidth=1.5)
    axes.axhline(rows["uniform"].iloc[0], color=colour, linestyle=":", linewidth=1)


def head_grid(table: pd.DataFrame, measure: str, axes: Axes | None = None) -> Axes:
    """One measure of every head: layers down, heads across."""
    rows = table[table["measure"] == measure]
    axes = _grid(rows, "value", _unit(measure), axes)
    axes.set_title(label(table, measure))
    alt = f"A grid of layers by heads. {_in_words(table, [measure])}"
    return describe(axes, alt, _signature(table))


def score_grid(table: pd.DataFrame, column: str, name: str = "", axes: Axes | None = None) -> Axes:
    """A column of a table with a row a head: layers down, heads across."""
    axes = _grid(table, column, name or column, axes)
    known = table.dropna(subset=[column]).nlargest(3, column)
    said = ", ".join(f"{row['head']} {row[column]:.2f}" for _, row in known.iterrows())
    alt = f"A grid of layers by heads: {name or column}. Most: {said or 'not measured'}."
    return describe(axes, alt, _signature(table))


def _grid(rows: pd.DataFrame, column: str, unit: str, axes: Axes | None) -> Axes:
    values = rows[column].to_numpy(dtype=float).reshape(rows["layer"].nunique(), -1)
    n_layers, n_heads = values.shape
    axes = axes or new_axes(0.42 * n_heads + 2.2, 0.42 * n_layers + 1.6)[0]
    image = axes.imshow(values, cmap=SEQUENTIAL, interpolation="nearest", aspect="equal")
    axes.figure.colorbar(image, ax=axes, label=unit, shrink=0.8)
    axes.set_xticks(range(n_heads), _counted(n_heads))
    axes.set_yticks(range(n_layers), _counted(n_layers))
    axes.set(xlabel="head", ylabel="layer")
    return axes


def label(table: pd.DataFrame, measure: str) -> str:
    """A measure in words, special tokens by this model's own names.

    Example:
        >>> label(pd.DataFrame(), "to_previous")
        'to the previous token'
    """
    made = table.attrs.get("manifest", {"specials": {}})
    start, separator = kind_name(made, Kind.START), kind_name(made, Kind.SEPARATOR)
    return {
        "to_self": "to the token itself",
        "to_next": "to the next token",
        "to_previous": "to the previous token",
        "to_first": "to the first token",
        "to_start": f"to {start}",
        "to_separator": f"to {separator}",
        "to_punctuation": 'to "." and ","',
        "to_mask": "to masked pieces",
        "to_other": "to other tokens",
        "to_one_other": "to one other token, drawn at random",
        "from_separator": f"from {separator} to {separator}",
        "from_others": f"from other tokens to {separator}",
        "entropy": "entropy of a row",
        "start_entropy": f"entropy of the row of {start}",
    }[measure]


def _counted(n: int) -> list[str]:
    return [str(i + 1) for i in range(n)]


def _unit(measure: str) -> str:
    return "nats" if measure.endswith("entropy") else "share of attention"


def _in_words(table: pd.DataFrame, measures: Sequence[str]) -> str:
    sentences = []
    for measure in measures:
        rows = table[table["measure"] == measure]
        if rows["value"].isna().all():
            sentences.append(f"Not in this model: {label(table, measure)}.")
            continue
        best = rows.loc[rows["value"].idxmax()]
        sentences.append(
            f"{label(table, measure)}: mean {np.nanmean(rows['value']):.2f}, "
            f"most {best['value']:.2f} in head {best['head']}, chance {best['uniform']:.2f}."
        )
    return " ".join(sentences)


def _signature(table: pd.DataFrame) -> str:
    return table.attrs.get("signature", "")
