"""What a run will take on this machine."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bertattn.attention import Tokens
from bertattn.measure.batching import WINDOW_PIECES, batches, windows
from bertattn.reducer import Observer

if TYPE_CHECKING:
    from bertattn.model import AttentionModel


@dataclass(frozen=True)
class Cost:
    """What a run will take on this machine.

    Attributes:
        seconds: Of the whole run.
        gigabytes: The most memory taken while measuring, Python and all libraries included.
        n_inputs: Of how many inputs.
    """

    seconds: float
    gigabytes: float
    n_inputs: int

    def __str__(self) -> str:
        return f"{self.n_inputs} inputs: {_time(self.seconds)}, {_memory(self.gigabytes)}"


def cost(
    inputs: Sequence[Tokens], model: "AttentionModel", *observers: Observer, n_inputs: int
) -> Cost:
    """Measure two batches, after one to warm up, and say what ``n_inputs`` such inputs take.

    The one to warm up holds the longest inputs, which take the most memory: it does not grow from
    there. The two stand a third and two thirds of the way to the shortest, since a piece of a long
    input costs more than one of a short input. Give observers that may be thrown away: they see
    three batches.

    Raises:
        ValueError: If there is no input to measure with.
    """
    if not inputs:
        raise ValueError("wanted inputs to measure the cost with, got none")
    trial = list(batches(next(windows(inputs, WINDOW_PIECES))))
    model.run(trial[0], observers)
    timed = [trial[len(trial) // 3], trial[2 * len(trial) // 3]]
    begin = time.perf_counter()
    for batch in timed:
        model.run(batch, observers)
    per_piece = (time.perf_counter() - begin) / sum(len(t) for batch in timed for t in batch)
    mean_length = sum(map(len, inputs)) / len(inputs)
    return Cost(per_piece * mean_length * n_inputs, model.peak_bytes / 1e9, n_inputs)


def _time(seconds: float) -> str:
    if seconds < 60:
        return "less than a minute"
    return f"about {seconds / 60:.0f} min" if seconds < 7200 else f"about {seconds / 3600:.1f} h"


def _memory(gigabytes: float) -> str:
    return f"up to {math.ceil(gigabytes)} GB of memory"
