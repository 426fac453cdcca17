"""Section 4.2's scores for reading: in print, beside the paper, counted in several ways."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bertattn.corpora import data_folder
from bertattn.syntax import ALL, SyntaxCounts, questions
from bertattn.tables.manifest import passed_on


def in_print(table: pd.DataFrame) -> pd.DataFrame:
    """Table 1 for reading: the best head of each relation, per cent, intervals beside numbers."""
    columns = {
        "relation": table["relation"],
        "n": table["n"],
        "trees": table["trees"],
        "head": table["head"],
        "direction": table["direction"],
        "accuracy": [_per_cent(v) for v in table["accuracy"]],
        "held out": _with_ends(table, "held_out"),
        "wins": [f"{share:.0%}" for share in table["winner_share"]],
        "precision": [_per_cent(v) for v in table["precision"]],
        "corrected": _with_ends(table, "corrected"),
    }
    return passed_on(pd.DataFrame(columns), table)


def explained_away(table: pd.DataFrame) -> pd.DataFrame:
    """Table 1's other side: what could explain each best head away, and what it has over that."""
    columns = {
        "relation": table["relation"],
        "head": [f"{_per_cent(v)}" for v in table["held_out"]],
        "best offset": _named(table, "offset"),
        "over the offset": _with_ends(table, "offset_gain"),
        "nearest of a class": _named(table, "nearest"),
        "over the nearest": _with_ends(table, "nearest_gain"),
        "random init": [_per_cent(v) for v in table["random"]],
        "p, swapped maps": ["" if np.isnan(p) else f"{p:.3f}" for p in table["p"]],
    }
    return passed_on(pd.DataFrame(columns), table)


def _with_ends(table: pd.DataFrame, column: str) -> list[str]:
    rows = zip(table[column], table[f"{column}_low"], table[f"{column}_high"], strict=True)
    return ["" if np.isnan(v) else f"{_per_cent(v)} [{_ends(a, b)}]" for v, a, b in rows]


def _named(table: pd.DataFrame, name: str) -> list[str]:
    pairs = zip(table[name], table[f"{name}_accuracy"], strict=True)
    return [f"{rule}: {_per_cent(value)}" if value == value else rule for rule, value in pairs]


def _per_cent(value: float) -> str:
    return "" if np.isnan(value) else f"{100 * value:.1f}"


def _ends(low: float, high: float) -> str:
    return f"{100 * low:.0f}, {100 * high:.0f}"


def side_by_side(ways: Mapping[str, SyntaxCounts], relations: Sequence[str]) -> pd.DataFrame:
    """The best head's accuracy for some relations, counted in several ways, in per cent.

    "All" is counted without punctuation and the root, and, as "All with punct, root", with them.
    """
    with_both = "All with punct, root"
    rows = {}
    for way, counts in ways.items():
        asked = [(q.relation, q) for q in questions(counts, min_count=1)]
        whole = questions(counts, punct=True, root=True, min_count=1)
        asked += [(with_both, q) for q in whole if q.relation == ALL]
        best: dict[str, float] = {}
        for name, q in asked:  # a decoder's directions are two
            best[name] = max(best.get(name, 0.0), float(q.right.sum(axis=0).max() / q.n))
        kept = [r for r in (*relations, ALL, with_both) if r in best]
        rows[way] = {relation: round(100 * best[relation], 1) for relation in kept}
    return pd.DataFrame(rows).rename_axis("relation").reset_index()


def beside_table_1(table: pd.DataFrame) -> pd.DataFrame:
    """Table 1 of the paper, its released notebook's numbers, and ours, in per cent.

    ``gain`` is the best head's accuracy less the best offset's, which compares better than
    accuracies on different text do. Ours are of the data that chose them, as the paper's are.
    """
    paper = pd.read_csv(data_folder() / "paper" / "syntax.csv", dtype={"offset": str})
    ours = table[["relation", "n", "head", "accuracy", "offset", "offset_accuracy", "trees"]]
    joined = paper.merge(ours, on="relation", how="left", suffixes=("", "_ours"))
    percent = 100 * joined[["accuracy_ours", "offset_accuracy_ours"]]
    columns = {
        "relation": joined["relation"],
        "n": joined["n"].astype("Int64"),
        "trees": joined["trees"],
        "head": joined["head_ours"],
        "accuracy": percent["accuracy_ours"].round(1),
        "offset": joined["offset_ours"],
        "gain": (percent["accuracy_ours"] - percent["offset_accuracy_ours"]).round(1),
        "paper_head": joined["head"],
        "paper_accuracy": joined["accuracy"],
        "paper_offset": joined["offset"],
        "paper_gain": (joined["accuracy"] - joined["offset_accuracy"]).round(1),
        "notebook_accuracy": joined["notebook_accuracy"],
        "notebook_gain": (joined["notebook_accuracy"] - joined["notebook_offset_accuracy"]).round(
            1
        ),
    }
    return passed_on(pd.DataFrame(columns), table)
