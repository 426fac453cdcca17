"""Two things at a time: what probes do is small, and so uses two cores better than one on both."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from bertattn.attention import Tokens
from bertattn.measure import batches, progress

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

N_THREADS = 2

Made = TypeVar("Made")


def side_by_side(task: Callable[..., Made], *arguments: Iterable[Any]) -> list[Made]:
    """What a task makes of its arguments, in their order, whichever is done first.

    Example:
        >>> side_by_side(max, [1, 5, 2], [4, 3, 2])
        [4, 5, 2]
    """
    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(task, *arguments))


def passes(
    task: Callable[["AttentionModel", list[Tokens]], Made],
    model: "AttentionModel",
    inputs: Sequence[Tokens],
) -> Iterator[tuple[list[Tokens], Made]]:
    """Batches of inputs of similar length, each with what a task makes of it, in their order.

    Two at a time where a pass takes one core; a model that is on another device, or takes more
    cores, does one after another.

    Args:
        task: Is given the model, or one with the same weights, and a batch.
        model: The model.
        inputs: What it reads.
    """
    alone = model.device.type != "cpu" or model.n_threads > 1
    free: SimpleQueue[AttentionModel] = SimpleQueue()
    for one in [model] if alone else [model, *(model.twin() for _ in range(N_THREADS - 1))]:
        free.put(one)

    def run(batch: list[Tokens]) -> Made:
        own = free.get()
        try:
            return task(own, batch)
        finally:
            free.put(own)

    made = list(batches(inputs))
    with progress(len(inputs)) as bar, ThreadPoolExecutor(free.qsize()) as pool:
        for batch, found in zip(made, pool.map(run, made), strict=True):
            yield batch, found
            bar.update(len(batch))
