"""One function a figure: a table or a map in, matplotlib's Axes out.

``show`` puts the figure into a notebook with a text for those who cannot see it, ``save``
writes it as PDF and SVG.
"""

from bertattn.plots.attention import all_maps, attention_lines, attention_matrix, figure_1
from bertattn.plots.behaviour import behaviour_card
from bertattn.plots.clusters import (
    distance_matrix,
    figure_6,
    heads_in_tree,
    heads_on_map,
    layers_apart,
    stability,
)
from bertattn.plots.coref import antecedent, by_distance, table_2
from bertattn.plots.importance import figure_3, no_op, sink_where
from bertattn.plots.models import by_depth, gains, share_and_gradient
from bertattn.plots.norms import agreement, both_ways, moved_by_layer, rollout, survival
from bertattn.plots.probes import (
    head_weights,
    learning_curves,
    probe_by_distance,
    probe_by_relation,
    table_3,
    two_trees,
)
from bertattn.plots.removals import beside_random, more_and_more, one_by_one
from bertattn.plots.search import hits
from bertattn.plots.surface import (
    figure_2,
    figure_2_marks,
    figure_2_positions,
    figure_2_separator,
    figure_4,
    head_grid,
    heads_by_layer,
    score_grid,
)
from bertattn.plots.syntax import figure_5, guessed_arcs, head_card, relation_grid, table_1
from bertattn.plots.theme import Picture, describe, save, set_theme, show
from bertattn.plots.without import without

__all__ = [
    "Picture",
    "agreement",
    "all_maps",
    "antecedent",
    "attention_lines",
    "attention_matrix",
    "behaviour_card",
    "beside_random",
    "both_ways",
    "by_depth",
    "by_distance",
    "describe",
    "distance_matrix",
    "figure_1",
    "figure_2",
    "figure_2_marks",
    "figure_2_positions",
    "figure_2_separator",
    "figure_3",
    "figure_4",
    "figure_5",
    "figure_6",
    "gains",
    "guessed_arcs",
    "head_card",
    "head_grid",
    "head_weights",
    "heads_by_layer",
    "heads_in_tree",
    "heads_on_map",
    "hits",
    "layers_apart",
    "learning_curves",
    "more_and_more",
    "moved_by_layer",
    "no_op",
    "one_by_one",
    "probe_by_distance",
    "probe_by_relation",
    "relation_grid",
    "rollout",
    "save",
    "score_grid",
    "set_theme",
    "share_and_gradient",
    "show",
    "sink_where",
    "stability",
    "survival",
    "table_1",
    "table_2",
    "table_3",
    "two_trees",
    "without",
]
