"""Partitions on the workers of a Dask scheduler, so many at a time that none is idle."""

import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import dask
from distributed import Client, Future, KilledWorker, LocalCluster

from bertattn.measure.checkpoint import code_of, identity
from bertattn.measure.partitions import Failure, Outcome, Partition, Sizes, Sums
from bertattn.measure.there import Job, WorkerError, measured_there, packed, unpacked

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

RETRIES = 2  # after an error; a lost worker's partitions run again in any case
AHEAD = 2  # partitions a thread: one runs, one waits
LOOK_EVERY = 1.0  # seconds
log = logging.getLogger("bertattn")


@contextmanager
def local(n_workers: int, **options: Any) -> Iterator[Client]:
    """Workers on this machine, each a process of one thread.

    Dask tells the system to take freed memory back at once, which makes PyTorch 1.3 to 1.5 times
    slower; here it does not.

    Args:
        n_workers: How many; as many as there are cores, and no more.
        **options: Others of ``distributed.LocalCluster``.
    """
    calm = {"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None}
    chosen = {"dashboard_address": "127.0.0.1:0", **options}  # any free port
    with (
        dask.config.set(calm),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, **chosen) as cluster,
        Client(cluster) as client,
    ):
        yield client


def on_workers(
    client: Client,
    to_do: Iterator[Partition],
    model: "AttentionModel",
    empties: Sums,
    sizes: Sizes,
    patience: float,
) -> Iterator[Outcome]:
    """Each partition's sums, or how it failed, as they come in.

    A partition that took its workers with it, or was there when another did, runs again at the end
    with no other beside it.

    Raises:
        WorkerError: If there is no worker for ``patience`` seconds, no scheduler, or if a worker
            has another model.
    """
    flight = _Flight(client, model, empties, sizes, patience)
    suspects: list[Partition] = []
    try:
        for partition, outcome in flight.outcomes(to_do):
            if isinstance(outcome, KilledWorker):
                suspects.append(partition)
            else:
                yield partition, _told(partition, outcome)
        for suspect in suspects:
            for partition, outcome in flight.outcomes(iter([suspect])):
                yield partition, _told(partition, outcome)
    finally:
        flight.end()


def _told(partition: Partition, outcome: Sums | Exception) -> Sums | Failure:
    return Failure.of(partition, outcome) if isinstance(outcome, Exception) else outcome


class _Flight:
    """What was sent to workers and has not come back."""

    def __init__(
        self,
        client: Client,
        model: "AttentionModel",
        empties: Sums,
        sizes: Sizes,
        patience: float,
    ) -> None:
        self._client = client
        self._patience = patience
        self._key = f"bertattn-{uuid.uuid4().hex[:12]}"
        job = Job(self._key, model.recipe, identity(model), code_of(empties), empties, sizes)
        self._job = packed(job)
        self._out: dict[str, tuple[Future, Partition]] = {}
        self._back: SimpleQueue[Future] = SimpleQueue()
        self._n_sent = 0
        self._n_threads = 1
        self._looked = self._seen_a_worker = time.monotonic()
        self._weights = None if model.recipe else self._sent_whole(model)
        self._look()

    def outcomes(self, to_do: Iterator[Partition]) -> Iterator[tuple[Partition, Any]]:
        """Sums or errors, as they come in; only so many partitions are out at a time."""
        more = True
        while more or self._out:
            while more and len(self._out) < AHEAD * self._n_threads:
                partition = next(to_do, None)
                more = partition is not None
                if partition is not None:
                    self._send(partition)
            if self._out:
                yield self._next()

    def end(self) -> None:
        """Have nothing run on for a run that is over."""
        futures = [future for future, _ in self._out.values()]
        self._out.clear()
        self._weights = None
        if futures and self._client.status == "running":
            with suppress(OSError, TimeoutError):  # no scheduler, nothing to cancel
                self._client.cancel(futures)

    def _send(self, partition: Partition) -> None:
        self._n_sent += 1
        arguments = (packed(partition.inputs), self._job, self._weights)
        key = f"{self._key}-{self._n_sent}"
        future = self._submit(measured_there, *arguments, key=key, retries=RETRIES)
        self._out[key] = future, partition
        future.add_done_callback(self._back.put)

    def _submit(self, *arguments: Any, **options: Any) -> Future:
        """Send work with its data in it, so that the scheduler can give it to another worker."""
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
            return self._client.submit(*arguments, pure=False, **options)

    def _sent_whole(self, model: "AttentionModel") -> Future:
        from bertattn.model.sending import as_bytes

        return self._submit(bytes, as_bytes(model), key=f"{self._key}-weights")

    def _next(self) -> tuple[Partition, Any]:
        """The next one that is back."""
        future = self._waited_for()
        partition = self._out[future.key][1]
        outcome = self._fetched(future)
        del self._out[future.key]
        if isinstance(outcome, WorkerError):
            raise outcome
        return partition, outcome

    def _waited_for(self) -> Future:
        while True:
            try:
                return self._back.get(timeout=LOOK_EVERY)
            except Empty:
                self._look()

    def _fetched(self, future: Future) -> Sums | Exception:
        """What a partition that is done has come to; from another worker if its own is lost."""
        while future.status != "cancelled":
            self._look()
            if future.status == "error":
                return future.exception(timeout=self._patience)
            with suppress(TimeoutError):
                return unpacked(future.result(timeout=LOOK_EVERY))
        raise self._gone()

    def _look(self) -> None:
        """Are scheduler and workers there, and how many?"""
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY and self._n_sent:
            return
        self._looked = now
        if self._client.status != "running":
            raise self._gone()
        try:
            found = self._client.scheduler_info(n_workers=0)
        except (OSError, TimeoutError) as error:
            raise self._gone() from error
        self._n_threads = max(1, found["total_threads"])
        if found["n_workers"]:
            self._seen_a_worker = now
        elif now - self._seen_a_worker > self._patience:
            raise WorkerError(
                f"the scheduler at {found['address']} has had no worker for {self._patience:.0f} "
                f"seconds; start some (dask worker {found['address']} --nthreads 1), or measure "
                "without a client. A checkpoint keeps what is finished"
            )

    def _gone(self) -> WorkerError:
        return WorkerError(
            f"the scheduler at {_address(self._client)} went away, or dropped this run's work; "
            "start it again and call measure anew. A checkpoint keeps what is finished; without "
            "one all is measured again"
        )


def _address(client: Client) -> str:
    return client.scheduler.address if client.scheduler else "an unknown address"
