"""Tables read aloud: sentences that are true of whatever model was run."""

from bertattn.readings.coref import coreference, kinds
from bertattn.readings.importance import evidence, gradients, sink_where
from bertattn.readings.surface import breadth, positions, sink
from bertattn.readings.syntax import best_heads, silver, swaps

__all__ = [
    "best_heads",
    "breadth",
    "coreference",
    "evidence",
    "gradients",
    "kinds",
    "positions",
    "silver",
    "sink",
    "sink_where",
    "swaps",
]
