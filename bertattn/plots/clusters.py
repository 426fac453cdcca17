"""Figures of section 6: heads on a map, in a tree, as a matrix of distances."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import dendrogram

from bertattn.clusters import Agreement, Tree
from bertattn.plots.theme import MARKS, SEQUENTIAL, Mark, describe, new_axes
from bertattn.tables.clusters import LIMITS, ORDINARY

NO_MARK = Mark("0.72", ".")
BEHAVIOUR = {
    **{name: MARKS[measure] for name, (measure, _) in LIMITS.items()},
    "broad": Mark("#000000", "*"),
    ORDINARY: NO_MARK,
}
ROLE = {
    "coreference": Mark("#D55E00", "s"),
    "determiner": Mark("#0072B2", "o"),
    "direct object": Mark("#009E73", "^"),
    "object of preposition": Mark("#CC79A7", "D"),
    "passive auxiliary": Mark("#E69F00", "v"),
    "possessive": Mark("#56B4E9", "P"),
}
VARIANTS = (Mark("#0072B2", "o"), Mark("#D55E00", "s", "--"), Mark("#009E73", "^", "-."))
WAYS = ("behaviour", "roles", "layer", "cluster")


def figure_6(heads: pd.DataFrame) -> Axes:
    """All heads on a map, by what they do and by their layer (Clark et al. 2019, figure 6)."""
    panels = new_axes(13.5, 6.2, 2)
    alts = []
    for axes, by in zip(panels, ("behaviour", "layer"), strict=True):
        figure = heads_on_map(heads, by, axes).get_figure(root=True)
        alts.append(str(figure.get_label() if figure else ""))
    return describe(panels[0], " ".join(alts), _signature(heads))


def heads_on_map(heads: pd.DataFrame, by: str = "behaviour", axes: Axes | None = None) -> Axes:
    """Each head as a point, near to those that attend alike; the small number is its layer.

    Args:
        heads: The heads (``tables.head_map``).
        by: What colours and markers mean: "behaviour", "roles", "layer" or "cluster".
        axes: Where to draw.

    Raises:
        ValueError: If there is no such way.
    """
    if by not in WAYS:
        raise ValueError(f"wanted one of {', '.join(WAYS)}, got {by!r}")
    axes = axes or new_axes(7.2, 6.2)[0]
    draw = {"behaviour": _by_behaviour, "roles": _by_role, "layer": _by_number}.get(by, _by_number)
    said = draw(axes, heads, by)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    axes.set(xlabel="nats; directions mean nothing", title=f"heads by {by}")
    return describe(axes, f"A map of {len(heads)} heads by {by}. {said}", _signature(heads))


def _by_behaviour(axes: Axes, heads: pd.DataFrame, _: str) -> str:
    counts = heads["behaviour"].value_counts()
    for name, mark in BEHAVIOUR.items():
        rows = heads[heads["behaviour"] == name]
        if len(rows):
            _points(axes, rows, mark, f"{name} ({len(rows)})", 90 if name == "broad" else 50)
    _layers(axes, heads)
    _legend(axes)
    return ", ".join(f"{name}: {counts[name]}" for name in BEHAVIOUR if name in counts) + "."


def _by_role(axes: Axes, heads: pd.DataFrame, _: str) -> str:
    _points(axes, heads, NO_MARK, "", 50)
    _layers(axes, heads)
    said = []
    for number, (name, mark) in enumerate(ROLE.items()):
        rows = heads[[name in roles.split(", ") for roles in heads["roles"]]]
        for row in rows.itertuples():
            axes.scatter(
                row.x, row.y, s=50 + 60 * number, marker=mark.marker, facecolors="none",
                edgecolors=mark.colour, linewidths=1.8, zorder=3,
            )  # fmt: skip
            axes.plot(
                [], [], mark.marker, color=mark.colour, markerfacecolor="none", markersize=8,
                markeredgewidth=1.8, label=f"{name}: {row.head}",
            )  # fmt: skip
            said.append(f"{name} {row.head}")
    _legend(axes)
    return f"Best heads: {', '.join(said) or 'none was measured'}."


def _by_number(axes: Axes, heads: pd.DataFrame, by: str) -> str:
    """Numbers as points, coloured in their order."""
    numbers = heads[by]
    axes.scatter(heads["x"], heads["y"], c=numbers, cmap=SEQUENTIAL, s=110, alpha=0.45)
    for row in heads.itertuples():
        axes.text(row.x, row.y, getattr(row, by), ha="center", va="center", fontsize=8)
    sizes = numbers.value_counts().sort_index()
    return f"Heads in each: {', '.join(f'{n}: {size}' for n, size in sizes.items())}."


def _points(axes: Axes, rows: pd.DataFrame, mark: Mark, name: str, size: int) -> None:
    axes.scatter(
        rows["x"], rows["y"], s=size, marker=mark.marker, color=mark.colour, alpha=0.85,
        linewidths=0, label=name or None,
    )  # fmt: skip


def _layers(axes: Axes, heads: pd.DataFrame) -> None:
    for row in heads.itertuples():
        axes.annotate(
            str(row.layer), (row.x, row.y), (3, 3), textcoords="offset points", fontsize=6,
            color="0.35",
        )  # fmt: skip


def _legend(axes: Axes) -> None:
    if axes.get_legend_handles_labels()[1]:
        axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3)


def heads_in_tree(tree: Tree, heads: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """The tree of heads by average linkage; marks under the leaves say what each head does.

    Args:
        tree: The tree.
        heads: The heads (``tables.head_map``).
        axes: Where to draw.
    """
    axes = axes or new_axes(max(6.0, 0.17 * len(heads)), 4.6)[0]
    in_order = heads.sort_values("leaf")
    if len(tree.links):
        drawn = dendrogram(tree.links, no_plot=True)
        for x, y in zip(drawn["icoord"], drawn["dcoord"], strict=True):
            axes.plot((np.array(x) - 5) / 10, y, color="0.35", linewidth=1)
    top = float(tree.links[:, 2].max(initial=0.0)) or 1.0
    for name, mark in BEHAVIOUR.items():
        places = np.flatnonzero(in_order["behaviour"] == name)
        if len(places):
            axes.scatter(
                places, np.full(len(places), -0.04 * top), s=28, marker=mark.marker,
                color=mark.colour, label=name, clip_on=False,
            )  # fmt: skip
    axes.set_xticks(range(len(heads)), in_order["head"], rotation=90, fontsize=7)
    axes.set(ylabel="mean distance, nats", xlim=(-1, len(heads)), ylim=(-0.08 * top, 1.05 * top))
    axes.legend(fontsize="small", ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.12))
    sizes = heads["cluster"].value_counts().sort_index()
    said = ", ".join(map(str, sizes))
    alt = f"A tree of {len(heads)} heads; cut into {len(sizes)} clusters they are {said} in size."
    return describe(axes, alt, _signature(heads))


def distance_matrix(
    pairs: pd.DataFrame, heads: pd.DataFrame, order: str = "layer", axes: Axes | None = None
) -> Axes:
    """The distance between all pairs of heads, dark where they attend alike.

    Args:
        pairs: The distances (``tables.head_pairs``).
        heads: The heads (``tables.head_map``).
        order: Heads by "layer", lines between layers, or as in the "tree".
        axes: Where to draw.
    """
    by_tree = order == "tree"
    names = heads.sort_values("leaf")["head"] if by_tree else heads["head"]
    matrix = _square(pairs, list(names))
    axes = axes or new_axes(7.2, 6.2)[0]
    image = axes.imshow(matrix, cmap=SEQUENTIAL, interpolation="nearest", vmin=0)
    axes.figure.colorbar(image, ax=axes, label="Jensen-Shannon divergence, nats", shrink=0.8)
    if by_tree:
        axes.set_xticks([])
        axes.set_yticks(range(len(names)), names, fontsize=5)
    else:
        sizes = heads.groupby("layer", sort=False).size()
        edges = np.cumsum(sizes.to_numpy())
        for edge in edges[:-1] - 0.5:
            axes.axhline(edge, color="white", linewidth=0.8)
            axes.axvline(edge, color="white", linewidth=0.8)
        middles = edges - sizes.to_numpy() / 2 - 0.5
        axes.set_xticks(middles, sizes.index)
        axes.set_yticks(middles, sizes.index)
        axes.set(xlabel="layer", ylabel="layer")
    axes.set_title(f"heads by {order}")
    closest = pairs.nsmallest(3, "distance")
    said = ", ".join(f"{r.head} and {r.other} {r.distance:.3f}" for r in closest.itertuples())
    alt = f"Distances of {len(names)} heads in order of {order}. Nearest: {said or 'none'}."
    return describe(axes, alt, _signature(pairs))


def _square(pairs: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    place = {name: number for number, name in enumerate(names)}
    i, j = pairs["head"].map(place).to_numpy(int), pairs["other"].map(place).to_numpy(int)
    matrix = np.zeros((len(names), len(names)))
    matrix[i, j] = matrix[j, i] = pairs["distance"]
    return matrix


def layers_apart(table: pd.DataFrame, axes: Axes | None = None) -> Axes:
    """The mean distance of heads by how many layers lie between them, with intervals.

    Args:
        table: The distances (``tables.by_layers_apart``).
        axes: Where to draw.
    """
    axes = axes or new_axes(6.4, 4.2)[0]
    said = []
    for (name, rows), mark in zip(table.groupby("variant", sort=False), VARIANTS, strict=False):
        spread = [rows["distance"] - rows["low"], rows["high"] - rows["distance"]]
        axes.errorbar(
            rows["layers_apart"], rows["distance"], yerr=np.maximum(np.array(spread), 0),
            color=mark.colour, marker=mark.marker, linestyle=mark.line, label=name, capsize=2,
        )  # fmt: skip
        known = rows.dropna(subset=["distance"])
        values = ", ".join(f"{r.layers_apart}: {r.distance:.3f}" for r in known.itertuples())
        said.append(f"{name}: {values}")
    axes.set_xticks(sorted(table["layers_apart"].unique()))
    axes.set(xlabel="layers apart", ylabel="mean distance, nats")
    axes.legend(fontsize="small")
    return describe(axes, f"Distance by layers apart. {'; '.join(said)}.", _signature(table))


def stability(
    seeds: Sequence[Agreement], halves: Sequence[Agreement], axes: Axes | None = None
) -> Axes:
    """How alike maps are that differ in the seed, or in the half of the documents they rest on.

    Across: the rank correlation of distances on both maps; up: what is left after turning one onto
    the other. The same map lies at the lower right.
    """
    axes = axes or new_axes(6.0, 4.2)[0]
    said = []
    names = ("other seeds, one start each", "halves of the documents")
    for name, found, mark in zip(names, (seeds, halves), VARIANTS, strict=False):
        x, y = [a.maps for a in found], [a.procrustes for a in found]
        axes.scatter(x, y, marker=mark.marker, color=mark.colour, alpha=0.7, label=name)
        ends = f"{min(x):.2f} to {max(x):.2f}" if found else "nothing to compare"
        said.append(f"{name}: {ends}")
    axes.set(xlabel="rank correlation of distances on two maps", ylabel="left after Procrustes")
    axes.set(xlim=(min([0.5, *(a.maps for a in (*seeds, *halves))]) - 0.05, 1.02), ylim=(-0.03, 1))
    axes.legend(fontsize="small")
    return describe(axes, f"Rank correlation of two maps. {'; '.join(said)}.")


def _signature(table: pd.DataFrame) -> str:
    return str(table.attrs.get("signature", ""))
