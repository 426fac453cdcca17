"""Section 6's heads as tables: where each lies, what it does, what it knows, which are near."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from bertattn.clusters import Distances, Layout, Tree
from bertattn.tables.manifest import Manifest, passed_on, signed

ORDINARY = "none of these"
BROAD = 3.8 / math.log(120)  # of the most possible: the paper's 3.8 nats at about 120 tokens
LIMITS = {
    "next": ("to_next", 0.5),
    "previous": ("to_previous", 0.5),
    "start": ("to_start", 0.6),
    "first": ("to_first", 0.6),
    "separator": ("to_separator", 0.6),
    "punctuation": ("to_punctuation", 0.6),
    "broad": ("entropy", BROAD),
}

ROLE_COLUMNS = (
    "role", "relation", "n", "head", "direction", "accuracy", "held_out", "rule", "gain",
    "gain_low", "gain_high", "trees",
)  # fmt: skip


class Role(NamedTuple):
    """A linguistic role of figure 6: the relation that shows it, and its name."""

    relation: str
    name: str


ROLES = (
    Role("coreference", "coreference"),
    Role("det", "determiner"),
    Role("dobj", "direct object"),
    Role("pobj", "object of preposition"),
    Role("auxpass", "passive auxiliary"),
    Role("poss", "possessive"),
)


def behaviours(table: pd.DataFrame) -> pd.DataFrame:
    """What each head does most, by the marks of figure 6 (Clark et al. 2019), a row a head.

    Columns: ``head``, ``layer``; ``behaviour``, the first mark in the order of ``LIMITS`` that a
    head has, or "none of these"; ``marks``, all of them; and each measure of section 3. A head is
    marked "next" or "previous" with over 0.5 of its attention there, "start", "separator" or
    "punctuation" with over 0.6, and "broad" if its rows' entropy is over 79 % of the most possible,
    which is the paper's 3.8 nats where inputs have about 120 tokens. "First" stands for the first
    token of models without a start token.

    Args:
        table: Section 3's averages (``tables.surface``).
    """
    once = table.drop_duplicates("head")[["head", "layer"]]
    wide = table.pivot(index="head", columns="measure", values="value")
    wide = wide.loc[once["head"], list(table["measure"].unique())]
    most = table.drop_duplicates("measure").set_index("measure")["uniform"]
    over = pd.DataFrame(
        {
            mark: wide[measure] > limit * (most["entropy"] if measure == "entropy" else 1)
            for mark, (measure, limit) in LIMITS.items()
        }
    )
    over["first"] &= wide["to_start"].isna()
    marks = [[mark for mark in LIMITS if row[mark]] for _, row in over.iterrows()]
    table = table.copy(deep=False)
    table.attrs |= {"chance": most.to_dict()}
    wide.insert(0, "behaviour", [found[0] if found else ORDINARY for found in marks])
    wide.insert(1, "marks", [", ".join(found) for found in marks])
    wide.insert(0, "layer", once["layer"].to_numpy())
    return passed_on(wide.reset_index().rename_axis(columns=None), table)


def roles(
    syntax: pd.DataFrame | None = None, coreference: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Which head is the best for each linguistic role of figure 6, by what was measured.

    Columns: ``role``, ``relation``, ``n`` arcs or mentions, ``head`` and ``direction`` with
    ``accuracy`` on the data that chose it, ``held_out`` (chosen on other documents), ``rule`` (the
    best fixed offset, or the nearest mention), ``gain`` over it on held-out documents with its
    interval, and ``trees`` (see ``tables.trees``). A role without a head had too few words to be
    measured.

    Args:
        syntax: Section 4.2's table (``tables.table_1``).
        coreference: Section 4.3's table (``tables.table_2``).
    """
    rows = [{"role": r.name, "relation": r.relation, "n": 0, "head": ""} for r in ROLES]
    for row, role in zip(rows, ROLES, strict=True):
        if role.relation == "coreference":
            row |= _coreference(coreference)
        elif syntax is not None:
            row |= _relation(syntax, role.relation)
    columns = [
        "direction",
        "accuracy",
        "held_out",
        "rule",
        "gain",
        "gain_low",
        "gain_high",
        "trees",
    ]
    frame = pd.DataFrame(rows)
    frame = frame.reindex(columns=[*frame.columns[:4], *columns])
    frame.attrs = {
        "signatures": [t.attrs["signature"] for t in (syntax, coreference) if t is not None]
    }
    return frame


def _relation(table: pd.DataFrame, relation: str) -> dict[str, object]:
    if table.empty or (found := table[table["relation"] == relation]).empty:
        return {}
    best = found.loc[found["accuracy"].idxmax()]
    return {
        **best[["n", "head", "direction", "accuracy", "held_out", "trees"]].to_dict(),
        "rule": f"offset {best['offset']}",
        "gain": best["offset_gain"],
        "gain_low": best["offset_gain_low"],
        "gain_high": best["offset_gain_high"],
    }


