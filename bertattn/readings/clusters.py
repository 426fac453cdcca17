"""Section 6 read aloud."""

import numpy as np
import pandas as pd

from bertattn.clusters import Distances, DistanceSums, Tree
from bertattn.readings.lists import listed, sentence

SILHOUETTES = {0.25: "no groups to speak of", 0.5: "weak groups", 0.7: "fair groups"}


def alike(distances: Distances) -> str:
    """Which heads are nearest and farthest, or that no two can be told apart."""
    names = [str(h) for h in distances.heads]
    if len(names) < 2:
        return "There is one head only, and nothing to compare it with."
    if distances.all_equal:
        return (
            f"No two of {len(names)} heads can be told apart: all attend alike. A map of them is "
            "one point, and there is nothing to cluster."
        )
    i, j = np.triu_indices(len(names), 1)
    values = distances.matrix[i, j]
    near, far = int(values.argmin()), int(values.argmax())
    return (
        f"Two heads are {values.mean():.3f} nats apart on average (ln 2 = 0.693 is the most "
        f"possible). Nearest: {names[i[near]]} and {names[j[near]]}, {values[near]:.3f}; farthest: "
        f"{names[i[far]]} and {names[j[far]]}, {values[far]:.3f}."
    )


def layers(groupings: pd.DataFrame, gradients: pd.DataFrame, level: float = 0.05) -> str:
    """Do heads of one layer lie together? For each variant, with the Mantel test.

    Args:
        groupings: Distances within and between (``tables.groupings``).
        gradients: The Mantel test (``tables.gradients``).
        level: Of the test.
    """
    rows = groupings[groupings["by"] == "layer"]
    tests = gradients.set_index("variant")
    return " ".join(_layers_of(row, tests.loc[row["variant"]], level) for _, row in rows.iterrows())


def _layers_of(row: pd.Series, test: pd.Series, level: float) -> str:
    if np.isnan(row["difference"]):
        few = "is one layer only" if row["groups"] == 1 else "are too few heads"
        return f"{sentence(row['variant'])}: layers cannot be compared; there {few}."
    text = (
        f"{sentence(row['variant'])}, heads of one layer are {row['within']:.3f} nats apart and "
        f"heads of different layers {row['between']:.3f}"
    )
    if not np.isnan(row["low"]):
        text += f": {row['difference']:.3f} more [{row['low']:.3f}, {row['high']:.3f}]"
    if np.isnan(test["correlation"]):
        return f"{text}."
    found = test["p"] <= level and test["correlation"] > 0
    trend = "the more layers between two heads, the farther apart they are"
    trend += "" if found else ": no such trend is found"
    return f"{text}; {trend} (Mantel r {test['correlation']:.2f}, p {test['p']:.4f})."


def removed(sums: DistanceSums) -> str:
    """In how many inputs there was a sink to remove."""
    n, none = sums.n_inputs, sums.left_out["inputs_without_the_sink"]
    if sums.options.without == "none":
        return "No sink was to be removed."
    if none == n:
        return (
            f"No input has such a token ({sums.options.without!r}): nothing was removed, and the "
            "two variants are the same. The first position can be removed in any model: 'first'."
        )
    rest = f"; in the other {none} there is no such token, and nothing was removed" if none else ""
    return f"The sink ({sums.options.without!r}) was removed from {n - none} of {n} inputs{rest}."


def groups(groupings: pd.DataFrame) -> str:
    """How well groups are set apart, about in the words of Kaufman and Rousseeuw (1990)."""
    said = []
    for _, row in groupings.iterrows():
        what = f"by {row['by']}, {row['variant']}"
        if np.isnan(row["silhouette"]):
            said.append(f"{what}: does not apply")
        else:
            chance = f"by chance {row['by_chance']:.2f}"
            score = f"silhouette {row['silhouette']:.2f} ({chance})"
            said.append(f"{what}: {score}, {strength(row['silhouette'])}")
    return sentence(f"{'; '.join(said)}.")


