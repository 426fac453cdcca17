"""What a run will take, said before it begins."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from bertattn import measure
from bertattn.attention import Tokens
from bertattn.cli.running import say
from bertattn.model import AttentionModel
from bertattn.reducer import Observer

N_TRIED = 24


def preview(
    inputs: Iterable[Tokens],
    model: AttentionModel,
    observers: Callable[[], Sequence[Observer]],
    passes: int = 1,
    beside: str = "",
) -> int:
    """Count the inputs, measure a few of them, and say what all of them will take.

    Args:
        inputs: What will be run.
        model: The model.
        observers: Makes those that the run will have; each sees a few batches and is dropped.
        passes: How many times inputs go through a model of this size.
        beside: What takes time that is not measured here.

    Returns:
        How many inputs there are.

    Raises:
        ValueError: If there is none.
    """
    tried = list(islice(inputs, N_TRIED))
    if not tried:
        raise ValueError("the corpus gave no input; is it empty, or is every sentence too long?")
    n_inputs = sum(1 for _ in inputs)
    cost = measure.cost(tried, model, *observers(), n_inputs=n_inputs * passes)
    said = str(replace(cost, n_inputs=n_inputs))
    say(f"{said} ({model.device.type}){beside and f'; {beside} not counted'}")
    return n_inputs
