"""What a worker does: it loads the model once, and measures partitions that are sent to it."""

import os
import pickle
import platform
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bertattn.attention import Tokens
from bertattn.measure.checkpoint import code_of, identity
from bertattn.measure.partitions import Sizes, Sums, measured

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

_LOADED: dict[str, "AttentionModel"] = {}  # by what it is, so that the next run has it too
_SAME_CODE: set[str] = set()  # runs whose code was compared
_ALONE = threading.Lock()  # a model's hooks would show the maps of one thread to the other


class WorkerError(RuntimeError):
    """Workers that cannot do the work: none there, another model, other code."""


@dataclass(frozen=True)
class Job:
    """What all partitions of a run have in common.

    Attributes:
        key: The run's own name.
        recipe: Loads the model; None where its weights are sent.
        identity: What the model must turn out to be.
        code: A hash of the sources that make the numbers.
        empties: Reducers to begin with.
        sizes: How a partition is cut up into batches.
    """

    key: str
    recipe: "Callable[[], AttentionModel] | None"
    identity: dict[str, str]
    code: str
    empties: Sums
    sizes: Sizes


def packed(thing: Any) -> bytes:
    """Anything as few bytes: zeros, of which reducers are full, take next to none.

    Example:
        >>> len(packed(bytes(1_000_000))) < 10_000
        True
        >>> unpacked(packed([1, 2]))
        [1, 2]
    """
    return zlib.compress(pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL), level=1)


def unpacked(content: bytes) -> Any:
    """What was packed, by the other end of this run and nobody else."""
    return pickle.loads(zlib.decompress(content))


def measured_there(inputs: bytes, job: bytes, weights: bytes | None) -> bytes:
    """Measure a partition's inputs on a worker.

    Raises:
        WorkerError: If the model or the code here is another than where the run began.
    """
    what: Job = unpacked(job)
    partition: tuple[Tokens, ...] = unpacked(inputs)
    with _ALONE:
        model = _loaded(what, weights)
        with _one_thread():
            return packed(measured(partition, model, what.empties, what.sizes))


def _loaded(job: Job, weights: bytes | None) -> "AttentionModel":
    if job.key not in _SAME_CODE:
        if (code := code_of(job.empties)) != job.code:
            raise WorkerError(
                f"the worker on {_here()} runs other code of bertattn ({code}, wanted {job.code}); "
                "install the same version there, and start the workers again"
            )
        _SAME_CODE.add(job.key)
    wanted = _shown(job.identity)
    if wanted not in _LOADED:
        _LOADED.clear()  # one model at a time
        model = _made(job, weights)
        if (found := _shown(identity(model))) != wanted:
            raise WorkerError(
                f"the worker on {_here()} loaded another model: wanted {wanted}; got {found}. Put "
                "the same files there, or have the model sent: model.recipe = None"
            )
        _LOADED[wanted] = model
    return _LOADED[wanted]


def _made(job: Job, weights: bytes | None) -> "AttentionModel":
    if job.recipe is None:
        assert weights is not None, "a model without a recipe is sent"
        from bertattn.model.sending import from_bytes

        return from_bytes(weights)
    try:
        return job.recipe()
    except (OSError, ValueError, RuntimeError) as error:
        raise WorkerError(
            f"the worker on {_here()} cannot load the model: {error} Or have it sent: "
            "model.recipe = None"
        ) from error


def _shown(identity_: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in identity_.items())


def _here() -> str:
    return f"{platform.node()}, process {os.getpid()}"


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have the model use one thread: those of several workers would wait in busy loops."""
    torch: Any = sys.modules.get("torch")  # which the model has brought in
    before = torch.get_num_threads() if torch else 1
    if before > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if before > 1:
            torch.set_num_threads(before)
