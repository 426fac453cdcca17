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
from bertattn.tables.manifest import Manifest, kind_name, left_out, manifest, signature
from bertattn.tables.probes import (
    beside_table_3,
    head_weights,
    learning_curves,
    probe_by_distance,
    probe_by_relation,
    probe_words,
    table_3,
    table_3_in_print,
)
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
    "beside_paper",
    "beside_table_1",
    "beside_table_2",
    "beside_table_3",
    "by_distance",
    "by_document",
    "by_group",
    "by_layer",
    "coref_heads",
    "every_head",
    "explained_away",
    "head_card",
    "head_weights",
    "in_print",
    "kind_name",
    "layer_names",
    "learning_curves",
    "left_out",
    "manifest",
    "over_rules",
    "present",
    "probe_by_distance",
    "probe_by_relation",
    "probe_words",
    "reliability",
    "side_by_side",
    "signature",
    "strong_heads",
    "surface",
    "table_1",
    "table_2",
    "table_2_in_print",
    "table_3",
    "table_3_in_print",
    "top",
    "trees",
]
