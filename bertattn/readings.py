"""Tables read aloud: sentences that are true of whatever model was run."""

import math
from collections.abc import Iterable

import pandas as pd

from bertattn.attention import Kind
from bertattn.syntax import ALL
from bertattn.tables import by_layer, kind_name, layer_names, strong_heads

DRAWN = {
    "gold": "The trees are gold: people drew or corrected them.",
    "checked": "The trees were drawn by a parser and corrected by a language model.",
    "given": "The trees are taken as they are given: nothing in the file says who drew them.",
}
SINKS = {"to_start": Kind.START, "to_separator": Kind.SEPARATOR}


def sink(table: pd.DataFrame, over: float = 0.5) -> str:
    """Which special token takes the most attention, and whether it takes over half."""
    made = table.attrs["manifest"]
    means = by_layer(table)[list(SINKS)].dropna(axis="columns", how="all")
    if means.empty:
        first = by_layer(table)["to_first"]
        return (
            f"{made['model']} puts no special token around a text. Its first token takes "
            f"{first.min():.0%} to {first.max():.0%} of attention, by layer."
        )
    most = means.mean().idxmax()
    name, shares = kind_name(made, SINKS[most]), means[most]
    layers = shares.index[shares > over].tolist()
    where = layer_names(layers) if layers else "no layer"
    others = "".join(
        f" {kind_name(made, SINKS[m])} takes {means[m].min():.0%} to {means[m].max():.0%}."
        for m in means
        if m != most
    )
    return (
        f"In {made['model']}, {name} takes the most attention of the special tokens: "
        f"{shares.min():.0%} to {shares.max():.0%} by layer, over half of it in {where} "
        f"(chance: {_uniform(table, most):.1%}).{others}"
    )


def positions(table: pd.DataFrame, over: float = 0.5) -> str:
    """How many heads are specialised to a neighbour."""
    n_heads = table["head"].nunique()
    before, after = (strong_heads(table, m, over) for m in ("to_previous", "to_next"))
    return (
        f"Of {n_heads} heads, {_heads(before)} put over {over:.0%} of attention on the previous "
        f"token and {_heads(after)} on the next. On average a head gives the token itself "
        f"{by_layer(table)['to_self'].mean():.1%} "
        f"(chance: {_uniform(table, 'to_self'):.1%})."
    )


def breadth(table: pd.DataFrame) -> str:
    """Where heads look broadly, beside the entropy of looking at everything alike."""
    means = by_layer(table)["entropy"]
    ceiling = _uniform(table, "entropy")
    return (
        f"Layer {means.idxmax()} looks most broadly: {means.max():.2f} nats on average, "
        f"{means.max() / ceiling:.0%} of the most possible ({ceiling:.2f}). Layer "
        f"{means.idxmin()} looks most narrowly: {means.min():.2f} nats, as if at "
        f"{math.exp(means.min()):.0f} tokens alike."
    )


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
        f"the difference above 0: {_listed(wins['relation'])}. Most: head {top['head']} for "
        f"{top['relation']}, {top['held_out']:.0%} and {top['offset_gain']:.0%} over the offset."
    )
    if rows["nearest_gain"].isna().all():
        return f"{text} The words have no parts of speech, so there is no nearest word of a class."
    both = wins[wins["nearest_gain_low"] > 0]
    return (
        f"{text} {both['relation'].nunique()} of them also beat the nearest word of a class on one "
        f"side: {_listed(both['relation'])}."
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
        f"{alike.nunique()} of {n_relations} relations (Holm's p above {level}): {_listed(alike)}."
    )
    more = "For the others the best head finds more with the sentence's own map."
    return text if alike.nunique() == n_relations else f"{text} {more}"


def silver(table: pd.DataFrame) -> str:
    """What the trees are, and for which relations they cannot be relied on."""
    drawn = table.attrs["manifest"]["trees"]
    if drawn != "silver":
        return DRAWN[drawn]
    doubtful = table.loc[table["trees"] == "unreliable", "relation"].tolist()
    text = (
        f"The trees are silver: a parser drew them. For {len(doubtful)} of {len(table)} rows they "
        f"are too unreliable to say what a head knows: {_listed(doubtful)}."
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


def coreference(table: pd.DataFrame) -> str:
    """What the best head finds, beside what it must beat."""
    rows = table[table["kind"] == "all"].set_index("way")
    first, among = rows.iloc[0], rows.iloc[2]
    sieves, nearest = rows.loc["four sieves"], rows.loc["nearest before"]
    over = (
        "more than" if among["over_sieves_low"] > 0
        else "less than" if among["over_sieves_high"] < 0 else "no more and no less than"
    )  # fmt: skip
    return (
        f"Among all words head {first['head']} finds an antecedent for {first['value']:.0%} of "
        f"{first['n']:,} mentions (held out {first['held_out']:.0%}; chance "
        f"{first['chance']:.0%}); among other mentions head {among['head']} does for "
        f"{among['value']:.0%} (held out {among['held_out']:.0%}; chance "
        f"{among['chance']:.0%}). The nearest mention before is "
        f"right for {nearest['value']:.0%}, the four sieves for {sieves['value']:.0%}: on "
        f"documents that did not choose it, the head among mentions finds {over} the sieves, as "
        f"far as this many documents can tell."
    )


def kinds(table: pd.DataFrame, level: float = 0.05) -> str:
    """By kind of mention, and whether more than kind and distance is found."""
    rows = table[table["way"] == table["way"].iloc[0]]
    by_kind = rows[rows["kind"] != "all"].sort_values("value", ascending=False)
    said = ", ".join(f"{r.kind} {r.value:.0%} of {r.n:,}" for r in by_kind.itertuples())
    text = f"By kind, among all words: {said}."
    tested = rows[rows["p"].notna()]
    if tested.empty:
        return text
    more = tested.loc[tested["p"] <= level, "kind"].tolist()
    return (
        f"{text} With antecedents shuffled among mentions of one kind and about one distance, the "
        f"best head of each kind finds fewer for: {_listed(more)} (Holm's p at most {level})."
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names)) or "none"


def _uniform(table: pd.DataFrame, measure: str) -> float:
    return float(table.loc[table["measure"] == measure, "uniform"].iloc[0])


def _heads(heads: list[str]) -> str:
    return f"{len(heads)} ({', '.join(heads)})" if heads else "none"
