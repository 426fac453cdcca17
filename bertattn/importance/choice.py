"""An objective by name."""

from pathlib import Path
from typing import TYPE_CHECKING

from bertattn.importance.masked import MaskedLM
from bertattn.importance.pooled import Contrastive, Projections
from bertattn.model import NoMaskedHeadError, masked_head

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

OBJECTIVES = ("masked LM", "contrastive", "projections")


def objective(
    model: "AttentionModel", checkpoint: str | Path, name: str | None = None
) -> MaskedLM | Contrastive | Projections:
    """An objective with its usual settings.

    Args:
        model: The model.
        checkpoint: What it was loaded from, which may hold a head for masked pieces.
        name: One of ``OBJECTIVES``; by default the masked LM where the checkpoint has a head for
            it, else the contrastive one.

    Raises:
        ValueError: If there is no such objective.
        NoMaskedHeadError: If the masked LM is asked for by name and there is no trained head.
    """
    match name:
        case "masked LM":
            return MaskedLM(masked_head(checkpoint, model))
        case "contrastive":
            return Contrastive()
        case "projections":
            return Projections()
        case None:
            try:
                return MaskedLM(masked_head(checkpoint, model))
            except NoMaskedHeadError:
                return Contrastive()
    raise ValueError(f"wanted one of {', '.join(OBJECTIVES)} as objective, got {name!r}")
