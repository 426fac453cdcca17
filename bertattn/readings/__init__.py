"""Tables read aloud: sentences that are true of whatever model was run."""

from bertattn.readings.clusters import (
    alike,
    groups,
    layers,
    map_quality,
    removed,
    roles,
    sampling,
    stability,
    tree_quality,
)
from bertattn.readings.coref import coreference, kinds
from bertattn.readings.explore import hits, surprises, surprising, topics, without
from bertattn.readings.importance import evidence, gradients, sink_where
from bertattn.readings.models import gains, share_and_gradient, sinks, splits
from bertattn.readings.probes import (
    distance,
    learning,
    probes,
    random_probe,
    selectivity,
    structure,
    weights,
)
from bertattn.readings.surface import breadth, positions, sink
from bertattn.readings.syntax import best_heads, silver, swaps, trees

__all__ = [
    "alike",
    "best_heads",
    "breadth",
    "coreference",
    "distance",
    "evidence",
    "gains",
    "gradients",
    "groups",
    "hits",
    "kinds",
    "layers",
    "learning",
    "map_quality",
    "positions",
    "probes",
    "random_probe",
    "removed",
    "roles",
    "sampling",
    "selectivity",
    "share_and_gradient",
    "silver",
    "sink",
    "sink_where",
    "sinks",
    "splits",
    "stability",
    "structure",
    "surprises",
    "surprising",
    "swaps",
    "topics",
    "tree_quality",
    "trees",
    "weights",
    "without",
]
