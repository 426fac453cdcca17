"""Exercises that check themselves: the package is the answer key.

A stub that still returns ``...`` is "not tried yet" and never an error, so a notebook runs
from top to bottom before anyone has solved a thing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np

from bertattn import surface, words
from bertattn.heads import AttentionHead

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
    """

    key: Callable[..., Any]
    inputs: Callable[[np.random.Generator], tuple]
    praise: str


NOT_TRIED = Verdict(None, "not tried yet")


def check(name: str, attempt: Any) -> Verdict:
    """Compare an attempt with the package, on twenty random inputs if it is a function.

    Args:
        name: The exercise, as the notebook names it.
        attempt: The function or the answer; ``...`` is a stub.

    Raises:
        KeyError: If there is no such exercise.

    Example:
        >>> check("head name", ...)
        not tried yet
        >>> check("head name", "8-10")
        right
        >>> check("to previous", lambda weights: weights.trace())
        not yet: for an input of 6 the answer has ... wanted ...
    """
    if name in ANSWERS:
        return _check_answer(name, attempt)
    if name not in FUNCTIONS:
        known = ", ".join(sorted([*ANSWERS, *FUNCTIONS]))
        raise KeyError(f"no exercise {name!r}; there are: {known}")
    if isinstance(attempt, EllipsisType):
        return NOT_TRIED
    return next(
        _faults(FUNCTIONS[name], attempt), Verdict(True, f"right: {FUNCTIONS[name].praise}")
    )


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


def _faults(exercise: Exercise, attempt: Callable[..., Any]) -> Iterator[Verdict]:
    rng = np.random.default_rng(0)
    for _ in range(N_TRIALS):
        arguments = exercise.inputs(rng)
        before = [np.copy(argument) for argument in arguments]
        try:
            with np.errstate(all="ignore"):
                got = attempt(*arguments)
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


def _map(rng: np.random.Generator, n: int | None = None) -> np.ndarray:
    n = n or int(rng.integers(3, 9))
    return rng.dirichlet(np.full(n, 0.5), size=n)


def _one_map(rng: np.random.Generator) -> tuple:
    return (_map(rng, 3 if rng.random() < 0.1 else None),)


def _map_and_columns(rng: np.random.Generator) -> tuple:
    weights = _map(rng)
    return weights, rng.random(len(weights)) < (1.0 if rng.random() < 0.2 else 0.4)


def _with_zeros(rng: np.random.Generator) -> tuple:
    weights = _map(rng)
    weights[rng.integers(len(weights))] = np.eye(len(weights))[0]
    return (weights,)


def _map_and_units(rng: np.random.Generator) -> tuple:
    weights = _map(rng)
    steps = rng.random(len(weights)) < 0.6
    steps[0] = False
    return weights, np.cumsum(steps)


def _tree(rng: np.random.Generator) -> tuple:
    n_words = int(rng.integers(3, 9))
    governors = rng.integers(-1, n_words, n_words)
    return governors, int(rng.integers(-2, 3)) or 1


def _accuracies(rng: np.random.Generator) -> tuple:
    return (rng.random((int(rng.integers(2, 5)), int(rng.integers(2, 5)))),)


def _guesses(rng: np.random.Generator) -> tuple:
    n_sentences, n_words = int(rng.integers(3, 7)), int(rng.integers(2, 5))
    governors = rng.integers(0, n_words, (n_sentences, n_words))
    guesses = np.where(rng.random(governors.shape) < 0.7, governors, 0)
    return guesses, governors, rng.permutation(n_sentences)


def _entities(rng: np.random.Generator) -> tuple:
    entities = rng.integers(0, 3, int(rng.integers(3, 9)))
    entities[-1] = entities[0]  # so that one mention at least has an antecedent
    return (entities,)


def _two_tables(rng: np.random.Generator) -> tuple:
    shape = (int(rng.integers(2, 5)), int(rng.integers(2, 5)))
    return rng.random(shape), rng.random(shape)


def _nearest_mention(entities: np.ndarray) -> float:
    asked = [i for i in range(len(entities)) if entities[i] in entities[:i]]
    return float(np.mean([entities[i] == entities[i - 1] for i in asked]))


FUNCTIONS = {
    "nearest mention": Exercise(
        _nearest_mention,
        _entities,
        "only mentions with an antecedent are asked, and only the one just before is looked at",
    ),
    "better on names": Exercise(
        lambda on_names, on_all: np.array(
            np.unravel_index((on_names - on_all).argmax(), on_all.shape)
        ),
        _two_tables,
        "a head that is good at everything is no head for names",
    ),
    "offset baseline": Exercise(
        lambda governors, offset: (
            np.mean(
                governors[governors >= 0] == (np.arange(len(governors)) + offset)[governors >= 0]
            )
            if (governors >= 0).any()
            else 0.0
        ),
        _tree,
        "a word's guess is its own place plus the offset, and the root is not asked",
    ),
    "best head": Exercise(
        lambda accuracy: np.array(np.unravel_index(accuracy.argmax(), accuracy.shape)),
        _accuracies,
        "the largest entry's layer and head, counted from 0; add 1 to both for print",
    ),
    "swapped": Exercise(
        lambda guesses, governors, order: np.mean(guesses[order] == governors),
        _guesses,
        "what a head finds with another sentence's map, it finds by position",
    ),
    "most attended": Exercise(
        lambda weights: weights.argmax(axis=1),
        _one_map,
        "a row says where a token looks, so its largest entry is along axis 1",
    ),
    "merge words": Exercise(
        words.unit_weights,
        _map_and_units,
        "columns are summed and rows are averaged, so rows still sum to 1",
    ),
    "to previous": Exercise(
        lambda weights: surface.at_offset(weights, -1),
        lambda rng: (_map(rng, 3),) if rng.random() < 0.2 else (_map(rng),),
        "row i, column i - 1; the first token has no previous one but still counts in n",
    ),
    "to columns": Exercise(
        lambda weights, columns: weights[:, columns].sum() / len(weights),
        _map_and_columns,
        "the sum of the chosen columns, averaged over all rows",
    ),
    "entropy": Exercise(
        lambda weights: surface.entropy(weights, smoothing=0.0),
        _with_zeros,
        "0 for a row that looks at one token, ln n for a row that looks at all alike",
    ),
    "from others": Exercise(
        lambda weights, columns: (
            weights[~columns][:, columns].sum() / max(int((~columns).sum()), 1)
        ),
        _map_and_columns,
        "rows that are not separators, columns that are; the average is over those rows only",
    ),
}
ANSWERS: dict[str, tuple[Any, str]] = {
    "head name": (
        str(AttentionHead(7, 9)),
        "code counts from 0, print from 1: add 1 to both; the answer is a text",
    ),
    "row sum": (1, "weights are taken after the softmax: what do its outputs sum to?"),
    "chance": (2 / 128, "two of 128 tokens, and every token gets the same share"),
}
