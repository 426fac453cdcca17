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
from bertattn.readings.compare import differences, manifests
from bertattn.readings.coref import coreference, kinds
from bertattn.readings.explore import hits, surprises, surprising, topics, without
from bertattn.readings.importance import evidence, gradients, sink_where
from bertattn.readings.models import gains, share_and_gradient, sinks, splits
from bertattn.readings.norms import (
    agreement,
    itself,
    moved,
    moved_breadth,
    rollout,
    same_distances,
    same_heads,
    survival,
)
from bertattn.readings.probes import (
    distance,
    learning,
    probes,
    random_probe,
    selectivity,
    structure,
    weights,
)
from bertattn.readings.removals import (
    beside_random,
    more_and_more,
    one_by_one,
    score_agreement,
    ways,
)
from bertattn.readings.surface import breadth, positions, sink
from bertattn.readings.syntax import best_heads, silver, swaps, trees

__all__ = [
    "agreement",
    "alike",
    "beside_random",
    "best_heads",
    "breadth",
    "coreference",
    "differences",
    "distance",
    "evidence",
    "gains",
    "gradients",
    "groups",
    "hits",
    "itself",
    "kinds",
    "layers",
    "learning",
    "manifests",
    "map_quality",
    "more_and_more",
    "moved",
    "moved_breadth",
    "one_by_one",
    "positions",
    "probes",
    "random_probe",
    "removed",
    "roles",
    "rollout",
    "same_distances",
    "same_heads",
    "sampling",
    "score_agreement",
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
    "survival",
    "swaps",
    "topics",
    "tree_quality",
    "trees",
    "ways",
    "weights",
    "without",
]
