"""What changes without some heads, as tables: each removal, and the choice beside random heads."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from bertattn.heads import all_heads
from bertattn.tables.manifest import Manifest, passed_on, signed

if TYPE_CHECKING:
    from bertattn.importance import Pick, Removals

RANDOM, MATCHED = "random", "random, same layers"
ONE = "one head"


def removals(result: "Removals", made: Manifest) -> pd.DataFrame:
    """What each removal costs, a row for each removal and outcome.

    Columns: ``chosen`` (by what; "one head", "random"), ``beside`` (of layer-matched draws, whose
    layers), ``draw`` (from 1; 0 for what is not drawn), ``k`` heads, ``heads`` as printed,
    ``outcome``; ``intact``, the number of the model as it is; ``cost``, how much worse it is
    without the heads (higher for a loss, lower for an accuracy), with the interval ``low`` to
    ``high`` by document; ``n`` inputs, pairs or arcs, ``groups`` of documents; ``way``. An outcome
    that could be asked of nothing has no row.

    Args:
        result: What was measured (``importance.remove_heads``).
        made: How.
    """
    rows = [
        row
        for pick, costs in zip(result.picks, result.costs, strict=True)
        for row in _of_pick(result, pick, costs)
    ]
    return _signed(rows, result, made)


def _signed(rows: list[dict], result: "Removals", made: Manifest) -> pd.DataFrame:
    """A table whose signature says in which way heads were taken away."""
    options = {**made["options"], "way": result.way}
    table = pd.DataFrame(rows).assign(way=result.way)
    return signed(table, {**made, "options": options}, result.n_inputs)


def _of_pick(result: "Removals", pick: "Pick", costs: np.ndarray) -> list[dict]:
    n, intact, found = result.counts.sum(axis=0), result.intact(), result.estimate(costs)
    names = {
        "chosen": pick.name,
        "beside": pick.matched or "",
        "draw": 0 if pick.draw is None else pick.draw + 1,
        "k": len(pick.heads),
        "heads": ", ".join(map(str, pick.heads)),
    }
    return [
        {
            **names,
            "outcome": result.names[i],
            "intact": intact[i],
            "cost": found.mean[i],
            "low": found.low[i],
            "high": found.high[i],
            "n": int(n[i]),
            "groups": found.n_groups,
        }
        for i in np.flatnonzero(n)
    ]


def beside_random(result: "Removals", made: Manifest) -> pd.DataFrame:
    """What a choice of heads costs beside layer-matched draws, a row for each choice and outcome.

    Columns: ``chosen``, ``k``, ``outcome``, ``n``, ``cost`` with ``low`` and ``high``; ``random``,
    the mean cost of its draws; ``difference``, the cost less that mean, on the same texts, with
    ``difference_low`` and ``difference_high`` by document for these draws; ``draws``, and how many
    of them cost at least ``as_much``. The two answer two kinds of luck: which texts, which draws.

    Args:
        result: What was measured; of each choice also layer-matched draws of the same size.
        made: How.

    Raises:
        ValueError: If no choice has draws beside it.
    """
    rows = []
    for number, pick in enumerate(result.picks):
        same = [
            i
            for i, other in enumerate(result.picks)
            if other.matched == pick.name and len(other.heads) == len(pick.heads)
        ]
        if pick.draw is None and same:
            rows += _beside(result, number, same)
    if not rows:
        raise ValueError(
            "no choice of heads has layer-matched draws of its size; add some: "
            "importance.drawn_beside(pick, n_heads, n)"
        )
    return _signed(rows, result, made)


def _beside(result: "Removals", number: int, same: list[int]) -> list[dict]:
    pick, costs, draws = result.picks[number], result.costs[number], result.costs[same]
    own, over = result.estimate(costs), result.estimate(costs - draws.mean(axis=0))
    drawn = np.array([result.estimate(one).mean for one in draws])
    n = result.counts.sum(axis=0)
    return [
        {
            "chosen": pick.name,
            "k": len(pick.heads),
            "outcome": result.names[i],
            "n": int(n[i]),
            "cost": own.mean[i],
            "low": own.low[i],
            "high": own.high[i],
            "random": drawn[:, i].mean(),
            "difference": over.mean[i],
            "difference_low": over.low[i],
            "difference_high": over.high[i],
            "draws": len(same),
            "as_much": int((drawn[:, i] >= own.mean[i]).sum()),
        }
        for i in np.flatnonzero(n)
    ]


def with_scores(table: pd.DataFrame, scores: Mapping[str, "np.ndarray"]) -> pd.DataFrame:
    """The removals of single heads with each head's scores beside them, a column a score.

    Args:
        table: All heads, one at a time (``removals``).
        scores: By name, "layer head".
    """
    rows = table[table["chosen"] == ONE].copy()
    for name, values in scores.items():
        names = map(str, all_heads(*values.shape))
        rows[name] = rows["heads"].map(dict(zip(names, values.ravel().tolist(), strict=True)))
    rows["layer"] = rows["heads"].str.partition("-")[0].astype(int)
    return passed_on(rows.reset_index(drop=True), table)


def score_agreement(table: pd.DataFrame, scores: list[str]) -> pd.DataFrame:
    """Rank correlations (Spearman) of what a head's removal costs with scores, a row an outcome.

    For each score a column over all heads, and one within layers: the mean over layers, for a score
    may know the layer and nothing of its heads. NaN where one of the two does not vary.

    Args:
        table: Single heads with their scores (``with_scores``).
        scores: Names of scores.
    """
    found: dict[object, dict[str, float]] = {}
    for outcome, rows in table.groupby("outcome", sort=False):
        found[outcome] = {}
        for score in scores:
            within = [_spearman(own, score) for _, own in rows.groupby("layer")]
            known = [value for value in within if not np.isnan(value)]
            found[outcome][score] = _spearman(rows, score)
            found[outcome][f"{score}, within layers"] = float(np.mean(known)) if known else np.nan
    return passed_on(pd.DataFrame(found).T.rename_axis("outcome"), table)


def _spearman(rows: pd.DataFrame, score: str) -> float:
    both = rows[["cost", score]].dropna().rank()
    if (both.nunique() < 2).any():
        return np.nan
    return float(both["cost"].corr(both[score]))
