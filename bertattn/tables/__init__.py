"""Scores as tidy tables: how they were made, the paper's finding beside ours.

Here heads take their printed names and layers count from 1.
"""

from bertattn.tables.clusters import (
    behaviours,
    head_map,
    head_pairs,
    nearest_heads,
    roles,
    roles_in_print,
)
from bertattn.tables.comparison import beside_table_1, explained_away, in_print, side_by_side
from bertattn.tables.coref import (
    beside_table_2,
    by_distance,
    coref_heads,
    over_rules,
    table_2,
    table_2_in_print,
)
from bertattn.tables.groupings import (
    beside_figure_6,
    by_layers_apart,
    cuts,
    gradients,
    groupings,
    map_quality,
    sampling,
    stability,
)
from bertattn.tables.manifest import Manifest, kind_name, left_out, manifest, signature
from bertattn.tables.surface import (
    beside_paper,
    by_group,
    by_layer,
    layer_names,
    present,
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
    "behaviours",
    "beside_figure_6",
    "beside_paper",
    "beside_table_1",
    "beside_table_2",
    "by_distance",
    "by_document",
    "by_group",
    "by_layer",
    "by_layers_apart",
    "coref_heads",
    "cuts",
    "every_head",
    "explained_away",
    "gradients",
    "groupings",
    "head_card",
    "head_map",
    "head_pairs",
    "in_print",
    "kind_name",
    "layer_names",
    "left_out",
    "manifest",
    "map_quality",
    "nearest_heads",
    "over_rules",
    "present",
    "reliability",
    "roles",
    "roles_in_print",
    "sampling",
    "side_by_side",
    "signature",
    "stability",
    "strong_heads",
    "surface",
    "table_1",
    "table_2",
    "table_2_in_print",
    "top",
    "trees",
]