def _coreference(table: pd.DataFrame | None) -> dict[str, object]:
    if table is None:
        return {}
    best = table[(table["kind"] == "all") & (table["head"] != "")].iloc[0]
    return {
        **best[["n", "head", "direction"]].to_dict(),
        "accuracy": best["value"],
        "held_out": best["held_out"],
        "rule": "nearest mention",
        "gain": best["over_nearest"],
        "gain_low": best["over_nearest_low"],
        "gain_high": best["over_nearest_high"],
        "trees": "",
    }


def head_map(
    distances: Distances,
    layout: Layout,
    tree: Tree,
    behaviour: pd.DataFrame,
    role: pd.DataFrame,
    made: Manifest,
    n_clusters: int = 8,
    n_nearest: int = 3,
) -> pd.DataFrame:
    """Everything about each head, a row a head: what figure 6 is drawn from.

    Columns: ``head``, ``layer``, ``x`` and ``y`` on the map (nats, directions mean nothing),
    ``cluster``, ``leaf`` (place among the tree's leaves, from 0), ``behaviour`` and ``marks``,
    ``roles``, ``nearest`` with ``nearest_distance`` (nats), and each measure of section 3, whose
    values by chance are in ``.attrs["chance"]``.

    Args:
        distances: How far apart heads are.
        layout: The map.
        tree: The tree of heads.
        behaviour: What each head does (``behaviours``).
        role: What each head knows (``roles``).
        made: How the distances were made.
        n_clusters: Into how many clusters the tree is cut, or as many as there are heads.
        n_nearest: How many nearest heads to name.

    Raises:
        ValueError: If the tables are of other heads.
    """
    names = [str(h) for h in distances.heads]
    if behaviour["head"].tolist() != names:
        raise ValueError(
            f"wanted the behaviour of {len(names)} heads up to {names[-1]}, got it of "
            f"{len(behaviour)} up to {behaviour['head'].iloc[-1]}; are both of one model?"
        )
    near = [distances.nearest(h, n_nearest) for h in distances.heads]
    matrix = distances.matrix + np.diag(np.full(len(names), np.nan))
    place = {
        "x": layout.coordinates[:, 0],
        "y": layout.coordinates[:, 1],
        "cluster": tree.cut(min(n_clusters, len(names))),
        "leaf": np.argsort(tree.order),
        "roles": [", ".join(role.loc[role["head"] == name, "role"]) for name in names],
        "nearest": [", ".join(map(str, heads)) for heads in near],
        "nearest_distance": np.nanmin(matrix, axis=1) if len(names) > 1 else [np.nan],
    }
    frame = behaviour[["head", "layer"]].assign(**place)
    frame = frame.join(behaviour.drop(columns=["head", "layer"]))
    frame = signed(frame, made, distances.n_inputs)
    frame.attrs |= {
        "chance": behaviour.attrs["chance"],
        "roles": list(role.attrs.get("signatures", [])),
    }
    return frame


def head_pairs(distances: Distances, made: Manifest) -> pd.DataFrame:
    """Every pair of heads once: ``distance`` in nats, with its interval by documents."""
    i, j = np.triu_indices(len(distances.matrix), 1)
    names = np.array([str(h) for h in distances.heads])
    estimate = distances.estimate
    columns = {
        "head": names[i],
        "other": names[j],
        "layers_apart": abs(distances.layers[i] - distances.layers[j]),
        "distance": distances.matrix[i, j],
        "low": np.maximum(estimate.low[i, j], 0),
        "high": estimate.high[i, j],
    }
    return signed(pd.DataFrame(columns), made, distances.n_inputs)


def nearest_heads(distances: Distances, made: Manifest, n: int = 3) -> pd.DataFrame:
    """The nearest heads of each: ``rank`` 1 is the nearest; distances in nats, with intervals."""
    estimate = distances.estimate
    places = {h: i for i, h in enumerate(distances.heads)}
    rows = [
        {
            "head": str(attn_head),
            "rank": rank,
            "nearest": str(other),
            "distance": distances.matrix[places[attn_head], places[other]],
            "low": max(estimate.low[places[attn_head], places[other]], 0.0),
            "high": estimate.high[places[attn_head], places[other]],
        }
        for attn_head in distances.heads
        for rank, other in enumerate(distances.nearest(attn_head, n), start=1)
    ]
    columns = ["head", "rank", "nearest", "distance", "low", "high"]
    return signed(pd.DataFrame(rows, columns=columns), made, distances.n_inputs)


def roles_in_print(table: pd.DataFrame) -> pd.DataFrame:
    """Roles for reading: per cent, intervals beside numbers."""
    columns = {
        "role": table["role"],
        "head": table["head"].replace("", "too few words"),
        "n": table["n"],
        "accuracy": [_per_cent(v) for v in table["accuracy"]],
        "held out": [_per_cent(v) for v in table["held_out"]],
        "rule": table["rule"].fillna(""),
        "over the rule": _gains(table),
        "trees": table["trees"].fillna(""),
    }
    frame = pd.DataFrame(columns)
    frame.attrs = dict(table.attrs)
    return frame


def _gains(table: pd.DataFrame) -> Sequence[str]:
    rows = (100 * table[["gain", "gain_low", "gain_high"]]).itertuples(index=False)
    return ["" if np.isnan(v) else f"{v:.1f} [{low:.0f}, {high:.0f}]" for v, low, high in rows]


def _per_cent(value: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.1f}"
