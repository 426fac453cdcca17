"""What one attention head is, on a card: where it looks, which relations it finds, examples.

A card is plain data, for a view to show. What a head is shown in examples of, its topic, is chosen
from tables: the relation in which it is furthest over the best fixed offset, if the whole interval
of its accuracy is over it; else the behaviour to which it gives most attention.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bertattn import stats
from bertattn.heads import AttentionHead
from bertattn.search import BEHAVIOURS, Example, Kept, Topic
from bertattn.syntax import ALL, Questions, SyntaxCounts, questions
from bertattn.syntax.questions import MIN_COUNT, N_OFFSETS
from bertattn.tables import marked

__all__ = ["Card", "Example", "cards", "finds", "furthest", "in_print", "topics"]

N_RELATIONS = 5
_TYPES = {"place": int, "relation": str, "direction": str, "right": int, "total": int}
_NONE = pd.DataFrame({name: pd.Series(dtype=t) for name, t in {**_TYPES, "offset": float}.items()})
SHOWN = (*BEHAVIOURS, "entropy")


@dataclass(frozen=True)
class Card:
    """What one attention head is.

    Attributes:
        attn_head: The head.
        shares: Where its attention goes, and how broadly, as printed: ("to next", "0.42").
        relations: The relations it finds, as printed: ("det, dependent->governor", "61 % [55, 67],
            n 412, best offset 40 %"); the furthest over the offset first.
        best: Sentences in which it does most what it is shown in examples of.
        worst: Sentences in which it does so least.
        nearest: The heads that attend most alike, with their divergence in nats, the nearest first.
        about: What the examples are of.
    """

    attn_head: AttentionHead
    shares: tuple[tuple[str, str], ...]
    relations: tuple[tuple[str, str], ...]
    best: tuple[Example, ...]
    worst: tuple[Example, ...]
    nearest: tuple[tuple[AttentionHead, float], ...] = ()
    about: str = ""


def finds(
    counts: SyntaxCounts, n: int = N_RELATIONS, min_count: int = MIN_COUNT
) -> dict[AttentionHead, pd.DataFrame]:
    """For each head the relations in which it is over the best fixed offset, the furthest first.

    Columns: ``relation``, ``direction``, ``right`` of ``total`` arcs, ``accuracy`` with its Wilson
    interval ``low`` to ``high``, ``offset`` (the best fixed offset's accuracy). Heads and relations
    are all looked through, so the first of them flatters: these are descriptions, not tests.

    Args:
        counts: What was counted.
        n: At most so many for each head.
        min_count: How many arcs a relation needs.
    """
    table = _all_finds(counts, min_count)
    table = table[table["accuracy"] > table["offset"]]
    n_layers, n_heads = counts.right.shape[-2:]
    found = {}
    for place in range(n_layers * n_heads):
        of_head = table[table["place"] == place].nlargest(n, "gain").drop(columns=["place", "gain"])
        intervals = [stats.wilson(r.right, r.total) for r in of_head.itertuples()]
        low, high = np.array(intervals).reshape(-1, 2).T
        of_head = of_head.assign(low=low, high=high).reset_index(drop=True)
        found[AttentionHead(*divmod(place, n_heads))] = of_head
    return found


def _all_finds(counts: SyntaxCounts, min_count: int) -> pd.DataFrame:
    """Every relation, direction and head, with the accuracy of the best fixed offset."""
    frames = [_NONE, *(_finds_of(q) for q in questions(counts, min_count=min_count))]
    table = pd.concat(frames, ignore_index=True).astype(_NONE.dtypes)
    table = table[table["relation"] != ALL]
    accuracy = table["right"] / table["total"]
    return table.assign(accuracy=accuracy, gain=accuracy - table["offset"])


def _finds_of(asked: Questions) -> pd.DataFrame:
    """One relation's rows."""
    right = asked.right.sum(axis=0).reshape(len(asked.directions), -1)
    places = np.arange(right.shape[1])
    columns = {
        "place": np.tile(places, len(right)),
        "relation": asked.relation,
        "direction": np.repeat(asked.directions, len(places)),
        "right": right.ravel(),
        "total": asked.n,
        "offset": asked.right_rules[:, :N_OFFSETS].sum(axis=0).max() / max(asked.n, 1),
    }
    return pd.DataFrame(columns)


def topics(
    surface: pd.DataFrame, found: Mapping[AttentionHead, pd.DataFrame]
) -> dict[AttentionHead, Topic]:
    """What each head is to be shown in examples of.

    Args:
        surface: Section 3's averages (``tables.surface``).
        found: The relations of each head (``finds``).
    """
    wide = surface.pivot(index="head", columns="measure", values="value")
    shown = [name for name in BEHAVIOURS if wide[name].notna().any()]
    wide = wide[[name for name in shown if name != "to_first" or "to_start" not in shown]]
    chosen = {}
    for attn_head, of_head in found.items():
        sure = of_head[of_head["low"] > of_head["offset"]]
        if len(sure):
            chosen[attn_head] = Topic(*sure.iloc[0][["relation", "direction"]])
        else:
            chosen[attn_head] = Topic(str(wide.loc[str(attn_head)].idxmax()))
    return chosen


def furthest(
    found: Mapping[AttentionHead, pd.DataFrame], asked: Mapping[AttentionHead, Topic]
) -> AttentionHead:
    """The head that is furthest over the best fixed offset in its topic.

    If no head's topic is a relation, the first head.
    """
    over = {}
    for attn_head, topic in asked.items():
        rows = found[attn_head]
        rows = rows[(rows["relation"] == topic.name) & (rows["direction"] == topic.direction)]
        if len(rows):
            over[attn_head] = float((rows["accuracy"] - rows["offset"]).iloc[0])
    return max(over, key=lambda attn_head: over[attn_head]) if over else next(iter(asked))


def cards(
    surface: pd.DataFrame,
    found: Mapping[AttentionHead, pd.DataFrame],
    examples: Mapping[AttentionHead, Kept] | None = None,
    asked: Mapping[AttentionHead, Topic] | None = None,
    nearest: pd.DataFrame | None = None,
) -> list[Card]:
    """The card of every head, layer by layer.

    Args:
        surface: Section 3's averages (``tables.surface``).
        found: The relations of each head (``finds``).
        examples: Each head's best and worst (``search.Examples.result``).
        asked: What they are of (``topics``).
        nearest: The nearest heads of each (``tables.nearest_heads``).

    Raises:
        ValueError: If the tables are of other heads, or examples come without what they are of.
    """
    names = [str(attn_head) for attn_head in found]
    if (given := surface["head"].unique().tolist()) != names:
        raise ValueError(
            f"wanted averages of {len(names)} heads up to {names[-1]}, got {len(given)} up to "
            f"{given[-1]}; are both of one model?"
        )
    if examples is not None and asked is None:
        raise ValueError("wanted what the examples are of (cards.topics) beside them, got nothing")
    measured = surface[surface["measure"].isin(SHOWN)].set_index(["head", "measure"])["value"]
    none = Kept((), ())
    return [
        Card(
            attn_head,
            _shares(measured[str(attn_head)]),
            _relations(of_head),
            *(examples or {}).get(attn_head, none),
            nearest=_nearest(nearest, attn_head),
            about=asked[attn_head].about if examples and asked else "",
        )
        for attn_head, of_head in found.items()
    ]


def _shares(measured: pd.Series) -> tuple[tuple[str, str], ...]:
    starts = not np.isnan(measured["to_start"])  # else the first token stands in its place
    values = ((n, float(measured[n])) for n in SHOWN if not (n == "to_first" and starts))
    return tuple(
        (name.replace("_", " "), f"{value:.2f}{' nats' * (name == 'entropy')}")
        for name, value in values
        if not np.isnan(value)
    )


def _relations(of_head: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            str(Topic(row.relation, row.direction)),
            f"{100 * row.accuracy:.0f} % [{100 * row.low:.0f}, {100 * row.high:.0f}], "
            f"n {row.total}, best offset {100 * row.offset:.0f} %",
        )
        for row in of_head.itertuples()
    )


def _nearest(
    table: pd.DataFrame | None, attn_head: AttentionHead
) -> tuple[tuple[AttentionHead, float], ...]:
    if table is None:
        return ()
    rows = table[table["head"] == str(attn_head)].sort_values("rank")
    others: Sequence[str] = rows["nearest"].tolist()
    return tuple(zip(map(AttentionHead.parse, others), rows["distance"].tolist(), strict=True))


def in_print(card: Card, around: int = 8) -> str:
    """A card's examples, a line each: *the word that looks*, [the word that it is asked about].

    Args:
        card: The card.
        around: How many words before and after these two are shown.
    """
    lines = [
        f"{side:5} {one.weight:.2f}  {marked(one, around)}  ({one.source})"
        for side in ("best", "worst")
        for one in getattr(card, side)
    ]
    return "\n".join(lines) or "no example"
