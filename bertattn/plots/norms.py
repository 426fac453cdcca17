"""Figures of norms beside weights, of what survives, and of rollout."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertattn.plots.surface import label
from bertattn.plots.theme import MARKS, Mark, describe, new_axes
from bertattn.tables import by_layer_both

BY_WEIGHTS = Mark("#0072B2", "o")
BY_NORMS = Mark("#D55E00", "D", "--")
WAYS = {
    "weights": Mark("#0072B2", "o"),
    "norms": Mark("#D55E00", "D", "--"),
    "nearness": Mark("#000000", "x", ":"),
}


def both_ways(table: pd.DataFrame, measures: Sequence[str]) -> Axes:
    """Each head's share of attention by weights, and of what is moved by norms.

    On the line nothing changes; under it a kind of token is looked at for little.

    Args:
        table: Each head both ways (``tables.both_ways``).
        measures: Shares, a panel each; those that the model does not have are left out.
    """
    known = [m for m in measures if table.loc[table["measure"] == m, "weights"].notna().any()]
    panels = new_axes(3.6 * len(known) + 0.4, 4.1, len(known))
    said = []
    for axes, measure in zip(panels, known, strict=True):
        rows = table[table["measure"] == measure]
        said.append(_panel(axes, rows, label(table, measure), MARKS[measure]))
    panels[0].set_ylabel("share of what is moved (norms)")
    panels[0].figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower left", ncols=2, fontsize="small"
    )
    alt = f"Each head by weights and by norms. {' '.join(said)}"
    return describe(panels[0], alt, table.attrs.get("signature", ""))


def _panel(axes: Axes, rows: pd.DataFrame, name: str, mark: Mark) -> str:
    end = 1.04 * float(rows[["weights", "norms"]].to_numpy().max())
    axes.plot([0, end], [0, end], color="0.6", linewidth=1, label="as much by norms as by weights")
    axes.scatter(
        rows["weights"], rows["norms"], s=26, marker=mark.marker, alpha=0.7,
        facecolors="none" if mark.marker == "o" else mark.colour, edgecolors=mark.colour,
    )  # fmt: skip
    even = rows["uniform"].iloc[0]
    axes.axvline(even, color="0.3", linestyle=":", linewidth=1)
    axes.axhline(even, color="0.3", linestyle=":", linewidth=1, label="an even share")
    axes.set(xlim=(0, end), ylim=(0, end), xlabel="share of attention (weights)", title=name)
    axes.set_aspect("equal")
    return (
        f"{name}: mean {rows['weights'].mean():.2f} by weights, {rows['norms'].mean():.2f} by "
        f"norms, most {rows['weights'].max():.2f} and {rows['norms'].max():.2f}."
    )


def moved_by_layer(table: pd.DataFrame, measures: Sequence[str], axes: Axes | None = None) -> Axes:
    """The mean share of kinds of token by layer: by weights whole lines, by norms dashed ones."""
    means = by_layer_both(table, measures)
    axes = axes or new_axes(6.8, 4.4)[0]
    said = []
    for measure in means.columns.get_level_values(1).unique():
        colour, marker, _ = MARKS[measure]
        for way, line, fill in (("weights", "-", colour), ("norms", "--", "white")):
            axes.plot(
                means.index, means[way, measure], color=colour, marker=marker, linestyle=line,
                markerfacecolor=fill, label=f"{label(table, measure)}, by {way}",
            )  # fmt: skip
            values = ", ".join(f"{v:.2f}" for v in means[way, measure])
            said.append(f"{label(table, measure)} by {way}: {values}.")
    axes.set_xticks(means.index)
    axes.set(xlabel="layer", ylabel="share", title="looked at, and moved", ylim=(0, None))
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
    alt = f"Mean shares by layer. {' '.join(said)}"
    return describe(axes, alt, table.attrs.get("signature", ""))


def survival(table: pd.DataFrame, notebooks: Sequence[str] = ("05", "06")) -> Axes:
    """What the best head has over a rule, by weights and by norms, with intervals.

    Right of the line the head beats the rule on documents that did not choose it.

    Args:
        table: The findings (``tables.survival``).
        notebooks: Which findings: those of one unit and bar.

    Raises:
        ValueError: If no finding is of these notebooks.
    """
    rows = table[table["notebook"].isin(notebooks)]
    if rows.empty:
        raise ValueError(f"no finding is of the notebooks {', '.join(notebooks)}")
    rows = rows.sort_values("weights").reset_index(drop=True)
    axes = new_axes(8.4, 0.36 * len(rows) + 1.7)[0]
    axes.axvline(0, color="0.3", linewidth=1)
    for name, mark, shift in (("weights", BY_WEIGHTS, 0.14), ("norms", BY_NORMS, -0.14)):
        places = rows.index + shift
        middle = 100 * rows[name]
        ends = 100 * rows[[f"{name}_low", f"{name}_high"]].to_numpy(dtype=float)
        axes.hlines(places, ends[:, 0], ends[:, 1], color=mark.colour, linewidth=1.2)
        axes.plot(
            middle, places, linestyle="none", marker=mark.marker, color=mark.colour,
            markerfacecolor="none" if mark.marker == "o" else mark.colour, label=f"by {name}",
        )  # fmt: skip
    axes.set_yticks(
        rows.index, [_short(r.finding, r.verdict) for r in rows.itertuples()], fontsize=8.5
    )
    axes.set(ylim=(-0.7, len(rows) - 0.3), xlabel="over the rule, per cent")
    axes.set_title("the best head over its rule, on other documents")
    axes.grid(axis="x", color="0.92")
    foot = -1.0 / (0.36 * len(rows) + 0.6)
    axes.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, foot), ncols=2)
    return describe(axes, _survival_in_words(rows), table.attrs.get("signature", ""))


def _short(finding: str, verdict: str) -> str:
    """A finding without the rule that all of its kind share, and what became of it."""
    name = finding.split(": a head beats")[0].split(" beats the")[0]
    return f"{name.replace(': a head among ', ' among ')}  ({verdict})"


def _survival_in_words(rows: pd.DataFrame) -> str:
    said = [
        f"{r.finding}: {r.weights:.0%} by weights, {r.norms:.0%} by norms"
        for r in rows.iloc[::-1].head(4).itertuples()
    ]
    counted = rows["verdict"].value_counts()
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in counted.items())
    return (
        f"The best head over its rule, {len(rows)} findings: {verdicts}. Most: {'; '.join(said)}."
    )


def rollout(table: pd.DataFrame, sink: str) -> Axes:
    """Rollout by layer: how broad and how alike its rows are, and what a token keeps of itself.

    Args:
        table: The rollout (``tables.rollout``).
        sink: The sink's measure.
    """
    panels = new_axes(13.5, 4.1, 3)
    drawn = [
        ("entropy", "entropy of a row", "nats"),
        ("apart", "how far rows lie apart", "part of a row"),
    ]
    said = [_lines(axes, table, *what) for axes, what in zip(panels, drawn, strict=False)]
    said.append(_shares(panels[2], table, sink))
    alt = f"Attention rollout by layer. {' '.join(said)}"
    return describe(panels[0], alt, table.attrs.get("signature", ""))


def _lines(axes: Axes, table: pd.DataFrame, measure: str, title: str, unit: str) -> str:
    rows = table[table["measure"] == measure]
    said = []
    for way, part in rows.groupby("way", sort=False):
        mark = _mark(str(way))
        axes.plot(
            part["layer"], part["value"], color=mark.colour, marker=mark.marker,
            linestyle=mark.line, label=str(way),
        )  # fmt: skip
        axes.fill_between(part["layer"], part["low"], part["high"], color=mark.colour, alpha=0.2)
        said.append(f"{way} {part['value'].iloc[0]:.2f} to {part['value'].iloc[-1]:.2f}")
    if (most := rows["uniform"].iloc[0]) > 0:
        axes.axhline(most, color="0.3", linestyle=":", label="all tokens alike")
    _dress(axes, rows, title, unit)
    return f"{title}, first to last layer: {', '.join(said)}."


def _shares(axes: Axes, table: pd.DataFrame, sink: str) -> str:
    said = []
    for measure, marker in (("to_self", "D"), (sink, "o")):
        rows = table[table["measure"] == measure]
        for way, part in rows.groupby("way", sort=False):
            mark = _mark(str(way))
            axes.plot(
                part["layer"], part["value"], color=mark.colour, marker=marker,
                markerfacecolor="none" if marker == "o" else mark.colour, linestyle=mark.line,
                label=f"{label(table, measure)}, {str(way).removeprefix('rollout of ')}",
            )  # fmt: skip
            said.append(f"{label(table, measure)}, {way}: {part['value'].iloc[-1]:.2f} at last.")
    _dress(axes, rows, "what a token is made of", "share")
    return " ".join(said)


def _dress(axes: Axes, rows: pd.DataFrame, title: str, unit: str) -> None:
    axes.set_xticks(sorted(rows["layer"].unique()))
    axes.set(xlabel="layer", ylabel=unit, title=title, ylim=(0, None))
    axes.legend(fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)


def _mark(way: str) -> Mark:
    return next((mark for name, mark in WAYS.items() if name in way), WAYS["nearness"])


def agreement(table: pd.DataFrame) -> Axes:
    """How well each map foretells who misses whom: rank correlations, with intervals.

    Args:
        table: What was measured (``tables.agreement``).
    """
    rows = table.sort_values("correlation").reset_index(drop=True)
    axes = new_axes(7.2, 0.4 * len(rows) + 1.5)[0]
    axes.axvline(0, color="0.3", linewidth=1)
    for place, row in rows.iterrows():
        mark = _mark(row["way"])
        spread = np.array([[row["correlation"] - row["low"]], [row["high"] - row["correlation"]]])
        axes.errorbar(
            row["correlation"], place, xerr=spread, fmt=mark.marker, color=mark.colour, capsize=2
        )
    axes.set_yticks(rows.index, rows["way"].tolist(), fontsize=9)
    axes.set(ylim=(-0.7, len(rows) - 0.3), xlabel="rank correlation with what is missed")
    axes.set_title("which maps foretell who misses whom")
    axes.grid(axis="x", color="0.92")
    said = ", ".join(f"{r.way} {r.correlation:.2f}" for r in rows.iloc[::-1].itertuples())
    return describe(axes, f"Rank correlations: {said}.", table.attrs.get("signature", ""))
