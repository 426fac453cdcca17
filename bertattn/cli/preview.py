"""What a run will take, said before it begins."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bertattn import measure
from bertattn.attention import Tokens
from bertattn.cli.running import say
from bertattn.model import AttentionModel
from bertattn.reducer import Observer

N_TRIED = 64


def preview(
    inputs: Iterable[Tokens],
    model: AttentionModel,
    observers: Callable[[], Sequence[Observer]],
    passes: int = 1,
    beside: str = "",
) -> int:
    """Count the inputs, measure a few from all over, and say what all of them will take.

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
    tried, n_inputs = _some(inputs)
    if not tried:
        raise ValueError("the corpus gave no input; is it empty, or is every sentence too long?")
    cost = measure.cost(tried, model, *observers(), n_inputs=n_inputs * passes)
    said = str(replace(cost, n_inputs=n_inputs))
    say(f"{said} ({model.device.type}){beside and f'; {beside} not counted'}")
    return n_inputs


def _some(inputs: Iterable[Tokens]) -> tuple[list[Tokens], int]:
    """A few inputs, any of them with the same probability, and how many there are (Vitter 1985)."""
    rng, kept, n_seen = random.Random(0), list[Tokens](), 0
    for n_seen, tokens in enumerate(inputs, start=1):
        place = n_seen - 1 if n_seen <= N_TRIED else rng.randrange(n_seen)
        if place == len(kept):
            kept.append(tokens)
        elif place < N_TRIED:
            kept[place] = tokens
    return kept, n_seen
