"""A corpus through a model to observers: here or on several workers, with progress and cost."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertattn.attention import Tokens
from bertattn.measure.batching import BATCH_PIECES, WINDOW_PIECES, batches, progress
from bertattn.measure.checkpoint import CheckpointError
from bertattn.measure.costs import Cost, cost
from bertattn.measure.partitions import Failure, PartitionError, Sizes
from bertattn.measure.runs import PATIENCE, Run, in_partitions
from bertattn.measure.there import WorkerError
from bertattn.reducer import Observer

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

__all__ = [
    "BATCH_PIECES",
    "WINDOW_PIECES",
    "CheckpointError",
    "Cost",
    "Failure",
    "PartitionError",
    "WorkerError",
    "batches",
    "cost",
    "measure",
    "progress",
]


def measure(
    inputs: Iterable[Tokens],
    model: "AttentionModel",
    *observers: Observer,
    batch_pieces: int = BATCH_PIECES,
    total: int | None = None,
    client: Any = None,
    checkpoint: Path | None = None,
    partition_size: int = 1,
    window_pieces: int = WINDOW_PIECES,
    failures: list[Failure] | None = None,
    patience: float = PATIENCE,
) -> int:
    """Run inputs through a model and show every layer's maps to the observers.

    Inputs are read a window at a time and sorted by length within it, so any corpus runs in
    constant memory and little is spent on padding. A progress bar goes to stderr unless the
    environment says ``BERTATTN_PROGRESS=0``.

    With a client, a checkpoint or a list for failures the inputs run in partitions of whole
    windows, each with empty reducers of its own, which are added in pairs by their place: the
    numbers do not depend on how many workers there are, nor on which of them is faster. Every
    batch is the one of a plain run, so that numbers differ from its by the order of float64
    addition alone.

    Args:
        inputs: What to run, for example ``Segments``.
        model: The model.
        *observers: Reducers, which hold the sums afterwards.
        batch_pieces: Pieces in a batch, padding included.
        total: How many inputs there will be, for the progress bar.
        client: A ``dask.distributed.Client`` whose workers run the partitions. Each loads the model
            by name; one that was built in memory is sent.
        checkpoint: A folder that keeps what is finished, so that a run which was stopped goes on
            from there. It holds one run.
        partition_size: How many windows make a partition.
        window_pieces: About how many pieces are held and sorted at a time.
        failures: Takes the partitions that fail each time, and the rest is measured; without it
            they end the call with an error, and the reducers are left as they were.
        patience: Seconds to wait for a worker where there is none.

    Returns:
        The number of inputs measured.

    Raises:
        ValueError: If there was no input at all, or an observer cannot be added up.
        PartitionError: If partitions failed each time.
        CheckpointError: If the folder holds another run or cannot be written.
        WorkerError: If there is no worker or scheduler any more, or workers have another model.
    """
    if client is not None or checkpoint is not None or failures is not None:
        run = Run(model, Sizes(batch_pieces, window_pieces, partition_size), total)
        return in_partitions(inputs, observers, run, client, checkpoint, failures, patience)
    n_inputs = 0
    with progress(total) as bar:
        for batch in batches(inputs, batch_pieces, window_pieces):
            model.run(batch, observers)
            n_inputs += len(batch)
            bar.update(len(batch))
    if n_inputs == 0:
        raise ValueError("the corpus gave no input; is it empty, or is every sentence too long?")
    return n_inputs
