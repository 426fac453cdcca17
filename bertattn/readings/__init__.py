"""Tables read aloud: sentences that are true of whatever model was run."""

from bertattn.readings.clusters import (
    alike,
    groups,
    layers,
    map_quality,
    roles,
    sampling,
    stability,
)
from bertattn.readings.coref import coreference, kinds
from bertattn.readings.surface import breadth, positions, sink
from bertattn.readings.syntax import best_heads, silver, swaps

__all__ = [
    "alike",
    "best_heads",
    "breadth",
    "coreference",
    "groups",
    "kinds",
    "layers",
    "map_quality",
    "positions",
    "roles",
    "sampling",
    "silver",
    "sink",
    "stability",
    "swaps",
]
