"""Section 3.2's second half: does attention to a kind of token change what the model computes?

A gradient by attention weights says how much a loss would move with them. A small one alone is no
proof of a no-op, so beside it stand what attention moves, what changes when it is taken away, and
whether a head looks at the sink where its relation does not apply.
"""

from bertattn.importance.ablation import AblationSums, ablate
from bertattn.importance.choice import OBJECTIVES, objective
from bertattn.importance.masked import MaskedLM
from bertattn.importance.moved import MOVED, MovedSums, move
from bertattn.importance.objectives import Objective, Step
from bertattn.importance.pooled import Contrastive, Projections
from bertattn.importance.removal import CHANGES, change, remove
from bertattn.importance.sinks import SINKS, SinkShares, SinkWhere
from bertattn.importance.sums import (
    FORMS,
    ImportanceResult,
    ImportanceSums,
    by_logit,
    differentiate,
)
from bertattn.importance.taken import TakenAway, take_away
from bertattn.importance.targets import TARGETS, targets_of
from bertattn.importance.without import (
    Without,
    without_each,
    without_each_or_why_not,
    without_heads,
)

__all__ = [
    "CHANGES",
    "FORMS",
    "MOVED",
    "OBJECTIVES",
    "SINKS",
    "TARGETS",
    "AblationSums",
    "Contrastive",
    "ImportanceResult",
    "ImportanceSums",
    "MaskedLM",
    "MovedSums",
    "Objective",
    "Projections",
    "SinkShares",
    "SinkWhere",
    "Step",
    "TakenAway",
    "Without",
    "ablate",
    "by_logit",
    "change",
    "differentiate",
    "move",
    "objective",
    "remove",
    "take_away",
    "targets_of",
    "without_each",
    "without_each_or_why_not",
    "without_heads",
]
