"""Figures of section 5: probes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertattn.corpora import ParsedSentence
from bertattn.plots.syntax import RIGHT, WRONG
from bertattn.plots.theme import Mark, cut, describe, new_axes
from bertattn.syntax import DIRECTIONS, PUNCTUATION

SCORES = {
    "uas": (Mark("#0072B2", "o"), "UAS"),
    "tree": (Mark("#E69F00", "s"), "UAS of trees"),
    "uuas": (Mark("#009E73", "^"), "UUAS of trees"),
    "control": (Mark("#CC79A7", "x"), "accuracy on the control task"),
}
LINES = (
    Mark("#0072B2", "o"),
    Mark("#D55E00", "s", "--"),
    Mark("#009E73", "^", "-."),
    Mark("#CC79A7", "D", ":"),
    Mark("#E69F00", "v", "-"),
    Mark("#56B4E9", "P", "--"),
    Mark("#000000", "X", ":"),
)
PANELS = {
    "weight": ("weight", "PuOr"),
    "effect": ("weight times spread of attention", "PuOr"),
    "accuracy": ("found alone, per cent", "viridis"),
}


def table_3(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """Every probe's scores, its control task beside them (Clark et al. 2019, table 3)."""
    rows = table.iloc[::-1].reset_index(drop=True)
    axes = axes or new_axes(8.2, 0.5 * len(rows) + 1.8)[0]
    for place, (name, (mark, label)) in enumerate(SCORES.items()):
        height = rows.index + 0.16 * (1.5 - place)
        values = 100 * rows[name]
        axes.plot(
            values, height, linestyle="none", color=mark.colour, marker=mark.marker, label=label
        )
        if f"{name}_low" in rows:
            spread = [values - 100 * rows[f"{name}_low"], 100 * rows[f"{name}_high"] - values]
            bars = np.maximum(np.array(spread), 0)
            axes.errorbar(values, height, xerr=bars, fmt="none", ecolor=mark.colour, linewidth=1)
    axes.set_yticks(rows.index, rows["probe"], fontsize=9)
    axes.set(xlim=(-2, 102), ylim=(-0.7, len(rows) - 0.3), xlabel="right, per cent")
    axes.grid(axis="x", color="0.9")
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.35, -0.14), ncols=4)
    said = ", ".join(f"{r.probe} {r.uas:.0%}" for r in table.itertuples() if r.uas == r.uas)
    return describe(axes, f"UAS of probes: {said}.", table.attrs.get("signature", ""))


def learning_curves(curves: pd.DataFrame) -> Axes:
    """Loss in training and UAS in development after every epoch."""
    left, right = new_axes(11.0, 4.2, 2)
    said = []
    for (name, rows), mark in zip(curves.groupby("probe", sort=False), LINES, strict=False):
        for axes, column, factor in ((left, "loss", 1), (right, "dev_uas", 100)):
            axes.plot(
                rows["epoch"], factor * rows[column], color=mark.colour, marker=mark.marker,
                linestyle=mark.line, label=name, markersize=5,
            )  # fmt: skip
        said.append(f"{name} {rows['dev_uas'].max():.0%}")
    left.set(xlabel="epoch", ylabel="loss in training, nats a word")
    right.set(xlabel="epoch", ylabel="UAS in development, per cent")
    right.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    alt = f"Learning curves. Best UAS in development: {', '.join(said)}."
    return describe(left, alt, curves.attrs.get("signature", ""))


def head_weights(table: pd.DataFrame) -> Axes:
    """What an attention-only probe weighs, how far that moves scores, and what heads find alone.

    Args:
        table: Weights and accuracies (``tables.head_weights``).
    """
    n_layers = table["layer"].nunique()
    n_heads = len(table) // n_layers // 2
    panels = new_axes(0.4 * n_heads * 2 + 3.0, 3 * (0.4 * n_layers + 1.3), 2, 3)
    scaled = table.assign(accuracy=100 * table["accuracy"])
    for row, (column, (title, colours)) in enumerate(PANELS.items()):
        most = float(scaled[column].abs().max()) or 1.0
        for side, direction in enumerate(DIRECTIONS):
            values = scaled.loc[scaled["direction"] == direction, column]
            axes, low = panels[2 * row + side], 0.0 if column == "accuracy" else -most
            grid = values.to_numpy().reshape(n_layers, n_heads)
            image = axes.imshow(grid, cmap=colours, vmin=low, vmax=most, interpolation="nearest")
            axes.figure.colorbar(image, ax=axes, shrink=0.8)
            axes.set_title(f"{title}\n{direction}", fontsize=9)
            axes.set_xticks(range(n_heads), [str(n + 1) for n in range(n_heads)], fontsize=8)
            axes.set_yticks(range(n_layers), [str(n + 1) for n in range(n_layers)], fontsize=8)
            axes.set(xlabel="head", ylabel="layer")
    most_moved = table.reindex(table["effect"].abs().sort_values(ascending=False).index).head(4)
    said = ", ".join(f"{r.head} {r.direction} {r.weight:+.1f}" for r in most_moved.itertuples())
    alt = f"Weights of heads, and what each finds alone. Scores are moved most by {said}."
    return describe(panels[0], alt, table.attrs.get("signature", ""))


