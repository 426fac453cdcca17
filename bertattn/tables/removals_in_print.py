"""Removals of heads as a reader sees them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertattn.tables.manifest import passed_on

if TYPE_CHECKING:
    from bertattn.importance import Pick


def chosen_heads(picks: Sequence["Pick"], scores: Mapping[str, "np.ndarray"]) -> pd.DataFrame:
    """Which heads were chosen, a row a choice.

    Columns: ``heads``, the best first; ``layers``, with how many heads of each; ``shared``, how
    many stand in another choice too; ``least``, the smallest score that was chosen, and ``median``,
    that of all heads.
    """
    rows = {}
    for pick in picks:
        values = scores[pick.name]
        layers = pd.Series([h.layer + 1 for h in pick.heads]).value_counts().sort_index()
        others = {h for other in picks if other is not pick for h in other.heads}
        rows[pick.name] = {
            "heads": ", ".join(map(str, pick.heads)),
            "layers": ", ".join(f"{layer} ({n})" for layer, n in layers.items()),
            "shared": len(others & set(pick.heads)),
            "least": float(min(values[h.layer, h.index] for h in pick.heads)),
            "median": float(np.nanmedian(values)),
        }
    return pd.DataFrame(rows).T.rename_axis("chosen by")


def intact(table: pd.DataFrame) -> pd.DataFrame:
    """The numbers of the model as it is: a row an outcome, of ``n`` inputs, pairs or arcs."""
    rows = table.drop_duplicates("outcome").set_index("outcome")[["intact", "n", "groups"]]
    return passed_on(rows.rename(columns={"groups": "documents"}).round(3), table)


def beside_random_in_print(table: pd.DataFrame) -> pd.DataFrame:
    """What choices cost beside layer-matched draws (``beside_random``), rounded, one cell each."""
    columns = {
        "cost": _with_ends(table, "cost", "low", "high"),
        "random": table["random"].map("{:.3f}".format),
        "difference": _with_ends(table, "difference", "difference_low", "difference_high"),
        "as much": [f"{r.as_much} of {r.draws}" for r in table.itertuples()],
    }
    names = pd.MultiIndex.from_frame(table[["outcome", "chosen"]])
    shown = pd.DataFrame({name: list(values) for name, values in columns.items()}, index=names)
    return passed_on(shown.sort_index(level=0, sort_remaining=False, kind="stable"), table)


def _with_ends(table: pd.DataFrame, value: str, low: str, high: str) -> list[str]:
    rows = zip(table[value], table[low], table[high], strict=True)
    return [f"{v:.3f}" if np.isnan(a) else f"{v:.3f} [{a:.3f}, {b:.3f}]" for v, a, b in rows]


def ways(mean: pd.DataFrame, zero: pd.DataFrame) -> pd.DataFrame:
    """What the same choices cost with their mean output in its place, and with 0.

    Args:
        mean: Removals by the mean (``removals``).
        zero: The same by 0; what stands in one alone is left out.
    """
    keys = ["outcome", "chosen", "draw", "k", "beside"]
    both = mean.merge(zero, on=keys, suffixes=("_mean", "_zero"))
    shown = both.set_index(["outcome", "chosen"])[["cost_mean", "cost_zero"]]
    shown = shown.rename(columns={"cost_mean": "mean", "cost_zero": "zero"})
    return passed_on(shown.sort_index(level=0, sort_remaining=False, kind="stable"), mean)


def dearest(table: pd.DataFrame, outcome: str) -> str:
    """By what those heads were chosen whose removal costs most."""
    rows = _of(table, outcome)
    return str(rows.loc[rows["cost"].idxmax(), "chosen"])


def cost_of(table: pd.DataFrame, name: str, outcome: str) -> float:
    """What the removal of one choice of heads costs.

    Raises:
        ValueError: If there is no such choice or outcome.
    """
    rows = _of(table, outcome)
    rows = rows[rows["chosen"] == name]
    if rows.empty:
        raise ValueError(f"wanted a choice out of {_known(table, 'chosen')}, got {name!r}")
    return float(rows["cost"].iloc[0])


def _of(table: pd.DataFrame, outcome: str) -> pd.DataFrame:
    rows = table[table["outcome"] == outcome]
    if rows.empty:
        raise ValueError(f"wanted an outcome out of {_known(table, 'outcome')}, got {outcome!r}")
    return rows


def _known(table: pd.DataFrame, column: str) -> str:
    return ", ".join(map(str, table[column].unique()))
