"""Scores as tidy tables: how they were made, the paper's finding beside ours.

Here heads take their printed names and layers count from 1.
"""

from bertattn.tables.comparison import beside_table_1, explained_away, in_print, side_by_side
from bertattn.tables.coref import (
    beside_table_2,
    by_distance,
    coref_heads,
    over_rules,
    table_2,
    table_2_in_print,
)
from bertattn.tables.importance import (
    against_others,
    beside_figure_3,
    importance,
    importance_by_layer,
    sink_name,
)
from bertattn.tables.manifest import Manifest, kind_name, left_out, manifest, signature
from bertattn.tables.no_op import ablation, moved, no_op, no_op_in_print, sink_where
from bertattn.tables.surface import (
    beside_paper,
    by_group,
    by_layer,
    layer_names,
    present,
    sink_of,
    strong_heads,
    surface,
    top,
)
from bertattn.tables.syntax import (
    by_document,
    every_head,
    head_card,
    reliability,
    table_1,
    trees,
)

__all__ = [
    "Manifest",
    "ablation",
    "against_others",
    "beside_figure_3",
    "beside_paper",
    "beside_table_1",
    "beside_table_2",
    "by_distance",
    "by_document",
    "by_group",
    "by_layer",
    "coref_heads",
    "every_head",
    "explained_away",
    "head_card",
    "importance",
    "importance_by_layer",
    "in_print",
    "kind_name",
    "layer_names",
    "left_out",
    "manifest",
    "moved",
    "no_op",
    "no_op_in_print",
    "over_rules",
    "present",
    "reliability",
    "side_by_side",
    "signature",
    "sink_name",
    "sink_of",
    "sink_where",
    "strong_heads",
    "surface",
    "table_1",
    "table_2",
    "table_2_in_print",
    "top",
    "trees",
]
