"""What changes without some heads: one at a time, more and more, and beside random ones."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from bertattn.plots.theme import Mark, describe, new_axes
from bertattn.tables.removals import MATCHED, ONE, RANDOM

SETS = (
    Mark("#0072B2", "o", "-"),
    Mark("#D55E00", "s", "--"),
    Mark("#009E73", "^", "-."),
    Mark("#CC79A7", "D", ":"),
)
GREY = "0.55"
OUTCOMES = {
    "text": "the text's vector, 1 - cosine",
    "tokens": "tokens' states, 1 - cosine",
    "loss": "loss, nats more",
    "syntax": "arcs lost, share of arcs",
    "probe": "probe, share of words lost",
}


def _named(outcome: str) -> str:
    return OUTCOMES.get(outcome, outcome)


def _of(table: pd.DataFrame, outcome: str) -> pd.DataFrame:
    rows = table[table["outcome"] == outcome]
    if rows.empty:
        known = ", ".join(table["outcome"].unique())
        raise ValueError(f"wanted an outcome out of {known}, got {outcome!r}")
    return rows


def one_by_one(table: pd.DataFrame, outcome: str, score: str) -> Axes:
    """What the removal of one head costs: a point a head, by layer and by a score of the head.

    Args:
        table: Single heads with their scores (``tables.with_scores``).
        outcome: What it costs of what.
        score: The score.

    Raises:
        ValueError: If there is no such outcome.
    """
    rows = _of(table, outcome)
    left, right = new_axes(10.0, 4.4, 2)
    best = rows.nlargest(3, "cost")
    for axes, column in ((left, "layer"), (right, score)):
        axes.axhline(0, color="0.8", linewidth=1)
        axes.errorbar(
            rows[column], rows["cost"], yerr=_arms(rows), fmt="none", ecolor="0.8", elinewidth=1
        )
        axes.scatter(rows[column], rows["cost"], s=24, facecolors="none", edgecolors="#0072B2")
        axes.set(xlabel=column, ylabel=_named(outcome))
        for row in best.itertuples():
            axes.annotate(row.heads, (getattr(row, column), row.cost), xytext=(5, 3), fontsize=9,
                          textcoords="offset points")  # fmt: skip
    left.set_xticks(sorted(rows["layer"].unique()))
    left.set_title("one head taken away")
    right.set_title(f"by the head's score: {score}")
    said = "; ".join(f"{r.heads} {r.cost:.2g}" for r in best.itertuples())
    alt = f"What removing one head costs: {_named(outcome)}. A point a head. Most: {said}."
    return describe(left, alt, table.attrs.get("signature", ""))


def _arms(rows: pd.DataFrame) -> Any:
    """How far intervals reach down and up; nothing where there are none."""
    arms = [(rows["cost"] - rows["low"]).to_numpy(), (rows["high"] - rows["cost"]).to_numpy()]
    return None if pd.isna(arms[0]).any() else arms


def more_and_more(table: pd.DataFrame, outcome: str) -> Axes:
    """What it costs to take away more and more heads, the best by a score first.

    Grey: heads drawn from all, a point a draw; the line joins their means.

    Args:
        table: Removals of growing sets (``tables.removals``).
        outcome: What it costs of what.

    Raises:
        ValueError: If there is no such outcome.
    """
    rows = _of(table, outcome)
    rows = rows[~rows["chosen"].isin([ONE, MATCHED])]
    (axes,) = new_axes(7.4, 4.6)
    drawn = rows[rows["chosen"] == RANDOM]
    axes.axhline(0, color="0.8", linewidth=1)
    said = []
    if len(drawn):
        axes.scatter(drawn["k"], drawn["cost"], s=14, color="0.7", marker="x", label="a draw")
        means = drawn.groupby("k")["cost"].mean()
        axes.plot(means.index, means, color=GREY, linewidth=3, label="random heads, mean")
        said.append(f"random {means.iloc[-1]:.2g}")
    others = rows[rows["chosen"] != RANDOM].groupby("chosen", sort=False)
    for (name, own), mark in zip(others, SETS, strict=False):
        axes.plot(own["k"], own["cost"], color=mark.colour, marker=mark.marker,
                  linestyle=mark.line, label=f"best by {name}")  # fmt: skip
        said.append(f"best by {name} {own['cost'].iloc[-1]:.2g}")
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(rows["k"].unique()), [str(k) for k in sorted(rows["k"].unique())])
    axes.set(xlabel="heads taken away", ylabel=_named(outcome))
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
    alt = (
        f"What it costs to take heads away: {_named(outcome)}. With {rows['k'].max()} heads: "
        f"{'; '.join(said)}."
    )
    return describe(axes, alt, table.attrs.get("signature", ""))


def beside_random(table: pd.DataFrame, costs: pd.DataFrame) -> Axes:
    """What each choice of heads costs beside layer-matched draws, a panel an outcome.

    Crosses are draws; the marked point is the choice with its interval by document.

    Args:
        table: The choices (``tables.beside_random``).
        costs: The draws (``tables.removals`` of the same result).
    """
    outcomes = table["outcome"].unique().tolist()
    names = table["chosen"].unique().tolist()
    panels = new_axes(3.4 * len(outcomes) + 1.2, 0.7 * len(names) + 2.0, len(outcomes))
    said = []
    for axes, outcome in zip(panels, outcomes, strict=True):
        axes.axvline(0, color="0.8", linewidth=1)
        for place, name in enumerate(names):
            mark = SETS[place % len(SETS)]
            own = table[(table["outcome"] == outcome) & (table["chosen"] == name)].iloc[0]
            of = costs[(costs["outcome"] == outcome) & (costs["beside"] == name)]
            drawn = of[of["k"] == own["k"]]["cost"]
            axes.plot(drawn, [place + 0.18] * len(drawn), "x", color=GREY, markersize=5)
            axes.plot([own["low"], own["high"]], [place - 0.12] * 2, color=mark.colour)
            axes.plot(own["cost"], place - 0.12, marker=mark.marker, color=mark.colour)
            said.append(f"{outcome}, {name}: {own['cost']:.2g}, random {own['random']:.2g}")
        axes.set(ylim=(len(names) - 0.5, -0.5), xlabel=_named(outcome))
        axes.set_yticks(range(len(names)), names if axes is panels[0] else [])
        axes.locator_params(axis="x", nbins=4)
    panels[0].set_title("marked: chosen; crosses: same layers", loc="left")
    alt = f"What choices of heads cost beside random heads of the same layers. {'; '.join(said)}."
    return describe(panels[0], alt, table.attrs.get("signature", ""))
