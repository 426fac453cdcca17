"""Section 3.2's second half read aloud."""

import pandas as pd

from bertattn.readings.lists import listed
from bertattn.tables import against_others, layer_names, sink_name

SMALL = 0.5  # of the gradients by weights to other tokens
LARGE = 1.0


def gradients(table: pd.DataFrame, sink: str) -> str:
    """Whether gradients by attention to the sink are small, and of what they are gradients."""
    made, objective = table.attrs["manifest"], table["objective"].iloc[0]
    ratio, by_logit = (against_others(table, form)[sink] for form in ("gradient", "logit"))
    small, large = (_layers(v) for v in (ratio[ratio < SMALL], by_logit[by_logit > LARGE]))
    name = sink_name(made, sink)
    return (
        f"Objective: {objective}. Gradients by weights to {name} are {ratio.min():.2f} to "
        f"{ratio.max():.2f} times those by weights to other tokens, by layer; under half in: "
        f"{small}. By the logit, so that what {name} gets the others lose, they are "
        f"{by_logit.min():.2f} to {by_logit.max():.2f} times those of other tokens; more than "
        f"theirs in: {large}."
    )


def _layers(values: pd.Series) -> str:
    return layer_names(values.index.tolist()) if len(values) else "no layer"


def evidence(table: pd.DataFrame) -> str:
    """What is moved from the sink and what its removal changes, beside one other token's."""
    if table.attrs["refused"]:
        return f"Neither can be measured. {table.attrs['refused']}."
    name, mean = sink_name(table.attrs["manifest"], table.attrs["sink"]), table.mean()
    text = (
        f"On average over layers {name} takes {mean['attention']:.0%} of attention and "
        f"{mean['moved']:.0%} of what attention moves: its values are {mean['value_norm']:.2f} "
        f"times as large as the mean over tokens."
    )
    ways = {"dropped": "drop it", "renormalised": "give it to the others", "mean": "fix it"}
    said = [
        f"{words}, {mean[way]:.2f}{_control(mean, way)}"
        for way, words in ways.items()
        if way in table
    ]
    return f"{text} How far final states move when a layer may not attend there: {'; '.join(said)}."


def _control(mean: pd.Series, way: str) -> str:
    name = f"{way}, one other"
    return f" (one other token: {mean[name]:.2f})" if name in mean else ""


def sink_where(table: pd.DataFrame) -> str:
    """Which relations' best heads look at the sink more where their relation does not apply."""
    name = sink_name(table.attrs["manifest"], table["sink"].iloc[0])
    if table["low"].isna().all():
        return "There is one document only, so no difference has an interval."
    more, less = table[table["low"] > 0], table[table["high"] < 0]
    most = table.loc[table["difference"].idxmax()]
    return (
        f"Of {len(table)} relations, the best heads of {len(more)} look at {name} more from words "
        f"where the relation does not apply, the whole interval above 0: "
        f"{listed(more['relation'])}; of {len(less)} less: {listed(less['relation'])}. Most: head "
        f"{most['head']} for {most['relation']}, {most['applies']:.0%} where it applies and "
        f"{most['elsewhere']:.0%} elsewhere."
    )
