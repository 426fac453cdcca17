"""What taking heads away has cost, read aloud."""

import pandas as pd

from bertattn.readings.lists import listed
from bertattn.tables.removals import RANDOM

LEAST_AGREEMENT = 0.3
NAMES = {
    "text": "the text's vector",
    "tokens": "the tokens' states",
    "loss": "the loss",
    "syntax": "the arcs found",
    "probe": "the governors that the probe finds",
}


def one_by_one(table: pd.DataFrame) -> str:
    """Which single head costs most, and how many cost anything that an interval can tell from 0."""
    said = []
    for outcome, rows in table.groupby("outcome", sort=False):
        most = rows.loc[rows["cost"].idxmax()]
        sure = int((rows["low"] > 0).sum())
        said.append(
            f"{_name(outcome)}: most by head {most['heads']}, {most['cost']:.3f} (the median head "
            f"{rows['cost'].median():.4f}); the whole interval is above 0 for {sure} of "
            f"{len(rows)} heads"
        )
    return f"One head taken away. {_sentences(said)}"


def score_agreement(table: pd.DataFrame) -> str:
    """Whether scores say which heads cost most, over all heads and within layers."""
    said = []
    for score in [c for c in table if not c.endswith("within layers")]:
        over = [o for o in table.index if table.loc[o, score] > LEAST_AGREEMENT]
        within = [
            o for o in table.index if table.loc[o, f"{score}, within layers"] > LEAST_AGREEMENT
        ]
        said.append(
            f"{score}: over all heads for {listed(map(_name, over))}; within layers for "
            f"{listed(map(_name, within))}"
        )
    return (
        f"A rank correlation above {LEAST_AGREEMENT} between a score and what the head's removal "
        f"costs. {_sentences(said)}"
    )


def beside_random(table: pd.DataFrame) -> str:
    """Whether chosen heads cost more than random ones of the same layers."""
    if table["difference_low"].isna().all():
        return "There is one document only, so no difference has an interval."
    said = []
    for name, rows in table.groupby("chosen", sort=False):
        more = rows[(rows["difference_low"] > 0) & (rows["as_much"] == 0)]
        less = rows[(rows["difference_high"] < 0) & (rows["as_much"] == rows["draws"])]
        k, draws = rows["k"].iloc[0], rows["draws"].iloc[0]
        said.append(
            f"the {k} best by {name} cost more than random heads of their layers (whole interval "
            f"above 0, and more than each of {draws} draws) in {_names(more)}; less in "
            f"{_names(less)}"
        )
    return _sentences(said)


def more_and_more(table: pd.DataFrame) -> str:
    """What the largest number of heads costs, by how they were chosen."""
    most = table["k"].max()
    rows = table[table["k"] == most]
    said = []
    for outcome, own in rows.groupby("outcome", sort=False):
        means = own.groupby("chosen", sort=False)["cost"].mean()
        parts = [f"{n if n == RANDOM else f'best by {n}'} {v:.3f}" for n, v in means.items()]
        said.append(f"{_name(outcome)}: {', '.join(parts)}")
    return f"{most} heads taken away. {_sentences(said)}"


def ways(mean: pd.DataFrame, zero: pd.DataFrame) -> str:
    """Whether 0 in place of the mean output costs more."""
    keys = ["chosen", "beside", "draw", "k", "outcome"]
    both = mean.merge(zero, on=keys, suffixes=("_mean", "_zero"))
    said = []
    for outcome, rows in both.groupby("outcome", sort=False):
        dearer = int((rows["cost_zero"] > rows["cost_mean"]).sum())
        said.append(f"{_name(outcome)}: 0 costs more than the mean for {dearer} of {len(rows)}")
    return f"The same heads with 0 in place of their mean output. {_sentences(said)}"


def _name(outcome: object) -> str:
    return NAMES.get(str(outcome), str(outcome))


def _names(rows: pd.DataFrame) -> str:
    return listed(_name(outcome) for outcome in rows["outcome"])


def _sentences(parts: list[str]) -> str:
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)
