"""Two workers of one thread beside one process of one thread, by the clock on the wall.

Both run the same segments of the sample once to warm up, so that loading the model and starting
workers is not in the ratio. On a machine with other work to do, or one core, it means nothing.
"""

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.timing import Line
from bertattn import corpora, measure
from bertattn.attention import Tokens
from bertattn.measure.workers import local
from bertattn.model import AttentionModel, load
from bertattn.segments import Segments
from bertattn.surface import SurfaceSums

WINDOW_PIECES = 4096  # so that there are enough partitions to share out
TIMES = 3  # the sample is gone through


def lines(rounds: int = 5) -> list[Line]:
    """The ratio of times, and how far the numbers differ."""
    model = load("minilm", device="cpu")
    text = corpora.load("sample")
    inputs = [t for seed in range(TIMES) for t in Segments(text, model.encoder, seed=seed)]
    with local(2) as client:
        seconds, sums = _in_turn(
            {
                "one": lambda: _measured(model, inputs),
                "two": lambda: _measured(model, inputs, client=client),
            },
            rounds,
        )
    label = f"minilm, {len(inputs)} segments"
    one, two = sums["one"], sums["two"]
    differ = abs(two.sums - one.sums)[one.sums != 0] / abs(one.sums[one.sums != 0])
    same_counts = np.array_equal(one.counts, two.counts)
    return [
        Line(
            f"{label}: one process / two workers, one thread each, seconds on the clock",
            seconds["one"] / seconds["two"],
            "at least 1.7",
        ),
        Line(f"{label}: largest relative difference of a sum", float(differ.max()), "under 1e-9"),
        Line(f"{label}: counts are the same (1: yes)", float(same_counts), "1"),
    ]


def _measured(model: AttentionModel, inputs: Sequence[Tokens], **options: object) -> SurfaceSums:
    sums = SurfaceSums.empty(*model.shape)
    measure.measure(inputs, model, sums, window_pieces=WINDOW_PIECES, **options)
    return sums


def _in_turn(
    tasks: dict[str, Callable[[], SurfaceSums]], rounds: int
) -> tuple[dict[str, float], dict[str, SurfaceSums]]:
    """Median seconds of each task after a round to warm up, and what each came to."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    found = {}
    for turn in range(rounds + 1):
        for name, task in tasks.items():
            begin = time.perf_counter()
            found[name] = task()
            if turn:
                seconds[name].append(time.perf_counter() - begin)
    return {name: statistics.median(values) for name, values in seconds.items()}, found
