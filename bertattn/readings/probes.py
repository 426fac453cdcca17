"""Section 5 read aloud."""

import numpy as np
import pandas as pd

from bertattn.readings.lists import listed

WORDS = "attention and words"


def probes(table: pd.DataFrame, over: pd.DataFrame) -> str:
    """Which probes find how much, and what attention and words finds more than others.

    Args:
        table: The scores (``tables.table_3``).
        over: Differences on the same sentences (``tables.over_others``).
    """
    rows = table[table["uas"].notna()].sort_values("uas", ascending=False, kind="stable")
    order = ", ".join(f"{r.probe} {r.uas:.0%}" for r in rows.itertuples())
    text = f"By share of right governors: {order}."
    said = listed(
        f"{100 * r.difference:+.0f} points beside {r.other} [{100 * r.low:.0f}, {100 * r.high:.0f}]"
        for r in over.itertuples()
    )
    return (
        text if over.empty else f"{text} On the same sentences {over['probe'].iloc[0]} has {said}."
    )


def random_probe(table: pd.DataFrame, name: str = "random-init attention and words") -> str:
    """What is left over where a model's layers are random."""
    named = table.set_index("probe")
    if name not in named.index or "right-branching" not in named.index:
        return "No model with random layers was probed."
    row, chain = named.loc[name], named.loc["right-branching", "uas"]
    where = "above" if row["uas"] > chain else "below"
    seeds = int(row["seeds"])
    by_seed = f" ({row['seed_low']:.0%} to {row['seed_high']:.0%} by seed)" if seeds > 1 else ""
    return (
        f"Over {seeds} model{'s' * (seeds > 1)} with random layers attention and words finds "
        f"{row['uas']:.0%}{by_seed}, {where} right-branching ({chain:.0%}); its maps are centred "
        f"and its learning rate, {row['learning_rate']:g}, is searched for."
    )


def selectivity(table: pd.DataFrame) -> str:
    """How much of a score could be memory of words (Hewitt and Liang 2019)."""
    rows = table[table["selectivity"].notna()]
    if rows.empty:
        return "No probe was trained on the control task."
    said = "; ".join(
        f"{r.probe} finds {r.control:.0%} of the control task, so its selectivity is "
        f"{100 * r.selectivity:+.0f} points"
        for r in rows.itertuples()
    )
    learned = rows.loc[rows["selectivity"] <= 0, "probe"]
    if learned.empty:
        return f"{said}."
    return (
        f"{said}. No better on trees than on what can only be learned by heart: {listed(learned)}."
    )


def structure(table: pd.DataFrame) -> str:
    """Edges without direction, from attention and from vectors."""
    rows = table[table["uuas"].notna()].sort_values("uuas", ascending=False)
    said = ", ".join(
        f"{r.probe}{f' ({r.note})' if r.note else ''} {r.uuas:.0%}" for r in rows.itertuples()
    )
    return f"By edges of trees without direction: {said}."


def weights(table: pd.DataFrame, n: int = 5) -> str:
    """Which heads move scores most, and whether these are those that are good alone."""
    ranks = table.reindex(table["effect"].abs().sort_values(ascending=False, kind="stable").index)
    most = listed(
        f"{r.head} ({r.direction}, weight {r.weight:+.1f})" for r in ranks.head(n).itertuples()
    )
    both = table.dropna(subset=["accuracy"])
    share = ranks["effect"].abs().head(n).sum() / max(table["effect"].abs().sum(), 1e-12)
    text = f"Scores are moved most by {most}; these {n} make {share:.0%} of all that is moved."
    if both["accuracy"].nunique() < 2 or both["effect"].nunique() < 2:
        return text
    order = np.corrcoef(both["effect"].rank(), both["accuracy"].rank())[0, 1]
    return (
        f"{text} Ranks of what heads move, with its sign, and of what they find alone correlate by "
        f"{order:.2f}."
    )


def learning(curves: pd.DataFrame) -> str:
    """Which probes might have learned more with more epochs."""
    best = curves.loc[curves.groupby("probe", sort=False)["dev_uas"].idxmax()]
    last = curves.groupby("probe", sort=False)["epoch"].max()
    rising = best.loc[best["epoch"].to_numpy() == last[best["probe"]].to_numpy(), "probe"]
    return f"Still at their best in the last epoch: {listed(rising)}."


def distance(table: pd.DataFrame, name: str = WORDS) -> str:
    """How a probe's score falls with distance."""
    rows = table[table["probe"] == name]
    if rows.empty:
        return f"{name!r} is not in the table."
    said = ", ".join(f"{r.distance}: {r.uas:.0%} of {r.n:,}" for r in rows.itertuples())
    return f"{name[0].upper()}{name[1:]}, by words to the governor: {said}."
