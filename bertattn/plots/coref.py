"""Figures of section 4.3: coreference."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertattn.coref import DIRECTIONS, Guesses
from bertattn.heads import AttentionHead
from bertattn.plots.syntax import RIGHT, WRONG
from bertattn.plots.theme import cut, describe, new_axes

COLOURS = {"all": "#000000", "pronoun": "#0072B2", "proper": "#D55E00", "nominal": "#009E73"}
MARKERS = {"all": "o", "pronoun": "s", "proper": "^", "nominal": "D"}
WAYS = (
    ("#0072B2", "o", "-"),
    ("#E69F00", "^", "--"),
    ("#009E73", "s", "-."),
    ("#CC79A7", "D", ":"),
)
LETTERS = 88  # a line
FRAME = {"boxstyle": "round,pad=0.15", "fc": "none", "ec": "0.2"}


def table_2(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """Heads and rules by kind of mention, with intervals (Clark et al. 2019, table 2)."""
    ways = list(table["way"].unique())[::-1]
    kinds = list(table["kind"].unique())
    axes = axes or new_axes(8.2, 0.42 * len(ways) + 1.7)[0]
    for number, kind in enumerate(kinds):
        rows = table[table["kind"] == kind].set_index("way").loc[ways]
        height = np.arange(len(ways)) + 0.17 * ((len(kinds) - 1) / 2 - number)
        values = 100 * rows["value"]
        spread = np.array([values - 100 * rows["low"], 100 * rows["high"] - values])
        axes.errorbar(
            values, height, xerr=np.maximum(spread, 0), fmt=MARKERS[kind], color=COLOURS[kind],
            label=f"{kind} ({int(rows['n'].iloc[0]):,})", markersize=5, linewidth=1,
        )  # fmt: skip
    chance = table.dropna(subset=["chance"]).drop_duplicates("way")
    places = [ways.index(way) for way in chance["way"]]
    axes.plot(
        100 * chance["chance"], places, "|", color="0.4", markersize=16, label="chance, all kinds"
    )
    axes.set_yticks(range(len(ways)), ways, fontsize=9)
    axes.set(xlim=(-2, 102), ylim=(-0.7, len(ways) - 0.3), xlabel="antecedents found, per cent")
    axes.grid(axis="x", color="0.9")
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.4, -0.14), ncols=3)
    whole = table[table["kind"] == "all"]
    said = ", ".join(f"{row.way} {row.value:.0%}" for row in whole.itertuples())
    return describe(axes, f"Antecedents found: {said}.", table.attrs.get("signature", ""))


def by_distance(table: pd.DataFrame, kind: str = "all", axes: Axes | None = None) -> Axes:
    """Accuracy by words back to the nearest antecedent, for the best head and some rules.

    Args:
        table: The accuracies (``tables.by_distance``).
        kind: The kind of mention.
        axes: Where to draw.

    Raises:
        ValueError: If the table has no such kind.
    """
    rows = table[table["kind"] == kind]
    if rows.empty:
        raise ValueError(f"no kind {kind!r}; there are: {', '.join(table['kind'].unique())}")
    axes = axes or new_axes(6.6, 4.2)[0]
    bins = list(rows["distance"].unique())
    ways = rows.groupby("way", sort=False)
    for (way, group), (colour, marker, line) in zip(ways, WAYS, strict=False):
        axes.plot(
            range(len(bins)), 100 * group["value"], color=colour, marker=marker, linestyle=line,
            label=way,
        )  # fmt: skip
    counts = rows.drop_duplicates("distance")["n"]
    labels = [f"{name}\n({n:,})" for name, n in zip(bins, counts, strict=True)]
    axes.set_xticks(range(len(bins)), labels, fontsize=9)
    axes.set(ylim=(-2, 102), xlabel="words back to the nearest antecedent (mentions)")
    axes.set(ylabel="antecedents found, per cent", title=f"kind of mention: {kind}")
    axes.legend(fontsize="small")
    first = rows[rows["way"] == rows["way"].iloc[0]]
    said = ", ".join(f"{r.distance} {r.value:.0%}" for r in first.itertuples() if r.n)
    alt = f"By distance, {kind}: {first['way'].iloc[0]} finds {said}."
    return describe(axes, alt, table.attrs.get("signature", ""))


def antecedent(
    guesses: Guesses,
    attn_head: AttentionHead,
    direction: str = DIRECTIONS[0],
    mention: int = 1,
    axes: Axes | None = None,
) -> Axes:
    """What one head chooses for one mention, as an arrow in the text.

    The mention is in a frame, its antecedents' head words are underlined; the arrow is whole and
    blue if it leads to one of them, dashed and red if not.

    Args:
        guesses: Kept guesses (``CorefCounts.guesses``).
        attn_head: The head.
        direction: Who attends to whom.
        mention: Which of the window's asked mentions, counted from 1; beyond the last, the last.
        axes: Where to draw.
    """
    item = min(mention, len(guesses.head_words)) - 1
    words = [cut(word) for word in guesses.window.words]
    own = int(guesses.head_words[item])
    place = (DIRECTIONS.index(direction), attn_head.layer, attn_head.index, item)
    chosen = int(guesses.chosen[place])
    right = guesses.right[item]
    where, n_lines = _lines(words)
    axes = axes or new_axes(9.5, 0.42 * n_lines + 0.8)[0]
    for number, (word, (x, y)) in enumerate(zip(words, where, strict=True)):
        frame = FRAME if number == own else None
        axes.text(
            x, -y - 0.15, word, ha="left", va="baseline", fontsize=9, parse_math=False, bbox=frame,
            family="DejaVu Sans Mono", weight="bold" if number in right else "normal",
        )  # fmt: skip
        if number in right:
            axes.plot([x, x + len(word)], [-y - 0.33] * 2, color=RIGHT, linewidth=1.5)
    found = chosen in right
    start, end = (_middle(words[i], where[i]) for i in (own, chosen))
    axes.annotate(
        "", xy=end, xytext=start,
        arrowprops={"arrowstyle": "->", "color": RIGHT if found else WRONG, "linewidth": 1.8,
                    "linestyle": "-" if found else "--", "connectionstyle": "arc3,rad=0.25"},
    )  # fmt: skip
    axes.set(xlim=(-1, LETTERS + 12), ylim=(-n_lines + 0.2, 0.8))
    axes.axis("off")
    verdict = "an antecedent" if found else "no antecedent"
    what = f"{words[own]!r} to {words[chosen]!r}, {verdict}"
    axes.set_title(f"head {attn_head}, {direction}: {what}", fontsize=10)
    answers = ", ".join(words[i] for i in right)
    said = f"Head {attn_head} chooses {words[chosen]!r} for {words[own]!r}, {verdict}"
    return describe(axes, f"{said}; right: {answers}.")


def _lines(words: Sequence[str]) -> tuple[list[tuple[int, int]], int]:
    """Column and line of each word of a text set in lines of letters of one width."""
    places, column, line = [], 0, 0
    for word in words:
        if column and column + len(word) > LETTERS:
            column, line = 0, line + 1
        places.append((column, line))
        column += len(word) + 1
    return places, line + 1


def _middle(word: str, place: tuple[int, int]) -> tuple[float, float]:
    return place[0] + len(word) / 2, -float(place[1])
