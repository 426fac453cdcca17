"""Whether an attempt is right, and what is wrong with it if not."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np

N_TRIALS = 20


@dataclass(frozen=True)
class Verdict:
    """What became of an attempt."""

    right: bool | None
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Exercise:
    """A function to be written.

    Attributes:
        key: Computes the right answer.
        inputs: Makes random arguments.
        praise: What a right answer shows.
        handed: Makes of the arguments what an attempt is handed, if that is something else.
    """

    key: Callable[..., Any]
    inputs: Callable[[np.random.Generator], tuple]
    praise: str
    handed: Callable[..., tuple] = lambda *arguments: arguments


NOT_TRIED = Verdict(None, "not tried yet")


def faults(exercise: Exercise, attempt: Callable[..., Any]) -> Iterator[Verdict]:
    """What is wrong with an attempt, on random inputs; nothing if it is right."""
    rng = np.random.default_rng(0)
    for _ in range(N_TRIALS):
        arguments = exercise.inputs(rng)
        before = [np.copy(argument) for argument in arguments]
        try:
            with np.errstate(all="ignore"):
                got = attempt(*exercise.handed(*arguments))
            given = ... if got is ... else np.asarray(got, dtype=float)
        except Exception as error:  # whatever a reader's code raises is told to the reader
            yield Verdict(False, f"not yet: your function raised {type(error).__name__}: {error}")
            return
        if got is None:
            yield Verdict(False, "not yet: your function returns nothing; is a return missing?")
        elif isinstance(given, EllipsisType):
            yield NOT_TRIED
        elif any(not np.array_equal(a, b) for a, b in zip(arguments, before, strict=True)):
            yield Verdict(False, "not yet: your function changes its argument; make a new array")
        else:
            yield from _difference(exercise.key(*before), given, len(before[0]))


def _difference(wanted: Any, got: Any, n_tokens: int) -> Iterator[Verdict]:
    wanted, got = np.asarray(wanted), np.asarray(got)
    case = f"not yet: for an input of {n_tokens} the answer has"
    if got.shape != wanted.shape:
        yield Verdict(False, f"{case} shape {got.shape}, wanted {wanted.shape}")
    elif not np.allclose(got.astype(float), wanted.astype(float), atol=1e-6):
        at = np.unravel_index(np.argmax(abs(got - wanted)), wanted.shape)
        yield Verdict(False, f"{case} {got[at]:.4f} at {_place(at)}, wanted {wanted[at]:.4f}")


def _place(at: tuple) -> str:
    return str(tuple(int(i) for i in at)) if at else "its only place"
