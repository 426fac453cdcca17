"""Section 5 read aloud."""

import numpy as np
import pandas as pd

from bertattn.readings.lists import listed

WORDS = "attention and words"
BASELINES = ("words and distances", "uniform attention and words", "right-branching")


def probes(table: pd.DataFrame) -> str:
    """Which probes find how much, and whether attention adds to words."""
    rows = table[table["uas"].notna()].sort_values("uas", ascending=False)
    order = ", ".join(f"{r.probe} {r.uas:.0%}" for r in rows.itertuples())
    text = f"By share of right governors: {order}."
    named = table.set_index("probe")
    if WORDS not in named.index:
        return text
    best = named.loc[WORDS]
    for other in (b for b in BASELINES if b in named.index):
        row = named.loc[other]
        apart = best["uas_low"] > row["uas_high"] or best["uas_high"] < row["uas_low"]
        more = "more" if best["uas"] > row["uas"] else "less"
        how = "and their intervals do not meet" if apart else "but their intervals meet"
        points = 100 * abs(best["uas"] - row["uas"])
        text += f" That is {points:.0f} points {more} with {WORDS} than by {other}, {how}."
    return text


def random_probe(table: pd.DataFrame, name: str = "random-init attention and words") -> str:
    """What is left over where a model's layers are random."""
    named = table.set_index("probe")
    if name not in named.index or "right-branching" not in named.index:
        return "No model with random layers was probed."
    row, chain = named.loc[name], named.loc["right-branching", "uas"]
    where = "above" if row["uas"] > chain else "below"
    return (
        f"Over {row['seeds']} models with random layers the same probe finds {row['uas']:.0%} "
        f"({row['seed_low']:.0%} to {row['seed_high']:.0%} by seed), {where} right-branching "
        f"({chain:.0%}); learning rate {row['learning_rate']:g}, searched for it alone."
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
    least = rows.loc[rows["selectivity"].idxmin(), "probe"]
    return f"{said}. The least selective is {least}: of what it finds, most could be learned words."


def structure(table: pd.DataFrame) -> str:
    """Edges without direction, from attention and from vectors."""
    rows = table[table["uuas"].notna()].sort_values("uuas", ascending=False)
    said = ", ".join(
        f"{r.probe}{f' ({r.note})' if r.note else ''} {r.uuas:.0%}" for r in rows.itertuples()
    )
    return f"By edges of trees without direction: {said}."


def weights(table: pd.DataFrame, n: int = 5) -> str:
    """Which heads carry the weight, and whether these are those that are good alone."""
    ranks = table.reindex(table["weight"].abs().sort_values(ascending=False, kind="stable").index)
    most = listed(f"{r.head} ({r.direction}, {r.weight:+.1f})" for r in ranks.head(n).itertuples())
    both = table.dropna(subset=["accuracy"])
    share = ranks["weight"].abs().head(n).sum() / max(table["weight"].abs().sum(), 1e-12)
    if both["accuracy"].nunique() < 2 or both["weight"].nunique() < 2:
        return f"The largest weights: {most}."
    order = np.corrcoef(both["weight"].rank(), both["accuracy"].rank())[0, 1]
    return (
        f"The largest weights: {most}; these {n} carry {share:.0%} of all weight. Ranks of weights "
        f"and of what heads find alone correlate by {order:.2f}."
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
