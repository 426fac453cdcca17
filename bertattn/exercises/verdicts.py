"""Whether an attempt is right, and what is wrong with it if not."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertattn.exercises.diagnoses import diagnosis
from bertattn.exercises.limits import OutOfTime, at_most
from bertattn.exercises.trials import SMALL, Trial, as_call, shown

N_TRIALS = 20
N_SMALLER = 200  # more inputs, among which the smallest that goes wrong is looked for
SECONDS_TO_LOOK = 1.0


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


def verdict(exercise: Exercise, attempt: Callable[..., Any], seconds: float) -> Verdict:
    """Try an attempt on random inputs; what it gets wrong is shown on a small one.

    Args:
        exercise: What was to be written.
        attempt: What was written.
        seconds: How long one call may take.
    """
    rng, trials = np.random.default_rng(0), []
    for _ in range(N_TRIALS):
        tried = _tried(exercise, attempt, exercise.inputs(rng), seconds)
        if isinstance(tried, Verdict):
            return tried
        trials.append(tried)
    wrong = [trial for trial in trials if not trial.right]
    if not wrong:
        return Verdict(True, f"right: {exercise.praise}")
    why = diagnosis(wrong, exercise.key)
    return _told(_smallest(exercise, attempt, wrong, rng, seconds), attempt, why)


def _tried(
    exercise: Exercise, attempt: Callable[..., Any], arguments: tuple, seconds: float
) -> Trial | Verdict:
    """One call, or what stopped it."""
    before = tuple(np.copy(argument) for argument in arguments)
    try:
        with at_most(seconds), np.errstate(all="ignore"):
            got = attempt(*exercise.handed(*arguments))
        answer = None if got is None or got is ... else np.asarray(got, dtype=float)
    except OutOfTime:
        said = f"took longer than {seconds:g} s; is there a loop that never ends?"
        return _stopped(said, attempt, before)
    except Exception as error:  # whatever a reader's code raises is told to the reader
        return _stopped(f"raised {type(error).__name__}: {error}", attempt, before)
    if answer is None:
        missing = "not yet: your function returns nothing; is a return missing?"
        return NOT_TRIED if got is ... else Verdict(False, missing)
    if any(not np.array_equal(a, b) for a, b in zip(arguments, before, strict=True)):
        return Verdict(False, "not yet: your function changes its argument; make a new array")
    return Trial(before, answer, np.asarray(exercise.key(*before), dtype=float))


def _stopped(said: str, attempt: Callable[..., Any], arguments: tuple) -> Verdict:
    case = f"\nit was given {as_call(attempt, arguments)}" if _numbers(arguments) <= SMALL else ""
    return Verdict(False, f"not yet: your function {said}{case}")


def _smallest(
    exercise: Exercise,
    attempt: Callable[..., Any],
    wrong: list[Trial],
    rng: np.random.Generator,
    seconds: float,
) -> Trial:
    """The input with the fewest numbers and digits on which the attempt goes wrong."""
    found, until = list(wrong), time.monotonic() + SECONDS_TO_LOOK
    for _ in range(N_SMALLER):
        if time.monotonic() > until:
            break
        tried = _tried(exercise, attempt, exercise.inputs(rng), seconds)
        if isinstance(tried, Trial) and not tried.right:
            found.append(tried)
    fewest = min(trial.n_numbers for trial in found)
    small = [trial for trial in found if trial.n_numbers == fewest]
    return min(small, key=lambda trial: trial.n_digits)


def _told(trial: Trial, attempt: Callable[..., Any], why: str) -> Verdict:
    lines = [f"not yet: for an input of {_length(trial)} the answer has {_difference(trial)}"]
    if why:
        lines.append(f"perhaps: {why}")
    if _numbers((*trial.arguments, trial.wanted, trial.got)) <= SMALL:
        lines.append(f"for {as_call(attempt, trial.arguments)}")
        lines.append(f"you return {shown(trial.got)}, wanted {shown(trial.wanted)}")
    return Verdict(False, "\n".join(lines))


def _difference(trial: Trial) -> str:
    got, wanted = trial.got, trial.wanted
    if got.shape != wanted.shape:
        return f"shape {got.shape}, wanted {wanted.shape}"
    at = np.unravel_index(np.argmax(abs(got - wanted)), wanted.shape)
    place = tuple(int(i) for i in at) or "its only place"
    return f"{got[at] + 0.0:.4f} at {place}, wanted {wanted[at] + 0.0:.4f}"


def _length(trial: Trial) -> int:
    return len(trial.arguments[0])


def _numbers(values: tuple) -> int:
    return sum(int(np.size(value)) for value in values)
