"""Figures of section 3.2's second half: gradients, and what stands beside a small one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from bertattn.plots.surface import label
from bertattn.plots.theme import MARKS, describe, new_axes
from bertattn.tables import importance_by_layer, sink_name

FORMS = {
    "gradient": "|dL / d weight|, mean",
    "logit": "|dL / d logit|, mean",
    "weight": "attention weight, mean",
}
TITLES = {
    "gradient": "gradients by attention weights; L: {}",
    "logit": "gradients by the logits of attention; L: {}",
    "weight": "attention weights, of the inputs of: {}",
}
PANELS = (
    [
        ("gradient", "by the weight", "#0072B2", "o", "-"),
        ("logit", "by the logit", "#D55E00", "s", "--"),
    ],
    [
        ("attention", "share of attention", "#0072B2", "o", "-"),
        ("moved", "share of what is moved", "#D55E00", "s", "--"),
        ("value_norm", "size of its values / mean", "#009E73", "^", "-."),
    ],
)
WAYS = {
    "dropped": ("dropped", "#56B4E9", "o", "-"),
    "renormalised": ("taken away, the rest scaled up", "#D55E00", "s", "--"),
    "mean": ("replaced by its mean", "#009E73", "^", "-."),
}

WHERE = (
    ("applies", "from words that its relation applies to", "#0072B2", "o"),
    ("elsewhere", "from other words", "#D55E00", "s"),
    ("expected", "from other words, if it were as all heads", "#000000", "|"),
)


def figure_3(table: pd.DataFrame, form: str = "gradient", axes: Axes | None = None) -> Axes:
    """Mean gradients by layer and kind of target (figure 3): a point a head, a line the means.

    Args:
        table: Gradients (``tables.importance``).
        form: "gradient", "logit" or "weight".
        axes: Where to draw.

    Raises:
        ValueError: If there is no such form.
    """
    rows = table[table["form"] == form]
    if rows.empty:
        raise ValueError(f"wanted one of {', '.join(FORMS)} as form, got {form!r}")
    axes = axes or new_axes(7.4, 4.8)[0]
    targets = list(dict.fromkeys(rows["target"]))
    for place, target in enumerate(targets):
        _draw_target(
            axes,
            table,
            rows[rows["target"] == target],
            shift=0.14 * (place - (len(targets) - 1) / 2),
        )
    objective = table["objective"].iloc[0]
    axes.set_yscale("log")
    axes.set_xticks(sorted(rows["layer"].unique()))
    axes.set(xlabel="layer", ylabel=FORMS[form])
    axes.set_title(TITLES[form].format(objective))
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    alt = f"{TITLES[form].format(objective)}: a point a head, by layer. {_means(table, form)}"
    return describe(axes, alt, table.attrs.get("signature", ""))


def _draw_target(axes: Axes, table: pd.DataFrame, rows: pd.DataFrame, shift: float) -> None:
    target = rows["target"].iloc[0]
    colour, marker, line = MARKS[target]
    means = rows.groupby("layer")["value"].mean()
    axes.scatter(
        rows["layer"] + shift, rows["value"], s=18, marker=marker, alpha=0.5,
        facecolors="none" if marker == "o" else colour, edgecolors=colour, linewidths=1,
    )  # fmt: skip
    axes.plot(
        means.index, means, color=colour, linestyle=line, marker=marker, linewidth=1.6,
        label=label(table, target),
    )  # fmt: skip


def _means(table: pd.DataFrame, form: str) -> str:
    means = importance_by_layer(table, form)
    said = [
        f"{label(table, t)} {means[t].min():.2g} to {means[t].max():.2g} by layer" for t in means
    ]
    return f"{'; '.join(said)}."


def no_op(evidence: pd.DataFrame) -> Axes:
    """What speaks for and against a no-op at a sink, side by side, by layer.

    Left: gradients by weights to the sink, and by their logits, against those to ordinary tokens.
    Middle: the sink's share of attention, of what attention moves, and the size of its values.
    Right: how far final states move when attention to it is taken away, and to one other token.

    Args:
        evidence: All of it (``tables.no_op``).
    """
    name = sink_name(evidence.attrs.get("manifest", {"specials": {}}), evidence.attrs["sink"])
    panels = left, middle, right = new_axes(15.0, 4.8, 3)
    _lines(left, evidence, PANELS[0])
    left.axhline(1, color="0.3", linestyle=":", label="as by those to other tokens")
    left.set(yscale="log", ylabel="ratio", title=f"gradients: {name} / other tokens")
    left.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    left.yaxis.set_major_formatter("{x:g}")
    left.yaxis.set_minor_locator(NullLocator())
    _lines(middle, evidence, PANELS[1])
    middle.set(ylim=(0, None), ylabel="of 1", title=f"what attention to {name} moves")
    _lines(right, evidence, _changes(evidence, name))
    right.set(ylim=(0, None), ylabel="|change| / |states|", title="attention taken away in a layer")
    for axes in panels:
        axes.set_xticks(evidence.index)
        axes.set_xlabel("layer")
        if axes.lines:
            axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16))
        else:
            axes.text(0.5, 0.5, "cannot be read\nin this family of models", ha="center",
                      transform=axes.transAxes)  # fmt: skip
    means = [c for c in evidence if not c.endswith(("_low", "_high"))]
    said = "; ".join(f"{c} {evidence[c].min():.2f} to {evidence[c].max():.2f}" for c in means)
    alt = f"Evidence for and against a no-op at {name}, by layer: {said}."
    return describe(left, alt, evidence.attrs.get("signature", ""))


def _lines(axes: Axes, table: pd.DataFrame, drawn: Sequence[tuple[str, ...]]) -> None:
    for column, name, colour, marker, line in drawn:
        if column in table:
            control = column.endswith("one other")
            axes.errorbar(
                table.index, table[column], yerr=_spread(table, column), elinewidth=1,
                color=colour, marker=marker, linestyle=line, label=name,
                markersize=10 if control and marker == "o" else 6,
                markerfacecolor="none" if control else colour,
            )  # fmt: skip


def _spread(table: pd.DataFrame, column: str) -> np.ndarray | None:
    """How far an interval reaches down and up, where there is one."""
    if f"{column}_low" not in table:
        return None
    ends = [table[column] - table[f"{column}_low"], table[f"{column}_high"] - table[column]]
    return np.maximum(np.nan_to_num(np.array(ends)), 0)


def _changes(evidence: pd.DataFrame, sink: str) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for way, (words, colour, marker, line) in WAYS.items():
        if way in evidence:
            found.append((way, f"{sink}: {words}", colour, marker, line))
        if (control := f"{way}, one other") in evidence:
            found.append((control, f"one other token: {words}", "0.45", marker, ":"))
    return found


def sink_where(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """The best heads' attention to a sink, where their relation applies and where it does not.

    The bar is where the square would lie if the head differed as all heads do on average: by the
    length of sentences and the place in them.

    Args:
        table: Both (``tables.sink_where``).
        axes: Where to draw.
    """
    rows = table.sort_values("excess").reset_index(drop=True)
    axes = axes or new_axes(7.6, 0.28 * len(rows) + 1.9)[0]
    if rows.empty:
        return _no_relation(axes, table)
    name = sink_name(table.attrs.get("manifest", {"specials": {}}), table["sink"].iloc[0])
    rows["expected"] = rows["applies"] + rows["all_heads"]
    axes.hlines(rows.index, 100 * rows["applies"], 100 * rows["elsewhere"], color="0.8")
    for column, words, colour, marker in WHERE:
        axes.plot(
            100 * rows[column], rows.index, linestyle="none", marker=marker, color=colour,
            markerfacecolor="none" if marker == "o" else colour, label=words,
            markersize=11 if marker == "|" else 6, markeredgewidth=2 if marker == "|" else 1,
        )  # fmt: skip
    labels = [_label(r, rows) for r in rows.itertuples()]
    axes.set_yticks(rows.index, labels, fontsize=9)
    axes.set(xlim=(-2, 102), xlabel=f"attention to {name}, per cent", ylim=(-0.8, len(rows) - 0.2))
    axes.set_title(f"attention of each relation's best head to {name}")
    axes.grid(axis="x", color="0.9")
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.45, -0.12), ncols=2)
    most = rows.iloc[np.argsort(-rows["excess"].to_numpy())[:3]]
    said = "; ".join(
        f"{r.relation}, head {r.head}: {r.applies:.0%}, {r.elsewhere:.0%} where it does not apply "
        f"({r.expected:.0%} if as all heads)"
        for r in most.itertuples()
    )
    n = rows["relation"].nunique()
    alt = f"Attention of the best heads of {n} relations to {name}. {said}."
    return describe(axes, alt, table.attrs.get("signature", ""))


def _label(row: Any, rows: pd.DataFrame) -> str:
    """A relation with its head and words, and the direction where it has a row for each."""
    twice = (rows["relation"] == row.relation).sum() > 1
    direction = f", {row.direction}" if twice else ""
    return f"{row.relation}{direction}  ({row.head}, {row.n_applies:,})"


def _no_relation(axes: Axes, table: pd.DataFrame) -> Axes:
    words = "too few words of each relation"
    axes.text(0.5, 0.5, words, ha="center", transform=axes.transAxes)
    axes.set_axis_off()
    return describe(axes, f"Nothing is drawn: {words}.", table.attrs.get("signature", ""))
