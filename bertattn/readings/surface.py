"""Section 3 read aloud."""

import math

import pandas as pd

from bertattn.attention import Kind
from bertattn.tables import by_layer, kind_name, layer_names, sink_of, strong_heads

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
    most = sink_of(table)
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


def _uniform(table: pd.DataFrame, measure: str) -> float:
    return float(table.loc[table["measure"] == measure, "uniform"].iloc[0])


def _heads(heads: list[str]) -> str:
    return f"{len(heads)} ({', '.join(heads)})" if heads else "none"