def probe_by_relation(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """UAS of every probe for each relation, the most frequent relation first."""
    counts = table.drop_duplicates("relation").set_index("relation")["n"]
    counts = counts.sort_values(ascending=False, kind="stable")
    axes = axes or new_axes(8.2, 0.3 * len(counts) + 1.8)[0]
    if table.empty:
        return _nothing(axes, "no relation has enough words")
    height = {name: len(counts) - 1 - i for i, name in enumerate(counts.index)}
    for (name, rows), mark in zip(table.groupby("probe", sort=False), LINES, strict=False):
        axes.plot(
            100 * rows["uas"], [height[r] for r in rows["relation"]], linestyle="none",
            color=mark.colour, marker=mark.marker, label=name, alpha=0.9,
        )  # fmt: skip
    labels = [f"{name}  ({n:,})" for name, n in counts.items()]
    axes.set_yticks(list(height.values()), labels, fontsize=9)
    axes.set(xlim=(-2, 102), ylim=(-0.7, len(counts) - 0.3), xlabel="right governors, per cent")
    axes.grid(axis="x", color="0.9")
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.4, -0.09), ncols=2)
    last = table[table["probe"] == table["probe"].iloc[-1]].nlargest(3, "n")
    said = ", ".join(f"{r.relation} {r.uas:.0%}" for r in last.itertuples())
    alt = f"UAS by relation; {last['probe'].iloc[0]}: {said}."
    return describe(axes, alt, table.attrs.get("signature", ""))


def probe_by_distance(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """UAS of every probe by how many words away the governor is."""
    axes = axes or new_axes(8.6, 4.2)[0]
    if table.empty:
        return _nothing(axes, "no word has a governor")
    bins = list(table["distance"].cat.categories)
    for (name, rows), mark in zip(table.groupby("probe", sort=False), LINES, strict=False):
        at = [bins.index(d) for d in rows["distance"]]
        axes.plot(
            at, 100 * rows["uas"], color=mark.colour, marker=mark.marker, linestyle=mark.line,
            label=name,
        )  # fmt: skip
    counts = table.drop_duplicates("distance").set_index("distance")["n"]
    axes.set_xticks(range(len(bins)), [f"{b}\n({counts.get(b, 0):,})" for b in bins], fontsize=9)
    axes.set(ylim=(-2, 102), xlabel="words to the governor (words asked)")
    axes.set_ylabel("right governors, per cent")
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    last = table[table["probe"] == table["probe"].iloc[-1]]
    said = ", ".join(f"{r.distance} {r.uas:.0%}" for r in last.itertuples())
    alt = f"UAS by distance; {last['probe'].iloc[0]}: {said}."
    return describe(axes, alt, table.attrs.get("signature", ""))


def _nothing(axes: Axes, why: str) -> Axes:
    axes.axis("off")
    axes.text(0.5, 0.5, f"nothing to draw: {why}", ha="center", transform=axes.transAxes)
    return describe(axes, f"Nothing to draw: {why}.")


def two_trees(
    sentence: ParsedSentence,
    guess: Sequence[int | None],
    name: str,
    axes: Axes | None = None,
) -> Axes:
    """The treebank's tree above a sentence, guessed governors below it.

    Arcs below are whole and blue where they are in the upper tree, dashed and red where not.
    Punctuation has none.

    Args:
        sentence: The sentence.
        guess: The governor of each word; None: the root; negative: no guess.
        name: Whose guess it is.
        axes: Where to draw.
    """
    text, gold = [cut(word) for word in sentence.words], sentence.governors
    places = np.cumsum([0.0, *(max(len(word), 2) + 1.5 for word in text)])
    middle = places[:-1] + [max(len(word), 2) / 2 for word in text]
    axes = axes or new_axes(max(5.0, min(places[-1] / 9, 15.0)), 4.6)[0]
    n_right = n_given = 0
    for at, relation in enumerate(sentence.relations):
        if relation == PUNCTUATION:
            continue
        _arc(axes, middle, at, gold[at], above=True, colour="0.25")
        if (given := guess[at]) is None or given >= 0:
            right = given == gold[at]
            n_right, n_given = n_right + right, n_given + 1
            _arc(
                axes, middle, at, given, above=False,
                colour=RIGHT if right else WRONG, line="-" if right else "--",
            )  # fmt: skip
    for word, place in zip(text, middle, strict=True):
        axes.text(place, 0, word, ha="center", va="center", fontsize=9, parse_math=False)
    axes.plot([], [], color="0.25", label="the treebank's")
    axes.plot([], [], color=RIGHT, label="predicted, right")
    axes.plot([], [], color=WRONG, linestyle="--", label="predicted, wrong")
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(0.0, 0.0), ncols=3)
    axes.set(xlim=(-2, places[-1] + 2))
    axes.axis("off")
    score = f"{n_right} of {n_given} right"
    axes.set_title(f"{name}: {score}", fontsize=10)
    return describe(axes, f"Tree of {name}, {score}, in: {' '.join(text)}")


def _arc(
    axes: Axes,
    middle: np.ndarray,
    word: int,
    governor: int | None,
    above: bool,
    colour: str,
    line: str = "-",
) -> None:
    """Half an ellipse from a word to its governor; for the root a line away from the words."""
    side = 1 if above else -1
    if governor is None:
        axes.plot([middle[word]] * 2, [0.55 * side, 3.4 * side], color=colour, linestyle=line)
        axes.text(
            middle[word], 3.6 * side, "ROOT", ha="center", va="center", fontsize=8, color=colour
        )
        return
    start, end = middle[word], middle[governor]
    turn = np.linspace(0, np.pi, 40)
    radius = abs(end - start) / 2
    axes.plot(
        (start + end) / 2 + radius * np.cos(turn),
        side * (0.55 + np.sqrt(radius) * np.sin(turn)),
        color=colour, linestyle=line, linewidth=1.3, marker=None,
    )  # fmt: skip
    axes.plot([start], [0.55 * side], marker="v" if above else "^", color=colour, markersize=4)
