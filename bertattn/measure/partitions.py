"""A corpus in partitions: what each holds, what is measured of it, and what went wrong."""

import copy
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from bertattn.attention import Tokens
from bertattn.measure.batching import batches, windows
from bertattn.reducer import Observer, Reducer

if TYPE_CHECKING:
    from bertattn.model import AttentionModel

Sums = tuple[Any, ...]  # a reducer each
SHOWN = 3


@dataclass(frozen=True)
class Sizes:
    """How a corpus is cut up; it moves the numbers by rounding.

    Attributes:
        batch_pieces: Pieces in a batch, padding included.
        window_pieces: About how many pieces are sorted at a time.
        n_windows: How many windows make a partition.

    Raises:
        ValueError: If a partition would have no window.
    """

    batch_pieces: int
    window_pieces: int
    n_windows: int

    def __post_init__(self) -> None:
        if self.n_windows < 1:
            raise ValueError(f"wanted partitions of at least one window, got {self.n_windows}")


@dataclass(frozen=True, eq=False)
class Partition:
    """Consecutive inputs: whole windows, so that its batches are those of a run without partitions.

    Attributes:
        number: Its place among the partitions.
        start: The place of its first input among all inputs.
        inputs: What to run.
    """

    number: int
    start: int
    inputs: tuple[Tokens, ...]

    def __len__(self) -> int:
        return len(self.inputs)

    def __str__(self) -> str:
        names = [_name(self.inputs[0]), _name(self.inputs[-1])]
        return (
            f"partition {self.number} (inputs {self.start} to {self.start + len(self) - 1}, "
            f"from {names[0]} to {names[1]})"
        )

    @cached_property
    def digest(self) -> str:
        """A hash of all that the numbers depend on: ids, words, documents, and sources."""
        digest = hashlib.sha256()
        for tokens in self.inputs:
            for array in (tokens.ids, tokens.type_ids, tokens.unit_of, tokens.kinds):
                digest.update(array.astype("<i8").tobytes())
            rest = (len(tokens), tokens.words, tokens.document, tokens.source)
            digest.update(repr(rest).encode())
        return digest.hexdigest()[:16]


def _name(tokens: Tokens) -> str:
    """What an input is called: by the id of its source if it has one, and its document."""
    name = getattr(tokens.source, "id", None)
    return f"document {tokens.document}" if name is None else f"{name!r}"


def partitions(inputs: Iterable[Tokens], sizes: Sizes) -> Iterator[Partition]:
    """Cut inputs up as they come."""
    start = 0
    held = windows(inputs, sizes.window_pieces)
    for number, together in enumerate(_grouped(held, sizes.n_windows)):
        partition = Partition(number, start, together)
        yield partition
        start += len(partition)


def _grouped(held: Iterator[list[Tokens]], n: int) -> Iterator[tuple[Tokens, ...]]:
    while together := tuple(chain.from_iterable(islice(held, n))):
        yield together


def empty(reducers: Sequence[Observer]) -> Sums:
    """An empty reducer for each of some.

    Raises:
        ValueError: If one of them cannot be added up in parts.
    """
    for reducer in reducers:
        name = type(reducer).__name__
        if not isinstance(reducer, Reducer):
            raise ValueError(
                f"{name} cannot be added up in partitions: wanted a reducer, with fresh, +, save "
                "and load; measure it without a client or checkpoint"
            )
        if kept := getattr(reducer, "keep", 0):
            raise ValueError(
                f"{name} is to keep the predictions of {kept} inputs, which sums of partitions do "
                "not hold; keep them in a run of its own, without a client or checkpoint"
            )
    return tuple(reducer.fresh() for reducer in reducers if isinstance(reducer, Reducer))


def measured(
    inputs: Iterable[Tokens], model: "AttentionModel", empties: Sums, sizes: Sizes
) -> Sums:
    """What empty reducers hold after one partition's inputs; the given ones stay empty."""
    reducers = copy.deepcopy(empties)
    for batch in batches(inputs, sizes.batch_pieces, sizes.window_pieces):
        model.run(batch, reducers)
    return reducers


@dataclass(frozen=True)
class Failure:
    """A partition that failed each time.

    Attributes:
        place: Which one, by its number, its inputs and where they come from.
        n_inputs: How many inputs are not measured.
        error: What was raised.
    """

    place: str
    n_inputs: int
    error: str

    @classmethod
    def of(cls, partition: Partition, error: BaseException) -> "Failure":
        """One partition's."""
        reason = " ".join(str(error).split())
        return cls(str(partition), len(partition), f"{type(error).__name__}: {reason}")

    def __str__(self) -> str:
        return f"{self.place}: {self.error}"


Outcome = tuple[Partition, Sums | Failure]


class PartitionError(RuntimeError):
    """Partitions that failed each time: which, why, and what has become of the rest.

    Attributes:
        failures: Each of them.
    """

    def __init__(self, failures: Sequence[Failure], what_now: str) -> None:
        self.failures = tuple(failures)
        shown = "; ".join(map(str, self.failures[:SHOWN]))
        more = f"; and {n} more" if (n := len(self.failures) - SHOWN) > 0 else ""
        count = f"{len(self.failures)} partition{'s' * (len(self.failures) > 1)}"
        super().__init__(f"{count} failed each time: {shown}{more}. {what_now}")
