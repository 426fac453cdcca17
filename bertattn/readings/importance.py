"""Section 3.2's second half read aloud."""

import pandas as pd

from bertattn.readings.lists import listed
from bertattn.tables import against_others, layer_names, looks_more, sink_name

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
    """Which relations' best heads look at the sink where it does not apply, more than heads do.

    Judged by the excess over all heads, since the length of a sentence and the place in it move
    every head's share.
    """
    if table.empty:
        return "Nothing can be asked: there were too few words of each relation."
    name = sink_name(table.attrs["manifest"], table["sink"].iloc[0])
    if table["excess_low"].isna().all():
        return "There is one document only, so no difference has an interval."
    more, less = table[looks_more(table)], table[table["excess_high"] < 0]
    most = table.loc[table["excess"].idxmax()]
    return (
        f"Of {table['relation'].nunique()} relations, in {more['relation'].nunique()} the best "
        f"head looks at {name} more where the relation does not apply, and by more than heads do "
        f"on average, both whole intervals above 0: {listed(_relations(more, table))}; in "
        f"{less['relation'].nunique()} the difference is less than in heads on average: "
        f"{listed(_relations(less, table))}. Farthest above them: head "
        f"{most['head']} for {_relations(table.loc[[most.name]], table)[0]}, "
        f"{most['applies']:.0%} where it applies and {most['elsewhere']:.0%} elsewhere, a "
        f"difference of {_points(most['difference'])}; all heads: {_points(most['all_heads'])}."
    )


def _relations(rows: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """Their names, with the direction where a relation has a row for each."""
    twice = table["relation"].value_counts() > 1
    return [
        f"{r.relation} ({r.direction})" if twice[r.relation] else str(r.relation)
        for r in rows.itertuples()
    ]


def _points(share: float) -> str:
    return f"{100 * share:.0f} points"
