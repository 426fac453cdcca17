"""A layer-by-head map of scores, and the card of the head that is chosen."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertattn import plots
from bertattn.cards import Card
from bertattn.heads import all_heads
from bertattn.plots.surface import label
from bertattn.views.chosen import in_order
from bertattn.views.page import View


class HeadMap(View):
    """A grid of layers by heads, coloured by a score; choosing a cell opens that head's card.

    Where scripts are refused, the picture and the table of the first score remain.

    Args:
        table: Every head, one row a head and measure (``tables.surface``, ``tables.every_head``).
        measures: Which to offer, the first one shown first.
        cards: The heads' cards (``bertattn.cards``); none: the grid alone.

    Raises:
        ValueError: If the table does not have a measure, or cards are of other heads.
    """

    def __init__(
        self, table: pd.DataFrame, measures: str | Sequence[str], cards: Sequence[Card] = ()
    ) -> None:
        asked = [measures] if isinstance(measures, str) else list(measures)
        self._show(table, [_Score.of_measure(table, name) for name in asked], cards)

    @classmethod
    def of_relations(
        cls,
        table: pd.DataFrame,
        relations: Sequence[str],
        directions: Sequence[str],
        cards: Sequence[Card] = (),
    ) -> "HeadMap":
        """How much of each relation every head finds.

        Args:
            table: Every head (``tables.every_head``, ``tables.coref_heads``).
            relations: Which to offer.
            directions: Who attends to whom.
            cards: The heads' cards.
        """
        scores = [_Score.of_relation(table, r, d) for r in relations for d in directions]
        view = cls.__new__(cls)
        view._show(table, scores, cards)
        return view

    @classmethod
    def of_columns(
        cls, table: pd.DataFrame, columns: Mapping[str, str], cards: Sequence[Card] = ()
    ) -> "HeadMap":
        """Any scores that stand side by side in a table with a row a head.

        Args:
            table: Every head once, layer by layer, with the columns "head" and "layer".
            columns: Which to offer, and what each is called.
            cards: The heads' cards.

        Raises:
            ValueError: If the table is not of each head once, or a column is not there.
        """
        view = cls.__new__(cls)
        view._show(table, [_Score.of_column(table, c, name) for c, name in columns.items()], cards)
        return view

    def _show(self, table: pd.DataFrame, scores: "Sequence[_Score]", cards: Sequence[Card]) -> None:
        if not scores:
            raise ValueError("wanted at least one measure to show, got none")
        first = scores[0]
        names, n_layers = first.names, first.rows["layer"].nunique()
        data = {
            "title": f"{first.name}, by head" if len(scores) == 1 else "scores of heads",
            "layers": list(range(n_layers)),
            "heads": list(range(len(names) // n_layers)),
            "names": names,
            "measures": [score.as_data() for score in scores],
            "cards": in_order(cards, names),
        }
        if any(score.names != names for score in scores):
            raise ValueError("wanted measures of the same heads")
        columns, rows = first.as_table()
        View.__init__(self, "map", data, first.draw, columns, rows, caption=first.name)


class _Score:
    """One score of every head, layer by layer."""

    def __init__(
        self, name: str, rows: pd.DataFrame, value: str, draw: Callable[[], Axes], unit: str = ""
    ) -> None:
        self.name, self.rows, self.draw, self._unit = name, rows, draw, unit
        self.values = rows[value].to_numpy(dtype=float)
        has_ends = {"low", "high"} <= set(rows.columns)
        self._ends = rows[["low", "high"]].to_numpy(dtype=float) if has_ends else None

    @classmethod
    def of_measure(cls, table: pd.DataFrame, measure: str) -> "_Score":
        rows = table[table["measure"] == measure]
        if rows.empty:
            known = ", ".join(table["measure"].unique())
            raise ValueError(f"no measure {measure!r} in the table; there are: {known}")
        unit = " nats" if measure.endswith("entropy") else ""
        return cls(
            label(table, measure), rows, "value", lambda: plots.head_grid(table, measure), unit
        )

    @classmethod
    def of_relation(cls, table: pd.DataFrame, relation: str, direction: str) -> "_Score":
        rows = table[(table["relation"] == relation) & (table["direction"] == direction)]
        if rows.empty:
            known = ", ".join(table["relation"].unique())
            ways = ", ".join(table["direction"].unique())
            raise ValueError(
                f"no relation {relation!r} in direction {direction!r}; there are: {known}; {ways}"
            )
        name = f"{relation} (n {int(rows['total'].iloc[0]):,}), {direction}"
        draw = lambda: plots.relation_grid(table, relation, direction)  # noqa: E731
        return cls(name, rows, "accuracy", draw)

    @classmethod
    def of_column(cls, table: pd.DataFrame, column: str, name: str) -> "_Score":
        if column not in table:
            raise ValueError(f"no column {column!r} in the table; there are: {', '.join(table)}")
        rows = table.drop(columns=["low", "high"], errors="ignore")
        return cls(name, rows, column, lambda: plots.score_grid(table, column, name))

    @property
    def texts(self) -> list[str]:
        return [short(value) for value in self.values]

    @property
    def names(self) -> list[str]:
        """The heads, which must be all of a model, each once and layer by layer."""
        names, n_layers = self.rows["head"].tolist(), self.rows["layer"].nunique()
        if names != [str(h) for h in all_heads(n_layers, len(names) // n_layers)]:
            raise ValueError(
                f"wanted each head of {n_layers} layers once, layer by layer, got "
                f"{len(names)} rows: {', '.join(names[:6])} ..."
            )
        return names

    def as_table(self) -> tuple[list[str], list[list[str]]]:
        """Column names and rows, with intervals where there are any."""
        rows = [[name, text] for name, text in zip(self.names, self.texts, strict=True)]
        if self._ends is None:
            return ["head", self.name], rows
        with_ends = [[*row, self.interval(i)] for i, row in enumerate(rows)]
        return ["head", self.name, "95 % interval"], with_ends

    def interval(self, i: int) -> str:
        if self._ends is None or np.isnan(self._ends[i]).any():
            return ""
        low, high = self._ends[i]
        return f"[{short(low)}, {short(high)}]"

    def said(self, i: int) -> str:
        name = self.rows["head"].iloc[i]
        if np.isnan(self.values[i]):
            return f"Head {name}: {self.name} is not measured."
        ends = f" {self.interval(i)}" if self.interval(i) else ""
        return f"Head {name}: {self.name} {self.texts[i]}{self._unit}{ends}."

    def as_data(self) -> dict[str, Any]:
        known = self.values[~np.isnan(self.values)]
        shares: list[float | None] = [None] * len(self.values)
        best, summary = 0, f"{self.name}: not in this model."
        if len(known):
            span = float(known.max() - known.min()) or 1.0
            scaled = (self.values - known.min()) / span
            shares = [None if np.isnan(s) else round(float(s), 2) for s in scaled]
            best = int(np.nanargmax(self.values))
            which = "all heads" if len(known) == len(self.values) else f"the {len(known)} measured"
            summary = (
                f"Most: head {self.rows['head'].iloc[best]}, {self.name} {self.texts[best]}"
                f"{self._unit}. Mean of {which} {short(float(known.mean()))}."
            )
        return {
            "name": self.name,
            "shares": shares,
            "texts": self.texts,
            "said": [self.said(i) for i in range(len(self.values))],
            "summary": summary,
            "best": best,
        }


def short(value: float) -> str:
    """A number that fits into a small cell.

    Example:
        >>> [short(0.417), short(1.0), short(-1.5), short(12.3), short(float("nan"))]
        ['.42', '1.0', '-1.5', '12', '–']
    """
    if np.isnan(value):
        return "–"
    if abs(value) < 0.995:
        text = f"{value:.2f}".replace("0.", ".", 1)
        return ".00" if text == "-.00" else text
    return f"{value:.1f}" if abs(value) < 9.95 else f"{value:.0f}"
