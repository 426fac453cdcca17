"""How two things are compared: in one process, in turn, several times over."""

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Line(NamedTuple):
    """A number, what it is of, and what is wanted of it."""

    what: str
    ratio: float
    wanted: str = ""


def medians(tasks: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """What each task takes relative to the others, after one round to warm up.

    Processor time, each round divided by its own geometric mean before the median is taken: a
    machine that slows down for some rounds changes none of the ratios.
    """
    seconds = {name: np.empty(rounds) for name in tasks}
    for turn in range(-1, rounds):
        for name, task in tasks.items():
            begin = time.process_time()
            task()
            if turn >= 0:
                seconds[name][turn] = time.process_time() - begin
    round_mean = np.exp(np.mean([np.log(s) for s in seconds.values()], axis=0))
    return {name: float(np.median(s / round_mean)) for name, s in seconds.items()}


def clock(task: Callable[[], object], rounds: int) -> float:
    """Median seconds on the clock, after one round to warm up."""
    seconds = []
    for turn in range(rounds + 1):
        begin = time.perf_counter()
        task()
        if turn:
            seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)
