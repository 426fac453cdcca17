"""Section 4.2 read aloud."""

import pandas as pd

from bertattn.readings.lists import listed
from bertattn.syntax import ALL

DRAWN = {
    "gold": "The trees are gold: people drew or corrected them.",
    "checked": "The trees were drawn by a parser and corrected by a language model.",
    "converted": "The trees were converted from Universal Dependencies by rules.",
    "given": "The trees are taken as they are given: nothing in the file says who drew them.",
}


def best_heads(table: pd.DataFrame) -> str:
    """Which relations' best heads beat the best offset, and the nearest word of a class."""
    rows = table[table["relation"] != ALL]
    if rows["held_out"].isna().all():
        return "There is one document only, so nothing can be chosen on some and scored on others."
    wins = rows[rows["offset_gain_low"] > 0]
    top = rows.loc[rows["offset_gain"].idxmax()]
    text = (
        f"Of {rows['relation'].nunique()} relations, {wins['relation'].nunique()} have a head that "
        f"beats the best fixed offset on documents that did not choose it, the whole interval of "
        f"the difference above 0: {listed(wins['relation'])}. Most: head {top['head']} for "
        f"{top['relation']}, {top['held_out']:.0%} and {top['offset_gain']:.0%} over the offset."
    )
    if rows["nearest_gain"].isna().all():
        return f"{text} The words have no parts of speech, so there is no nearest word of a class."
    both = wins[wins["nearest_gain_low"] > 0]
    return (
        f"{text} {both['relation'].nunique()} of them also beat the nearest word of a class on one "
        f"side: {listed(both['relation'])}."
    )


def swaps(table: pd.DataFrame, level: float = 0.05) -> str:
    """For which relations no difference is found when maps are swapped."""
    rows = table[table["p"].notna()]
    if rows.empty:
        return "Maps were not swapped."
    n_relations = rows["relation"].nunique()
    alike = rows.loc[rows["p"] > level, "relation"]
    text = (
        f"With the map of another sentence of the same length, no loss is found for "
        f"{alike.nunique()} of {n_relations} relations (Holm's p above {level}): {listed(alike)}."
    )
    more = "For the others the best head finds more with the sentence's own map."
    return text if alike.nunique() == n_relations else f"{text} {more}"


def trees(table: pd.DataFrame) -> str:
    """Who drew the trees that a table's scores are held against."""
    drawn = table.attrs["manifest"]["trees"]
    if drawn == "silver":
        return "The trees are silver: a parser drew them, and its errors count as right here."
    return DRAWN[drawn]


def silver(table: pd.DataFrame) -> str:
    """What the trees are, and for which relations they cannot be relied on."""
    drawn = table.attrs["manifest"]["trees"]
    doubtful = table.loc[table["trees"] == "unreliable", "relation"].tolist()
    if drawn == "converted":
        return f"{DRAWN[drawn]} {_converted(table, doubtful)}"
    if drawn != "silver":
        return DRAWN[drawn]
    text = (
        f"The trees are silver: a parser drew them. For {len(doubtful)} of {len(table)} rows they "
        f"are too unreliable to say what a head knows: {listed(doubtful)}."
    )
    fixed = table[table["corrected"].notna() & (table["trees"] != "unreliable")]
    if fixed.empty:
        return text
    change = fixed["corrected"] - fixed["accuracy"]
    most = fixed.loc[change.abs().idxmax()]
    return (
        f"{text} Where sentences were checked, the correction moves the other scores by "
        f"{change.abs().mean():.1%} on average, most for {most['relation']}: "
        f"{most['accuracy']:.0%} becomes {most['corrected']:.0%} "
        f"[{most['corrected_low']:.0%}, {most['corrected_high']:.0%}], on {most['n_checked']} "
        f"checked arcs."
    )


def _converted(table: pd.DataFrame, doubtful: list[str]) -> str:
    las = table.attrs["manifest"]["labels"]["las"]
    return (
        f"Where people drew both, {las:.0f}% of words get the governor and the label that people "
        f"gave them. For {len(doubtful)} of {len(table)} rows the labels are too unreliable, or "
        f"too rare there, to say what a head knows: {listed(doubtful)}."
    )
