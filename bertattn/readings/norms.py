"""Norms and rollout read aloud."""

from typing import TYPE_CHECKING

import pandas as pd

from bertattn.readings.lists import listed
from bertattn.tables import rollout_by_layer, sink_name

if TYPE_CHECKING:
    from bertattn.clusters import Mantel


def moved(table: pd.DataFrame, measure: str) -> str:
    """How much goes to a kind of token by weights and by norms, and how many heads it concerns."""
    rows = table[table["measure"] == measure]
    name, even = _name(table, measure), rows["uniform"].iloc[0]
    less, more = (rows["high"] < 0).sum(), (rows["low"] > 0).sum()
    return (
        f"To {name}: {rows['weights'].mean():.1%} of attention, {rows['norms'].mean():.1%} of what "
        f"is moved (an even share is {even:.1%}). By norms it is less in {less} of {len(rows)} "
        f"heads and more in {more}, the whole interval of the change on one side of 0."
    )


def _name(table: pd.DataFrame, measure: str) -> str:
    marks = measure == "to_punctuation"
    return '"." and ","' if marks else sink_name(table.attrs["manifest"], measure)


def moved_breadth(table: pd.DataFrame) -> str:
    """Whether heads move from more tokens than they look at, or from fewer."""
    rows = table[table["measure"] == "entropy"]
    widest = rows["uniform"].iloc[0]
    return (
        f"The mean entropy of a row is {rows['weights'].mean():.2f} nats by weights and "
        f"{rows['norms'].mean():.2f} by norms (the most possible is {widest:.2f}): by norms it is "
        f"higher in {(rows['low'] > 0).sum()} of {len(rows)} heads and lower in "
        f"{(rows['high'] < 0).sum()}."
    )


def survival(table: pd.DataFrame) -> str:
    """What survives, what does not, and where what survives is less."""
    there = table[table["verdict"].isin(["survives", "unclear", "lost"])]
    parts = [f"Of {len(table)} findings {len(there)} are there by weights."]
    for verdict, words in (
        ("survives", "survive"),
        ("unclear", "cannot be told by norms"),
        ("lost", "are lost"),
        ("by norms only", "are there by norms only"),
    ):
        rows = table[table["verdict"] == verdict]
        if len(rows):
            parts.append(f"{len(rows)} {words}: {'; '.join(rows['finding'])}.")
    turned = there["turn"].value_counts()
    parts.append(
        f"Of those that are there by weights the number is smaller by norms in "
        f"{turned.get('less', 0)} and larger in {turned.get('more', 0)}, the whole interval of the "
        f"change on one side of 0."
    )
    if (table["verdict"] == "no interval").any():
        parts.append("There are too few documents to tell the others.")
    return " ".join(parts)


def same_heads(table: pd.DataFrame) -> str:
    """For how many findings about one head it is the same head by weights and by norms."""
    rows = table[(table["weights_best"] != "") & (table["norms_best"] != "")]
    if rows.empty:
        return "No finding is about one head."
    other = rows[rows["weights_best"] != rows["norms_best"]]
    said = [f"{r.finding} ({r.weights_best}, {r.norms_best})" for r in other.itertuples()]
    return (
        f"In {len(rows) - len(other)} of {len(rows)} findings about the best head or layer it is "
        f"the same one both ways; in the others: {'; '.join(said) or 'none'}."
    )


def same_distances(test: "Mantel") -> str:
    """Whether heads that lie far apart by weights do so by norms."""
    return (
        f"Distances between heads by weights and by norms have a correlation of "
        f"{test.correlation:.2f} over pairs of heads (p {test.p:.4f}, heads shuffled "
        f"{test.n_permutations:,} times)."
    )


def rollout(table: pd.DataFrame) -> str:
    """How even a rollout becomes, layer by layer."""
    said = []
    for way in table["way"].drop_duplicates():
        rows = table[table["way"] == way]
        alike, broad = (rows[rows["measure"] == m].set_index("layer") for m in ("apart", "entropy"))
        first, last = alike.index.min(), alike.index.max()
        most = broad["uniform"].iloc[0]
        said.append(
            f"{way}: rows are {alike['value'][first]:.0%} apart in layer {first} and "
            f"{alike['value'][last]:.0%} in layer {last}, with an entropy of "
            f"{broad['value'][first]:.2f} and {broad['value'][last]:.2f} nats of {most:.2f}"
        )
    return f"By {'; by '.join(said)}."


def itself(table: pd.DataFrame, sink: str) -> str:
    """How much of a last layer's token is itself and the sink, by rollout."""
    own, to_sink = (rollout_by_layer(table, m).iloc[-1] for m in ("to_self", sink))
    name = _name(table, sink)
    said = [f"{way}: {own[way]:.0%} itself, {to_sink[way]:.0%} {name}" for way in own.index]
    return f"Of a token of the last layer, by {'; by '.join(said)}."


def agreement(table: pd.DataFrame) -> str:
    """Which maps foretell who misses whom, and what beats the rollout."""
    reference = table.attrs["reference"]
    best = table.loc[table["correlation"].idxmax()]
    own = table[table["way"] == reference].iloc[0]
    better = table.loc[table["over_low"] > 0, "way"]
    worse = table.loc[table["over_high"] < 0, "way"]
    return (
        f"The {reference} and what is missed have a rank correlation of {own['correlation']:.2f} "
        f"[{own['low']:.2f}, {own['high']:.2f}]. More, the whole interval of the difference above "
        f"0: {listed(better)}. Less: {listed(worse)}. Most: {best['way']}, "
        f"{best['correlation']:.2f} [{best['low']:.2f}, {best['high']:.2f}]."
    )
