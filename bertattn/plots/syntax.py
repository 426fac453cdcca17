"""Figures of section 4.2: heads and relations."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertattn.attention import WordAttention
from bertattn.corpora import ParsedSentence
from bertattn.heads import AttentionHead
from bertattn.plots.theme import MARKS, SEQUENTIAL, describe, new_axes
from bertattn.syntax import DIRECTIONS, PUNCTUATION, Direction, Guesses, possessor_asks

RIGHT, WRONG = "#0072B2", "#D55E00"
SHOWN = {
    "accuracy": "best head",
    "held_out": "chosen on other documents, with interval",
    "offset_accuracy": "best fixed offset",
    "nearest_accuracy": "nearest word of a class",
    "random": "best head of a random-init model",
}


def table_1(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """Every relation's best head beside what could explain it away (Clark et al. 2019, table 1)."""
    rows = table.iloc[::-1].reset_index(drop=True)
    axes = axes or new_axes(8.2, 0.3 * len(rows) + 1.9)[0]
    for column, name in SHOWN.items():
        if rows[column].notna().any():
            _dots(axes, rows, column, name)
    spread = [rows["held_out"] - rows["held_out_low"], rows["held_out_high"] - rows["held_out"]]
    bars = 100 * np.maximum(np.array(spread), 0)
    axes.errorbar(
        100 * rows["held_out"], rows.index, xerr=bars, fmt="none", ecolor=RIGHT, linewidth=1
    )
    labels = [_label(row.relation, row.n, row.trees) for row in rows.itertuples()]
    axes.set_yticks(rows.index, labels, fontsize=9)
    axes.set(xlim=(-2, 102), ylim=(-0.8, len(rows) - 0.2), xlabel="arcs found, per cent")
    axes.set_title("the best head of each relation")
    axes.grid(axis="x", color="0.9")
    if (table["trees"] == "unreliable").any():
        axes.plot([], [], " ", label="* trees unreliable for this relation")
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.45, -0.09), ncols=2)
    best = table.nlargest(3, "offset_gain")
    said = [
        f"{r.relation}: head {r.head} {r.accuracy:.0%}, best offset {r.offset_accuracy:.0%}"
        for r in best.itertuples()
    ]
    alt = f"Accuracy of the best head for {len(table)} relations. {'; '.join(said)}."
    return describe(axes, alt, table.attrs.get("signature", ""))


def _dots(axes: Axes, rows: pd.DataFrame, column: str, name: str) -> None:
    colour, marker, _ = MARKS[column]
    hollow = column in ("held_out", "nearest_accuracy")
    axes.plot(
        100 * rows[column], rows.index, linestyle="none", marker=marker, color=colour, label=name,
        markersize=6, markerfacecolor="none" if hollow else colour, zorder=3,
    )  # fmt: skip


def _label(relation: str, n: int, trees: str) -> str:
    return f"{relation}{'*' if trees == 'unreliable' else ''}  ({n:,})"


def relation_grid(
    table: pd.DataFrame,
    relation: str,
    direction: str = DIRECTIONS[0],
    axes: Axes | None = None,
) -> Axes:
    """How much of a relation each head finds: layers down, heads across.

    Args:
        table: Every head (``tables.every_head``).
        relation: The relation.
        direction: Who attends to whom.
        axes: Where to draw.

    Raises:
        ValueError: If the table has no such relation in that direction.
    """
    rows = table[(table["relation"] == relation) & (table["direction"] == direction)]
    if rows.empty:
        known = ", ".join(table["relation"].unique())
        raise ValueError(f"no relation {relation!r} in direction {direction!r}; there are: {known}")
    values = 100 * rows["accuracy"].to_numpy().reshape(rows["layer"].nunique(), -1)
    n_layers, n_heads = values.shape
    axes = axes or new_axes(0.42 * n_heads + 2.2, 0.42 * n_layers + 1.6)[0]
    image = axes.imshow(values, cmap=SEQUENTIAL, vmin=0, vmax=100, interpolation="nearest")
    axes.figure.colorbar(image, ax=axes, label="found, per cent", shrink=0.8)
    axes.set_xticks(range(n_heads), [str(n + 1) for n in range(n_heads)])
    axes.set_yticks(range(n_layers), [str(n + 1) for n in range(n_layers)])
    total = int(rows["total"].iloc[0])
    axes.set(xlabel="head", ylabel="layer", title=f"{relation} ({total:,}), {direction}")
    best = rows.nlargest(3, "accuracy")
    said = ", ".join(f"{r.head} {r.accuracy:.0%}" for r in best.itertuples())
    alt = f"A grid of layers by heads for {relation}, {direction}. Most: {said}."
    return describe(axes, alt, table.attrs.get("signature", ""))


