"""Scores as tidy tables: how they were made, the paper's finding beside ours.

Here heads take their printed names and layers count from 1.
"""

from bertattn.tables.comparison import beside_table_1, in_print, side_by_side
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
    "beside_paper",
    "beside_table_1",
    "by_document",
    "by_group",
    "by_layer",
    "every_head",
    "head_card",
    "in_print",
    "kind_name",
    "layer_names",
    "left_out",
    "manifest",
    "present",
    "reliability",
    "side_by_side",
    "signature",
    "strong_heads",
    "surface",
    "table_1",
    "top",
    "trees",
]
