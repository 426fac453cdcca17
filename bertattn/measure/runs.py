"""A corpus in partitions, from where a run before this one was stopped to its sums."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from bertattn.attention import Tokens
from bertattn.measure.adding import Block, Tree
from bertattn.measure.batching import progress
from bertattn.measure.checkpoint import Checkpoint, CheckpointError, opened
from bertattn.measure.partitions import (
    Failure,
    Outcome,
    Partition,
    PartitionError,
    Sizes,
    Sums,
    empty,
    measured,
    partitions,
)
from bertattn.reducer import Observer

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

PATIENCE = 60.0
HOPELESS = 8  # partitions that failed while none went well


@dataclass(frozen=True, eq=False)
class Run:
    """A model, how the corpus is cut up for it, and how many inputs there may be."""

    model: "AttentionModel"
    sizes: Sizes
    total: int | None = None


def in_partitions(
    inputs: Iterable[Tokens],
    reducers: Sequence[Observer],
    run: Run,
    client: Any,
    checkpoint: Path | None,
    failures: list[Failure] | None,
    patience: float,
) -> int:
    """Measure what is not finished yet, here or on a client's workers; add all up.

    Returns and raises what ``measure`` does.
    """
    empties = empty(reducers)
    kept = opened(checkpoint, run.model, empties, run.sizes) if checkpoint else nullcontext(None)
    failed: list[Failure] = []
    with kept as store, progress(run.total) as bar:
        progressed = _Progress(Tree(store.blocks if store else ()), store, bar)
        to_do = progressed.unfinished(partitions(inputs, run.sizes))
        for partition, outcome in _outcomes(to_do, run, empties, client, patience):
            if isinstance(outcome, Failure):
                failed.append(outcome)
                progressed.skip(partition, empties)
                if len(failed) == HOPELESS and not progressed.any_went_well:
                    raise PartitionError(failed, "Nothing went well, so the rest was not tried")
            else:
                progressed.finish(partition, outcome)
    return _settled(progressed.tree.total(), reducers, failed, failures, checkpoint)


class _Progress:
    """What is finished, in memory and on disk."""

    def __init__(self, tree: Tree, store: Checkpoint | None, bar: tqdm) -> None:
        self.tree = tree
        self.any_went_well = len(tree) > 0
        self._store = store
        self._bar = bar

    def unfinished(self, cut_up: Iterable[Partition]) -> Iterator[Partition]:
        """Partitions that the checkpoint lacks; those it has must be the same as now."""
        number = -1
        for number, partition in enumerate(cut_up):
            known = self.tree.digest(number) if self._store else None
            if known is None:
                yield partition
            elif known == partition.digest:
                self._bar.update(len(partition))
            else:
                raise self._other_corpus(f"{partition} differs")
        if self._store and (stop := max((b.stop for b in self.tree), default=0)) > number + 1:
            raise self._other_corpus(f"it had {stop} partitions or more, and this has {number + 1}")

    def finish(self, partition: Partition, sums: Sums) -> None:
        """Add a partition to the rest, and keep it."""
        self.any_went_well = True
        digests = (partition.digest,)
        block = self.tree.add(Block(partition.number, digests, len(partition), sums))
        if self._store:
            self._store.save(block)
        self._bar.update(len(partition))

    def skip(self, partition: Partition, empties: Sums) -> None:
        """Put nothing in a failed partition's place, so that those beside it add up.

        With a checkpoint the place stays free for another try.
        """
        if not self._store:
            self.tree.add(Block(partition.number, (partition.digest,), 0, empties))

    def _other_corpus(self, how: str) -> CheckpointError:
        assert self._store is not None, "only a checkpoint can be of another corpus"
        return CheckpointError(
            f"{self._store.folder} is the checkpoint of a run on another corpus: {how}. Go on with "
            "the inputs it was made with, or give another folder"
        )


def _outcomes(
    to_do: Iterator[Partition], run: Run, empties: Sums, client: Any, patience: float
) -> Iterator[Outcome]:
    if client is None:
        return _here(to_do, run, empties)
    from bertattn.measure.workers import on_workers  # brings Dask in

    return on_workers(client, to_do, run.model, empties, run.sizes, patience)


def _here(to_do: Iterator[Partition], run: Run, empties: Sums) -> Iterator[Outcome]:
    """One partition after another in this process."""
    for partition in to_do:
        outcome: Sums | Failure
        try:
            outcome = measured(partition.inputs, run.model, empties, run.sizes)
        except Exception as error:
            outcome = Failure.of(partition, error)
        yield partition, outcome


def _settled(
    total: Block | None,
    reducers: Sequence[Any],
    failed: Sequence[Failure],
    failures: list[Failure] | None,
    checkpoint: Path | None,
) -> int:
    """Give the reducers their sums, or say why not."""
    n_inputs = total.n_inputs if total else 0
    if failed and failures is None:
        raise PartitionError(failed, _what_now(n_inputs, checkpoint))
    if failures is not None:
        failures.extend(failed)
    if not n_inputs:
        if failed:
            raise PartitionError(failed, "Nothing else was there to measure")
        raise ValueError("the corpus gave no input; is it empty, or is every sentence too long?")
    assert total is not None, "inputs were measured"
    for reducer, sums in zip(reducers, total.sums, strict=True):
        vars(reducer).update(vars(reducer + sums))
    return n_inputs


def _what_now(n_inputs: int, checkpoint: Path | None) -> str:
    if checkpoint:
        return (
            f"The other {n_inputs} inputs are measured and kept in {checkpoint}: run again to try "
            "the failed ones alone, or give failures=[] to have the sums without them"
        )
    return (
        f"The other {n_inputs} inputs were measured, and their sums are dropped: give failures=[] "
        "to have them, or a checkpoint to keep them"
    )