def head_card(card: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """Which relations one head knows: its accuracy beside the best fixed offset's.

    Args:
        card: What it finds (``tables.head_card``).
        axes: Where to draw.
    """
    rows = card.sort_values("accuracy").reset_index(drop=True)
    axes = axes or new_axes(6.6, 0.27 * len(rows) + 1.5)[0]
    colour = MARKS["accuracy"].colour
    axes.barh(rows.index, 100 * rows["accuracy"], color=colour, alpha=0.75, label="this head")
    spread = [
        rows["accuracy"] - rows["accuracy_low"],
        rows["accuracy_high"] - rows["accuracy"],
    ]
    bars = 100 * np.maximum(np.array(spread), 0)
    axes.errorbar(
        100 * rows["accuracy"], rows.index, xerr=bars, fmt="none", ecolor="0.2", linewidth=1
    )
    _dots(axes, rows, "offset_accuracy", "best fixed offset")
    labels = [_label(row.relation, row.n, row.trees) for row in rows.itertuples()]
    axes.set_yticks(rows.index, labels, fontsize=9)
    name, direction = card.attrs.get("head", "?"), card.attrs.get("direction", "?")
    axes.set(xlim=(0, 102), ylim=(-0.8, len(rows) - 0.2), xlabel="arcs found, per cent")
    axes.set_title(f"head {name}, {direction}")
    axes.legend(fontsize="small", loc="lower right")
    said = ", ".join(f"{r.relation} {r.accuracy:.0%}" for r in rows.iloc[::-1].head(4).itertuples())
    return describe(axes, f"What head {name} finds: {said}.", card.attrs.get("signature", ""))


def guessed_arcs(
    guesses: Guesses,
    attn_head: AttentionHead,
    direction: Direction = DIRECTIONS[0],
    relation: str | None = None,
    axes: Axes | None = None,
) -> Axes:
    """One head's guesses for one sentence as arcs above it: right ones whole, wrong ones dashed.

    Args:
        guesses: Kept predictions (``SyntaxCounts.guesses``).
        attn_head: The head.
        direction: Who attends to whom.
        relation: Only words of this relation; None: all but punctuation.
        axes: Where to draw.
    """
    sentence = guesses.sentence
    of_head = guesses.governors[DIRECTIONS.index(direction), attn_head.layer, attn_head.index]
    places, width = _places(sentence.words)
    axes = axes or new_axes(max(4.5, min(width / 9, 14.0)), 3.0)[0]
    n_right = n_drawn = 0
    for word, governor, name in sentence.arcs:
        if name == relation or (relation is None and name != PUNCTUATION):
            guess = int(of_head[possessor_asks(sentence, word)])
            right = guess == governor
            n_right, n_drawn = n_right + right, n_drawn + 1
            _arc(axes, places[word], places[guess], right, bold=relation is not None)
    asked = {w for w, _, name in sentence.arcs if name == relation}
    for number, (text, place) in enumerate(zip(sentence.words, places, strict=True)):
        font = "bold" if number in asked else "normal"
        axes.text(place, -0.15, text, ha="center", va="top", fontsize=9, weight=font,
                  parse_math=False)  # fmt: skip
    axes.plot([], [], color=RIGHT, label="right")
    axes.plot([], [], color=WRONG, linestyle="--", label="wrong")
    axes.legend(fontsize="small", loc="upper right")
    axes.set(xlim=(-2, width + 2))
    axes.set_ylim(bottom=-0.9)
    axes.axis("off")
    what = relation or "all relations"
    axes.set_title(
        f"head {attn_head}, {direction}, {what}: {n_right} of {n_drawn} right", fontsize=10
    )
    alt = f"Guesses of head {attn_head} for {what}: {n_right} of {n_drawn} right, in: "
    return describe(axes, alt + " ".join(sentence.words))


def _places(words: Sequence[str]) -> tuple[list[float], float]:
    """The middle of each word on a line, in letters, and the line's length."""
    places, at = [], 0.0
    for word in words:
        size = max(len(word), 2)
        places.append(at + size / 2)
        at += size + 1.5
    return places, at


def _arc(axes: Axes, start: float, end: float, right: bool, bold: bool) -> None:
    turn = np.linspace(0, np.pi, 40)
    middle, radius = (start + end) / 2, abs(end - start) / 2
    axes.plot(
        middle + radius * np.cos(turn), np.sqrt(radius) * np.sin(turn),
        color=RIGHT if right else WRONG, linestyle="-" if right else "--",
        linewidth=1.8 if bold else 1.2,
    )  # fmt: skip


def figure_5(
    attention: WordAttention,
    sentence: ParsedSentence,
    panels: Sequence[tuple[str, AttentionHead, Direction]],
) -> Axes:
    """Attention between the words of a sentence, a relation's arcs in colour (figure 5).

    Each panel has a head's attention as grey lines, the darker the more, and, for each word of the
    relation, a coloured line for the attention that would find its governor.

    Args:
        attention: The sentence's maps, word by word, every word with pieces.
        sentence: Its tree.
        panels: A relation, the head and its direction for each panel.
    """
    n = len(sentence)
    axes = new_axes(2.7 * len(panels), 0.24 * n + 0.8, len(panels))
    said = []
    for one, (relation, attn_head, direction) in zip(axes, panels, strict=True):
        weights = attention.between_words[attn_head.layer, attn_head.index]
        for i, j in zip(*np.nonzero(weights > 0.02), strict=True):
            one.plot([0, 1], [i, j], color="0.6", alpha=min(1.0, float(weights[i, j])), linewidth=1)
        marked = {w: g for w, g, name in sentence.arcs if name == relation}
        for word, governor in marked.items():
            ends = [word, governor] if direction == DIRECTIONS[0] else [governor, word]
            strength = float(weights[ends[0], ends[1]])
            one.plot([0, 1], ends, color=RIGHT, alpha=max(0.25, strength), linewidth=2.2)
            said.append(f"{sentence.words[word]!r} {strength:.2f} ({relation}, {attn_head})")
        from_marked = set(marked) if direction == DIRECTIONS[0] else set(marked.values())
        to_marked = set(marked.values()) if direction == DIRECTIONS[0] else set(marked)
        for number, text in enumerate(sentence.words):
            for x, align, names in ((-0.05, "right", from_marked), (1.05, "left", to_marked)):
                font = "bold" if number in names else "normal"
                one.text(x, number, text, ha=align, va="center", fontsize=9, weight=font,
                         parse_math=False)  # fmt: skip
        one.set(xlim=(-0.9, 1.9), ylim=(n - 0.4, -0.6))
        one.set_title(f"{relation}, head {attn_head}\n{direction}", fontsize=9)
        one.axis("off")
    return describe(axes[0], f"Attention along arcs: {'; '.join(said) or 'none here'}.")
