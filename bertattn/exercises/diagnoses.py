"""What an answer that is wrong looks like: the mistakes that are made most."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bertattn.exercises.trials import Trial, close

Key = Callable[..., Any]
Sign = Callable[[Trial, Key], bool]
FEWEST = 3  # a factor that holds for fewer inputs may be chance


def diagnosis(wrong: Sequence[Trial], key: Key) -> str:
    """The first mistake that would explain every wrong answer; "" if none of the usual would.

    Args:
        wrong: Inputs on which the answer is not the key's.
        key: Computes the right answer, here also for an input turned around.
    """
    if all(trial.got.shape == trial.wanted.shape for trial in wrong):
        for said, sign in SIGNS.items():
            if all(sign(trial, key) for trial in wrong):
                return said
        return _factor(wrong) or _rows(wrong)
    return ""


def _not_a_number(trial: Trial, key: Key) -> bool:
    return not np.isfinite(trial.got).all()


def _transposed(trial: Trial, key: Key) -> bool:
    return trial.got.ndim == 2 and close(trial.got, trial.wanted.T)


def _of_the_transposed(trial: Trial, key: Key) -> bool:
    first, *others = trial.arguments
    return is_map(first) and close(trial.got, np.asarray(key(first.T, *others)))


def is_map(argument: Any) -> bool:
    """Whether an argument is a square table whose rows sum to 1."""
    square = np.ndim(argument) == 2 and len(set(argument.shape)) == 1
    return bool(square and close(argument.sum(axis=1), np.ones(len(argument))))


def _shifted(trial: Trial, key: Key) -> bool:
    got, wanted = trial.got, trial.wanted
    if got.ndim == 0 or got.shape[-1] < 2:
        return False
    ahead = close(got[..., 1:], wanted[..., :-1])
    return ahead or close(got[..., :-1], wanted[..., 1:])


def _from_one(trial: Trial, key: Key) -> bool:
    whole = close(trial.wanted, np.round(trial.wanted))
    return whole and close(trial.got, trial.wanted + 1)


def _backwards(trial: Trial, key: Key) -> bool:
    return trial.got.ndim == 1 and close(trial.got, trial.wanted[::-1])


def _turned(trial: Trial, key: Key) -> bool:
    return close(trial.got, -trial.wanted)


def _the_rest(trial: Trial, key: Key) -> bool:
    return close(trial.got, 1 - trial.wanted)


SIGNS: dict[str, Sign] = {
    "it is not a number where something is divided by 0, or its logarithm taken": _not_a_number,
    "it is transposed: rows and columns are exchanged": _transposed,
    "it is right for the transposed map: row i says where token i looks": _of_the_transposed,
    "it counts from 1, and code counts from 0": _from_one,
    "it is the right answer in the opposite order": _backwards,
    "its sign is turned around": _turned,
    "it is 1 minus what is wanted": _the_rest,
    "it is off by one position": _shifted,
}


def _factor(wrong: Sequence[Trial]) -> str:
    got, wanted = (np.concatenate([np.ravel(a) for a in side]) for side in _sides(wrong))
    there = abs(wanted) > 1e-6
    if len(wrong) < FEWEST or not there.any():
        return ""
    factor = (got[there] / wanted[there])[0]
    if not close(got, factor * wanted):
        return ""
    base_2 = ": is the logarithm the natural one?" if close(factor, 1 / np.log(2)) else ""
    return f"it is {factor:.4g} times what is wanted{base_2}"


def _sides(wrong: Sequence[Trial]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return [trial.got for trial in wrong], [trial.wanted for trial in wrong]


def _rows(wrong: Sequence[Trial]) -> str:
    if any(trial.wanted.ndim != 2 for trial in wrong):
        return ""
    summing = [close(rows.sum(axis=1), np.ones(len(rows))) for t in wrong for rows in (t.wanted,)]
    off = [not close(trial.got.sum(axis=1), np.ones(len(trial.got))) for trial in wrong]
    return "its rows do not sum to 1" if all(summing) and all(off) else ""
