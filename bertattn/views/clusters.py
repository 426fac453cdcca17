"""The map of heads by what they attend to, and the card of the head that is chosen."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bertattn import plots
from bertattn.cards import Card
from bertattn.tables.clusters import LIMITS, ORDINARY
from bertattn.views.chosen import in_order
from bertattn.views.page import View

SIZE, MARGIN = 440, 22  # pixels of the map of heads
SHAPES = (
    "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z",
    "M-4.5 -4.5H4.5V4.5H-4.5Z",
    "M0 -6L5.5 4.5H-5.5Z",
    "M0 -6.5L5 0L0 6.5L-5 0Z",
    "M0 6L5.5 -4.5H-5.5Z",
    "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
    "M-6 0L4.5 -5.5V5.5Z",
    "M6 0L-4.5 -5.5V5.5Z",
)
DOT = "M-2.5 0A2.5 2.5 0 1 0 2.5 0A2.5 2.5 0 1 0 -2.5 0Z"
N_COLOURS, GREY = 7, 6
UNMARKED = (ORDINARY, "none")


class ClusterView(View):
    """The map of heads: near on the map, alike in what they attend to; choosing one shows its card.

    Args:
        heads: The heads (``tables.head_map``).
        near: The nearest heads of each (``tables.nearest_heads``).
        cards: The heads' cards.

    Raises:
        ValueError: If cards or nearest heads are of other heads.
    """

    def __init__(self, heads: pd.DataFrame, near: pd.DataFrame, cards: Sequence[Card] = ()) -> None:
        names = heads["head"].tolist()
        if unknown := set(near["head"]) ^ set(names):
            raise ValueError(f"the nearest heads are of others: {', '.join(sorted(unknown))}")
        closest = near.sort_values("rank").groupby("head")["nearest"].apply(list)
        data = {
            "title": "heads by what they attend to",
            "names": names,
            "size": SIZE,
            "shapes": [*SHAPES, DOT],
            "points": _on_screen(heads[["x", "y"]].to_numpy()),
            "nearest": [[names.index(other) for other in closest.loc[name]] for name in names],
            "ways": [_way(heads, name, closest) for name in ("behaviour", "roles", "layer")],
            "cards": in_order(cards, names),
        }
        rows = [
            [h.head, h.behaviour, h.roles or "none", ", ".join(closest.loc[h.head])]
            for h in heads.itertuples()
        ]
        columns = ("head", "behaviour", "best head for", "nearest")
        super().__init__("clusters", data, lambda: plots.heads_on_map(heads), columns, rows)


def _on_screen(points: np.ndarray) -> list[list[float]]:
    """Pixels from the upper left, one scale for both directions."""
    low, span = points.min(axis=0), float(np.ptp(points, axis=0).max()) or 1.0
    scaled = MARGIN + (SIZE - 2 * MARGIN) * (points - low) / span
    scaled[:, 1] = SIZE - scaled[:, 1]
    return np.round(scaled, 1).tolist()


def _way(heads: pd.DataFrame, by: str, closest: pd.Series) -> dict[str, Any]:
    """What marks mean: the kinds there are, each head's, and a sentence about each."""
    values = heads[by].replace("", "none").astype(str).tolist()
    known = {"behaviour": [*LIMITS, ORDINARY]}.get(by, list(dict.fromkeys(values)))
    kinds = sorted(set(values), key=lambda kind: (kind in UNMARKED, known.index(kind)))
    marks = [
        [len(SHAPES), GREY] if kind in UNMARKED else [i % len(SHAPES), i % N_COLOURS]
        for i, kind in enumerate(kinds)
    ]
    shown = [f"layer {kind}" for kind in kinds] if by == "layer" else kinds
    said = [
        f"Head {name}: {shown[kinds.index(value)]}; nearest {', '.join(closest.loc[name])}."
        for name, value in zip(heads["head"], values, strict=True)
    ]
    of = [kinds.index(value) for value in values]
    return {"name": by, "kinds": shown, "marks": marks, "of": of, "said": said}
