"""Several runs side by side, read aloud."""

import math

import pandas as pd

from bertattn.readings.lists import listed
from bertattn.tables import layer_names, rank_correlation

HIGH = 0.25  # of a layer's attention, for a token to be called its sink here
FEW = 4  # layers, for a rank correlation


def sinks(table: pd.DataFrame, over: float = HIGH) -> str:
    """In which models which special token takes how much, and how far up (``tables.sinks``)."""
    if table.empty:
        return "None of the models puts a special token around a text."
    return " ".join(_sink(rows, over) for _, rows in table.groupby("model", sort=False))


def _sink(rows: pd.DataFrame, over: float) -> str:
    model, most = rows["model"].iloc[0], rows["most"].max()
    above = rows[rows["most"] > over]
    if above.empty:
        return (
            f"In {model} no special token takes over {over:.0%} of any layer's attention (the most "
            f"is {most:.0%})."
        )
    said = "; ".join(
        f"{row.token} at most {row.most:.0%}, in layer {row.layer}, {row.depth:.0%} of the way up"
        for row in above.itertuples()
    )
    return f"In {model}: {said} (chance: {above['uniform'].iloc[0]:.0%})."


def share_and_gradient(table: pd.DataFrame, over: float = HIGH) -> str:
    """Whether gradients by a token are small where attention to it is large.

    Args:
        table: Both, by layer (``tables.share_and_gradient``).
        over: From which share on attention is called large.
    """
    if table.empty:
        return "There is no special token, so nothing can be a sink of this kind."
    text = " ".join(_slope(rows, over) for _, rows in table.groupby("target", sort=False))
    objective = table.attrs["manifest"]["options"]["objective"]
    return f"{text} The gradients are of: {objective}."


def _slope(rows: pd.DataFrame, over: float) -> str:
    token, high = rows["token"].iloc[0], rows["share"] > over
    if not high.any():
        return f"{token} takes over {over:.0%} of no layer's attention."
    layers = layer_names(rows.loc[high, "layer"].tolist())
    text = (
        f"In {layers}, where {token} takes over {over:.0%} of attention, gradients by it are "
        f"{_mean(rows[high])} times those by ordinary tokens"
    )
    text += "." if high.all() else f"; in the other layers, {_mean(rows[~high])}."
    rank = rank_correlation(rows, str(rows["target"].iloc[0]))
    if len(rows) >= FEW and not math.isnan(rank):
        text += f" Over all {len(rows)} layers the rank correlation of the two is {rank:+.2f}."
    return text


def _mean(rows: pd.DataFrame) -> str:
    return f"{rows['gradient'].mean():.2f}"


def gains(table: pd.DataFrame) -> str:
    """In which runs which relations have a head that beats the best offset (``tables.runs``)."""
    wins = {
        run: rows.loc[rows["offset_gain_low"] > 0, "relation"].tolist()
        for run, rows in table.groupby("run", sort=False)
    }
    asked = table.groupby("run", sort=False)["relation"].nunique()
    said = "; ".join(
        f"{run}, {len(set(won))} of {asked[run]} relations: {listed(won)}"
        for run, won in wins.items()
    )
    return (
        "A head beats the best fixed offset on halves that did not choose it, the whole interval "
        f"of the difference above 0, in: {said}."
    )


def splits(table: pd.DataFrame) -> str:
    """How finely words are cut up in each corpus (``tables.splits``)."""
    said = "; ".join(
        f"{row.corpus}, {row.pieces_per_word:.2f} pieces a word, {row.split:.0%} of words split"
        for row in table.itertuples()
    )
    return f"By this model's tokenizer: {said}."
