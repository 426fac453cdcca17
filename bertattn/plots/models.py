"""Figures of several runs side by side."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from bertattn.attention import Kind
from bertattn.plots.theme import MARKS, Mark, describe, new_axes
from bertattn.tables import kind_name

RUNS = (
    Mark("#0072B2", "o"),
    Mark("#000000", "X", ":"),
    Mark("#D55E00", "s", "--"),
    Mark("#009E73", "^", "-."),
    Mark("#CC79A7", "D", "-."),
    Mark("#E69F00", "v", "--"),
)
TITLES = {
    "to_start": ("attention to the start token", Kind.START),
    "to_separator": ("attention to the separator", Kind.SEPARATOR),
    "entropy": ("entropy of a row, nats", None),
}


def by_depth(table: pd.DataFrame, measures: Sequence[str] = tuple(TITLES)) -> Axes:
    """Means over the heads of each layer, a line a model, by how far up the layer lies.

    Args:
        table: Several models (``tables.models``).
        measures: Of "to_start", "to_separator" and "entropy", a panel each.

    Raises:
        ValueError: If there are more models than lines that can be told apart.
    """
    names = list(dict.fromkeys(table["model"]))
    _check(names)
    panels = new_axes(4.6 * len(measures), 4.4, len(measures))
    for axes, measure in zip(panels, measures, strict=True):
        axes.set(xlim=(0, 1), xlabel="depth of the layer, 0 to 1", title=TITLES[measure][0])
        for mark, name in zip(RUNS, names, strict=False):
            rows = table[(table["model"] == name) & (table["measure"] == measure)]
            means = rows.groupby("depth")["value"].mean().dropna()
            if len(means):
                _line(axes, means, mark, _named(table, name, measure))
        axes.set_ylim(0, None)
        axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.2))
    alts = [_alt(table, names, measure) for measure in measures]
    alt = f"Means of layers by depth, a line a model. {' '.join(alts)}"
    return describe(panels[0], alt, table.attrs.get("signature", ""))


def _check(names: Sequence[str]) -> None:
    if len(names) > len(RUNS):
        raise ValueError(f"wanted at most {len(RUNS)} runs in one figure, got {len(names)}")


def _line(axes: Axes, means: pd.Series, mark: Mark, name: str) -> None:
    axes.plot(
        means.index, means, color=mark.colour, marker=mark.marker, linestyle=mark.line,
        markerfacecolor="none" if mark.marker == "o" else mark.colour, label=name,
    )  # fmt: skip


def _named(table: pd.DataFrame, model: str, measure: str) -> str:
    """A model, and what the token is called in it."""
    kind, made = TITLES[measure][1], table.attrs.get("manifest", {}).get(model)
    return f"{model}, {kind_name(made, kind)}" if kind is not None and made else model


def _alt(table: pd.DataFrame, names: Sequence[str], measure: str) -> str:
    said = []
    for name in names:
        rows = table[(table["model"] == name) & (table["measure"] == measure)]
        means = rows.groupby("layer")["value"].mean()
        if means.notna().any():
            said.append(f"{name} {means.min():.2f} to {means.max():.2f}, most in layer "
                        f"{means.idxmax()}")  # fmt: skip
    return f"{TITLES[measure][0].capitalize()}: {'; '.join(said) or 'in no model'}."


def share_and_gradient(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """Attention to special tokens against gradients by it, a point a layer, its number beside it.

    If attention to the token were a no-op where there is much of it, the points would fall to the
    right: the paper's figures 2 and 3 in one.

    Args:
        table: Both (``tables.share_and_gradient``).
        axes: Where to draw.
    """
    axes = axes or new_axes(6.8, 4.8)[0]
    for place, (target, rows) in enumerate(table.groupby("target", sort=False)):
        colour, marker, _ = MARKS[str(target)]
        offset, side = ((7, 5), "left") if place else ((-7, -12), "right")
        axes.scatter(
            100 * rows["share"], rows["gradient"], s=60, marker=marker, edgecolors=colour,
            facecolors="none" if marker == "o" else colour, label=f"to {rows['token'].iloc[0]}",
        )  # fmt: skip
        for row in rows.itertuples():
            axes.annotate(
                str(row.layer), (100 * row.share, row.gradient), textcoords="offset points",
                xytext=offset, ha=side, fontsize=8, color=colour,
            )  # fmt: skip
    axes.axhline(1, color="0.3", linestyle=":", label="as by ordinary tokens")
    axes.set(yscale="log", xlabel="attention, per cent of the layer", ylabel="gradient, ratio")
    axes.set_title("attention to a token, and gradients by it; the number is the layer")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    said = "; ".join(
        f"{rows['token'].iloc[0]}: {rows['share'].min():.0%} to {rows['share'].max():.0%} of "
        f"attention, gradients {rows['gradient'].min():.2f} to {rows['gradient'].max():.2f} times"
        for _, rows in table.groupby("target", sort=False)
    )
    alt = (
        f"Attention to special tokens against gradients by it, by layer. {said or 'No such token'}."
    )
    return describe(axes, alt, table.attrs.get("signature", ""))


def gains(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """What the best head of each relation has over the best fixed offset, a mark a run.

    On halves of the documents that did not choose the head, with intervals.

    Args:
        table: The runs (``tables.runs``).
        axes: Where to draw.

    Raises:
        ValueError: If there are more runs than marks that can be told apart.
    """
    names = list(dict.fromkeys(table["run"]))
    _check(names)
    relations = list(dict.fromkeys(table["relation"]))[::-1]
    below = -0.6 / (0.42 * len(relations) + 0.4)  # of the axes' height
    axes = axes or new_axes(7.6, 0.42 * len(relations) + 2.0)[0]
    for place, (mark, name) in enumerate(zip(RUNS, names, strict=False)):
        rows = table[table["run"] == name].drop_duplicates("relation")
        y = np.array([relations.index(r) for r in rows["relation"]], dtype=float)
        y += 0.2 * ((len(names) - 1) / 2 - place)
        ends = [rows["offset_gain"] - rows["offset_gain_low"],
                rows["offset_gain_high"] - rows["offset_gain"]]  # fmt: skip
        axes.errorbar(
            100 * rows["offset_gain"], y, xerr=100 * np.maximum(np.nan_to_num(ends), 0),
            fmt=mark.marker, color=mark.colour, label=name, elinewidth=1, markersize=6,
            markerfacecolor="none" if mark.marker == "o" else mark.colour,
        )  # fmt: skip
    axes.axvline(0, color="0.3", linestyle=":")
    axes.set_yticks(range(len(relations)), relations)
    axes.set(xlabel="over the best offset, points of per cent", ylim=(-0.7, len(relations) - 0.3))
    axes.set_title("the best head of each relation, on halves that did not choose it")
    axes.grid(axis="x", color="0.9")
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.45, below), ncols=2)
    said = "; ".join(f"{name}: {_most(table[table['run'] == name])}" for name in names)
    alt = f"Gain of the best head over the best offset for {len(relations)} relations. {said}."
    return describe(axes, alt, table.attrs.get("signature", ""))


def _most(rows: pd.DataFrame) -> str:
    if rows["offset_gain"].isna().all():
        return "no gain can be given"
    best = rows.loc[rows["offset_gain"].idxmax()]
    return (
        f"most for {best['relation']}, head {best['head']}, {100 * best['offset_gain']:.0f} points"
    )
