"""Section 3.2's second half: does attention to a kind of token change what the model computes?

A gradient by attention weights says how much a loss would move with them. A small one alone is no
proof of a no-op, so beside it stand what attention moves, what changes when it is taken away, and
whether a head looks at the sink where its relation does not apply.
"""

from bertattn.importance.ablation import AblationSums, ablate
from bertattn.importance.choice import OBJECTIVES, objective
from bertattn.importance.downstream import Syntax, finders
from bertattn.importance.gates import head_importance
from bertattn.importance.halves import a_few_of_each, halves
from bertattn.importance.knockout import HEAD_WAYS, Knockout, mean_outputs
from bertattn.importance.masked import MaskedLM
from bertattn.importance.moved import MOVED, MovedSums, move
from bertattn.importance.objectives import Objective, Step
from bertattn.importance.outcomes import Change, Loss
from bertattn.importance.picks import (
    Pick,
    beside,
    best_heads,
    chosen,
    drawn,
    drawn_beside,
    each_head,
    growing,
)
from bertattn.importance.pooled import Contrastive, Projections
from bertattn.importance.probed import Probe
from bertattn.importance.removal import CHANGES, change, remove
from bertattn.importance.removals import remove_heads
from bertattn.importance.removed import Removals
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
from bertattn.model.outlets import Outlets

__all__ = [
    "CHANGES",
    "FORMS",
    "HEAD_WAYS",
    "MOVED",
    "OBJECTIVES",
    "SINKS",
    "TARGETS",
    "AblationSums",
    "Change",
    "Contrastive",
    "ImportanceResult",
    "ImportanceSums",
    "Knockout",
    "Loss",
    "MaskedLM",
    "MovedSums",
    "Objective",
    "Outlets",
    "Pick",
    "Probe",
    "Projections",
    "Removals",
    "SinkShares",
    "SinkWhere",
    "Step",
    "Syntax",
    "TakenAway",
    "Without",
    "a_few_of_each",
    "ablate",
    "beside",
    "best_heads",
    "by_logit",
    "change",
    "chosen",
    "differentiate",
    "drawn",
    "drawn_beside",
    "each_head",
    "finders",
    "growing",
    "halves",
    "head_importance",
    "mean_outputs",
    "move",
    "objective",
    "remove",
    "remove_heads",
    "take_away",
    "targets_of",
    "without_each",
    "without_each_or_why_not",
    "without_heads",
]
