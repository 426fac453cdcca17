"""An attempt at an exercise, compared with the package."""

from types import EllipsisType
from typing import Any

import numpy as np

from bertattn.exercises import (
    ablation,
    clusters,
    coref,
    explore,
    importance,
    maps,
    models,
    norms,
    probes,
    syntax,
)
from bertattn.exercises.verdicts import NOT_TRIED, Exercise, Verdict, verdict

PARTS = (maps, importance, clusters, syntax, coref, probes, explore, norms, ablation, models)
FUNCTIONS: dict[str, Exercise] = {k: v for part in PARTS for k, v in part.FUNCTIONS.items()}
ANSWERS = maps.ANSWERS


SECONDS = 5.0


def check(name: str, attempt: Any, seconds: float = SECONDS) -> Verdict:
    """Compare an attempt with the package, on twenty random inputs if it is a function.

    What a function gets wrong is shown on the smallest of two hundred inputs, with the usual
    mistake that would explain it, if there is one.

    Args:
        name: The exercise, as the notebook names it.
        attempt: The function or the answer; ``...`` is a stub.
        seconds: How long one call may take before it is stopped.

    Raises:
        KeyError: If there is no such exercise.

    Example:
        >>> check("head name", ...)
        not tried yet
        >>> check("head name", "3-11")
        right
        >>> check("to previous", lambda weights: weights.trace(1) / len(weights))
        not yet: for an input of 3 the answer has ... wanted ...
        perhaps: it is right for the transposed map: row i says where token i looks
        for weights = ...
        you return ..., wanted ...
    """
    if name in ANSWERS:
        return _check_answer(name, attempt)
    if name not in FUNCTIONS:
        known = ", ".join(sorted([*ANSWERS, *FUNCTIONS]))
        raise KeyError(f"no exercise {name!r}; there are: {known}")
    if isinstance(attempt, EllipsisType):
        return NOT_TRIED
    return verdict(FUNCTIONS[name], attempt, seconds)


def _check_answer(name: str, attempt: Any) -> Verdict:
    if isinstance(attempt, EllipsisType):
        return NOT_TRIED
    wanted, hint = ANSWERS[name]
    return Verdict(True, "right") if _equal(attempt, wanted) else Verdict(False, f"not yet: {hint}")


def _equal(attempt: Any, wanted: Any) -> bool:
    """Texts to the letter, numbers to three digits."""
    if isinstance(wanted, str) or np.ndim(attempt) > 0 or isinstance(attempt, str):
        return isinstance(attempt, str) and attempt.strip() == wanted
    return bool(np.isclose(attempt, wanted, rtol=2e-3))
