"""Section 4.3 read aloud."""

import pandas as pd

from bertattn.readings.lists import listed


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
        f"best head of each kind finds fewer for: {listed(more)} (Holm's p at most {level})."
    )
