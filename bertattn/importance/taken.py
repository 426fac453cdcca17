"""What a sink moves and what its removal changes, in one call."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bertattn.attention import Tokens
from bertattn.importance.ablation import CONTROL, AblationSums, ablate
from bertattn.importance.moved import MovedSums, move
from bertattn.importance.removal import Way
from bertattn.model import Interventions, ModelError

if TYPE_CHECKING:
    from bertattn.model import AttentionModel


@dataclass(frozen=True, eq=False)
class TakenAway:
    """What a model moves and how it changes without attention to a sink.

    Attributes:
        sink: The sink's kind.
        moved: What attention moves; None if the model does not let its values be read.
        parts: What changes, a way each.
        refused: Why there is nothing; empty if there is.
    """

    sink: str
    moved: MovedSums | None = None
    parts: tuple[AblationSums, ...] = ()
    refused: str = ""


def take_away(
    inputs: Iterable[Tokens],
    model: "AttentionModel",
    sink: str,
    ways: Sequence[Way] = ("dropped", "renormalised"),
) -> TakenAway:
    """Both measurements for one sink and its control; in families that allow neither, the reason.

    Args:
        inputs: What the model reads; gone through more than once.
        model: The model.
        sink: The sink's kind, "to_start" for example.
        ways: How attention to it is taken away, in each layer.

    Raises:
        ValueError: If there was no input.
    """
    try:
        Interventions(model)
    except ModelError as error:
        return TakenAway(sink, refused=str(error))
    held = list(inputs)
    moved = MovedSums.empty(*model.shape)
    move(held, model, moved)
    parts = tuple(AblationSums.empty(model.n_layers, (sink, CONTROL), way) for way in ways)
    for sums in parts:
        ablate(held, model, sums)
    return TakenAway(sink, moved, parts)
