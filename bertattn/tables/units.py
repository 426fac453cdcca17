"""Sums by group of documents, of whichever section, in one form."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertattn import coref, syntax
from bertattn.syntax.arcs import PUNCTUATION, ROOT

KEYS = ("measure", "relation", "way", "kind", "probe")
ALL = {"relation": syntax.ALL, "kind": coref.ALL}


@dataclass(frozen=True, eq=False)
class Rates:
    """Sums and counts of every candidate, by group of documents.

    Attributes:
        groups: The numbers of the groups.
        names: The candidates: heads, with a direction where there are two; a probe is alone.
        sums: What each candidate got.
        counts: Of how many.
    """

    groups: np.ndarray
    names: tuple[str, ...]
    sums: np.ndarray
    counts: np.ndarray

    def of(self, groups: np.ndarray) -> "Rates":
        """Those of some groups."""
        kept = np.isin(self.groups, groups)
        return Rates(self.groups[kept], self.names, self.sums[kept], self.counts[kept])

    @property
    def both(self) -> tuple[np.ndarray, np.ndarray]:
        """Sums and counts."""
        return self.sums, self.counts

    @property
    def n(self) -> int:
        """How many inputs, arcs or mentions there are."""
        return int(self.counts.sum(axis=0).max(initial=0))


def rates_of(units: pd.DataFrame) -> dict[tuple[str, ...], Rates]:
    """The sums of each measure, relation or kind of mention; of the latter two also of all.

    Punctuation and the root are no relations here.
    """
    wide = _wide(units) if "count" in units else units
    keys = [key for key in KEYS if key in wide]
    last = keys[-1]
    wide = wide[~wide[last].isin((PUNCTUATION, ROOT))]
    found = {key: _pivoted(part) for key, part in wide.groupby(keys, sort=False)}
    if last in ALL:
        whole = wide.assign(**{last: ALL[last]}).groupby(keys, sort=False)
        found = {**{key: _pivoted(part) for key, part in whole}, **found}
    return found


def _wide(units: pd.DataFrame) -> pd.DataFrame:
    """Section 3's sums with a column a head, as the other sections have them."""
    wide = units.pivot(index=["measure", "group"], columns="head", values="sum")
    counts = units.groupby(["measure", "group"])["count"].first().rename("total")
    heads = list(dict.fromkeys(units["head"]))
    return wide[heads].join(counts).reset_index()


def _pivoted(part: pd.DataFrame) -> Rates:
    """Candidates are heads, in each direction where there are two."""
    heads = [c for c in part if c not in (*KEYS, "group", "direction", "total")]
    groups = np.unique(part["group"])
    directions = part["direction"] if "direction" in part else pd.Series("", index=part.index)
    names, sums, counts = [], [], []
    for direction in dict.fromkeys(directions):
        rows = part[directions == direction].groupby("group")[[*heads, "total"]].sum()
        rows = rows.reindex(groups, fill_value=0)
        names += [f"{h} {direction}".strip() for h in heads]
        sums.append(rows[heads].to_numpy())
        counts.append(np.repeat(rows[["total"]].to_numpy(), len(heads), axis=1))
    return Rates(groups, tuple(names), np.hstack(sums), np.hstack(counts))
