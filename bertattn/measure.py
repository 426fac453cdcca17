"""A corpus through a model to observers: batches by length, progress, cost."""

import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from tqdm import tqdm

from bertattn.attention import Tokens
from bertattn.reducer import Observer, width

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

BATCH_PIECES = 512
WINDOW_PIECES = 16_384


def measure(
    inputs: Iterable[Tokens],
    model: "AttentionModel",
    *observers: Observer,
    batch_pieces: int = BATCH_PIECES,
    total: int | None = None,
) -> int:
    """Run inputs through a model and show every layer's maps to the observers.

    Inputs are read a window at a time and sorted by length within it, so any corpus runs in
    constant memory and little is spent on padding. A progress bar goes to stderr unless the
    environment says ``BERTATTN_PROGRESS=0``.

    Args:
        inputs: What to run, for example ``Segments``.
        model: The model.
        *observers: Reducers, which hold the sums afterwards.
        batch_pieces: Pieces in a batch, padding included.
        total: How many inputs there will be, for the progress bar.

    Returns:
        The number of inputs.

    Raises:
        ValueError: If there was no input at all.
    """
    n_inputs = 0
    with progress(total) as bar:
        for batch in batches(inputs, batch_pieces):
            model.run(batch, observers)
            n_inputs += len(batch)
            bar.update(len(batch))
    if n_inputs == 0:
        raise ValueError("the corpus gave no input; is it empty, or is every sentence too long?")
    return n_inputs


def batches(
    inputs: Iterable[Tokens],
    batch_pieces: int = BATCH_PIECES,
    window_pieces: int = WINDOW_PIECES,
) -> Iterator[list[Tokens]]:
    """Group inputs of similar length, longest first, ``batch_pieces`` a batch with padding.

    Inputs of about ``window_pieces`` pieces are held and sorted at a time. An input longer
    than ``batch_pieces`` makes a batch of its own.
    """
    for held in _windows(inputs, window_pieces):
        held.sort(key=len, reverse=True)
        while held:
            n_fit = max(1, batch_pieces // width(len(held[0])))
            yield held[:n_fit]
            del held[:n_fit]


def _windows(inputs: Iterable[Tokens], n_pieces: int) -> Iterator[list[Tokens]]:
    held: list[Tokens] = []
    n_held = 0
    for tokens in inputs:
        held.append(tokens)
        n_held += len(tokens)
        if n_held >= n_pieces:
            yield held
            held, n_held = [], 0
    if held:
        yield held


def progress(total: int | None) -> tqdm:
    """A bar on stderr, unless the environment says ``BERTATTN_PROGRESS=0``."""
    off = os.environ.get("BERTATTN_PROGRESS") == "0"
    return tqdm(total=total, unit=" inputs", file=sys.stderr, disable=off, leave=False)


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

    Time grows with pieces; memory does not grow, so what two batches take is what all take.
    Give observers that may be thrown away: they see three batches.

    Raises:
        ValueError: If there is no input to measure with.
    """
    if not inputs:
        raise ValueError("wanted inputs to measure the cost with, got none")
    trial = list(islice(batches(inputs), 3))
    model.run(trial[0], observers)
    timed = trial[1:] or trial
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
