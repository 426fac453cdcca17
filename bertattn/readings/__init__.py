"""Tables read aloud: sentences that are true of whatever model was run."""

from bertattn.readings.coref import coreference, kinds
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
    "best_heads",
    "breadth",
    "coreference",
    "distance",
    "kinds",
    "learning",
    "positions",
    "probes",
    "random_probe",
    "selectivity",
    "silver",
    "sink",
    "structure",
    "swaps",
    "trees",
    "weights",
]
