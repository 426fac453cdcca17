"""One function a figure: a table or a map in, matplotlib's Axes out.

``show`` puts the figure into a notebook with a text for those who cannot see it, ``save``
writes it as PDF and SVG.
"""

from bertattn.plots.attention import attention_lines, attention_matrix, figure_1
from bertattn.plots.coref import antecedent, by_distance, table_2
from bertattn.plots.importance import figure_3, no_op, sink_where
from bertattn.plots.surface import (
    figure_2,
    figure_2_marks,
    figure_2_positions,
    figure_2_separator,
    figure_4,
    head_grid,
    heads_by_layer,
)
from bertattn.plots.syntax import figure_5, guessed_arcs, head_card, relation_grid, table_1
from bertattn.plots.theme import Picture, save, set_theme, show

__all__ = [
    "Picture",
    "antecedent",
    "attention_lines",
    "attention_matrix",
    "by_distance",
    "figure_1",
    "figure_2",
    "figure_2_marks",
    "figure_2_positions",
    "figure_2_separator",
    "figure_3",
    "figure_4",
    "figure_5",
    "guessed_arcs",
    "head_card",
    "head_grid",
    "heads_by_layer",
    "no_op",
    "relation_grid",
    "save",
    "set_theme",
    "show",
    "sink_where",
    "table_1",
    "table_2",
]