def strength(silhouette: float) -> str:
    """A silhouette in words.

    Example:
        >>> strength(0.02), strength(0.8)
        ('no groups to speak of', 'strong groups')
    """
    return next((w for most, w in SILHOUETTES.items() if silhouette <= most), "strong groups")


def map_quality(table: pd.DataFrame) -> str:
    """How far a map may be believed, by its stress.

    Args:
        table: The quality of each map (``tables.map_quality``).
    """
    row = table.iloc[0]
    text = f"The map's stress is {row['stress']:.3f}: {row['word']} by Kruskal's scale"
    if np.isnan(row["rank_correlation"]):
        return f"{text}; there are too few different distances to put in order."
    return (
        f"{text}, which was made for nonmetric scaling and is a guide here. Distances on the map "
        f"and real ones have a rank correlation of {row['rank_correlation']:.2f}."
    )


def tree_quality(tree: Tree) -> str:
    """How well a tree keeps distances, beside a map: by their correlation with its heights."""
    if np.isnan(tree.faithfulness):
        return "There are no two distances that differ, and so nothing for a tree to keep."
    return (
        "Real distances and the heights at which the tree joins heads have a correlation of "
        f"{tree.faithfulness:.2f} (cophenetic; a tree that kept every distance would have 1)."
    )


def stability(table: pd.DataFrame) -> str:
    """What moves a map more, the seed or the documents.

    Args:
        table: Worst cases (``tables.stability``).
    """
    seeds, halves = (row for _, row in table.iterrows())
    said = []
    if seeds["n"] and not np.isnan(seeds["maps"]):
        said.append(
            f"With {seeds['n']} other seeds the stress is {seeds['least_stress']:.3f} to "
            f"{seeds['most_stress']:.3f}, and distances on the map have a rank correlation of "
            f"{seeds['maps']:.2f} at least with those on this one."
        )
    if halves["n"] and np.isnan(halves["distances"]):
        said.append(
            f"In {halves['n']} splits of the documents, no two heads can be told apart on either "
            "half."
        )
    elif halves["n"]:
        said.append(
            f"In {halves['n']} splits of the documents, the distances found on both halves have a "
            f"correlation of {halves['distances']:.3f} at least; no pair differs by more than "
            f"{halves['largest']:.3f} nats."
        )
    return " ".join(said) or "There is nothing to compare: too few documents, or heads all alike."


def roles(table: pd.DataFrame) -> str:
    """Which roles have a head that beats a rule, and which heads have several roles.

    Args:
        table: The best head of each role (``tables.roles``).
    """
    known = table[table["head"] != ""]
    if known.empty:
        return "No role was measured: there were too few words of each."
    wins = known.loc[known["gain_low"] > 0, "role"]
    text = (
        f"Of {len(known)} roles, those whose best head beats its rule on other documents, the "
        f"whole interval above 0: {listed(wins)}."
    )
    shared = known.groupby("head", sort=False)["role"].agg(list)
    several = [f"{h} ({' and '.join(names)})" for h, names in shared.items() if len(names) > 1]
    return f"{text} Heads with more than one role: {listed(several)}."


def sampling(table: pd.DataFrame) -> str:
    """What taking some of the rows costs in exactness, beside what documents differ by.

    Args:
        table: Errors (``tables.sampling``).
    """
    full, some = (row for _, row in table.iterrows())
    if np.isnan(some["relative_error"]):
        return "No two heads can be told apart, so there is no distance to be off."
    text = (
        f"With {some['rows']:,} of {full['rows']:,} rows a distance is off by "
        f"{some['relative_error']:.1%} on average"
    )
    if np.isnan(full["half_interval"]):
        return f"{text}."
    return (
        f"{text}; from other documents like these, with all rows, it would differ by up to about "
        f"{full['half_interval']:.1%} (half of its 95 % interval)."
    )
