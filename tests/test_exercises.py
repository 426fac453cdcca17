import heapq

import numpy as np
import pytest

from bertattn.exercises import ANSWERS, FUNCTIONS, check
from bertattn.exercises.verdicts import NOT_TRIED


def merge(weights, unit_of):
    n = unit_of.max() + 1
    merged = np.zeros((n, n))
    for u in range(n):
        for v in range(n):
            merged[u, v] = weights[unit_of == u][:, unit_of == v].sum(axis=1).mean()
    return merged


def entropy(weights):
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=1)


def from_others(weights, columns):
    rows = weights[~columns]
    return rows[:, columns].sum() / len(rows) if len(rows) else 0.0


def at_offset(governors, offset):
    asked = [i for i, governor in enumerate(governors) if governor >= 0]
    return sum(governors[i] == i + offset for i in asked) / max(len(asked), 1)


def largest(accuracy):
    return max(np.ndindex(accuracy.shape), key=lambda place: accuracy[place])


def before(entities):
    known, right, asked = set(), 0, 0
    last = None
    for entity in entities.tolist():
        asked += entity in known
        right += entity in known and entity == last
        known.add(entity)
        last = entity
    return right / asked if asked else 0.0


def uuas(governors, guesses):
    true = [(w, g) for w, g in enumerate(governors) if g >= 0]
    return sum(guesses[w] == g or guesses[g] == w for w, g in true) / max(len(true), 1)


def divergence(first, second):
    middle = (first + second) / 2
    return (entropy(middle[None]) - (entropy(first[None]) + entropy(second[None])) / 2).item()


def apart(distances, layers):
    within, between = [], []
    for i in range(len(layers)):
        for j in range(i):
            (within if layers[i] == layers[j] else between).append(distances[i, j])
    return np.mean(within) - np.mean(between)


def logit_gradient(weights, gradients):
    """By the softmax's Jacobian, row by row."""
    rows = [
        (np.diag(w) - np.outer(w, w)) @ g for w, g in zip(weights, gradients, strict=True)
    ]  # fmt: skip
    return np.array(rows)


def taken_away(weights, column):
    rows = []
    for row in weights:
        rest = np.where(np.arange(len(row)) == column, 0, row)
        rows.append(rest / rest.sum() if rest.sum() else row)
    return np.array(rows)


def largest_of_a_stream(values, n):
    heap = []
    for value in values:
        if len(heap) < n:
            heapq.heappush(heap, value)
        else:
            heapq.heappushpop(heap, value)
    return sorted(heap, reverse=True)


def surprise(here, usual, n):
    return n * sum(p * np.log(p / u) for p, u in zip(here, usual, strict=True) if p > 0)


def cosines(before, after):
    pairs = zip(before, after, strict=True)
    return np.array([b @ a / np.sqrt((b @ b) * (a @ a)) for b, a in pairs])


SOLUTIONS = {
    "largest of a stream": largest_of_a_stream,
    "change": lambda before, after: 1 - cosines(before, after),
    "surprise": surprise,
    "divergence": divergence,
    "within less between": apart,
    "nearest head": lambda distances, place: distances[place].argsort()[1],
    "probe scores": lambda maps, w, u: sum(
        a * m + b * m.T for m, a, b in zip(maps, w, u, strict=True)
    ),
    "uas": lambda governors, guesses, marks: (
        sum(g == h and not m for g, h, m in zip(governors, guesses, marks, strict=True))
        / max((~marks).sum(), 1)
    ),
    "uuas": uuas,
    "logit gradient": logit_gradient,
    "taken away": taken_away,
    "moved": lambda weights, values: np.linalg.norm(weights[..., None] * values, axis=-1),
    "nearest mention": before,
    "better on names": lambda on_names, on_all: largest(on_names - on_all),
    "offset baseline": at_offset,
    "best head": largest,
    "swapped": lambda guesses, governors, order: (
        sum((guesses[o] == governors[i]).mean() for i, o in enumerate(order)) / len(order)
    ),
    "most attended": lambda weights: np.argmax(weights, axis=1),
    "merge words": merge,
    "to previous": lambda weights: np.trace(weights, offset=-1) / len(weights),
    "to columns": lambda weights, columns: weights[:, columns].sum(axis=1).mean(),
    "entropy": entropy,
    "from others": from_others,
}


def test_every_exercise_has_a_solution_here():
    assert set(SOLUTIONS) == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_solution_written_apart_from_the_key_is_right(name):
    verdict = check(name, SOLUTIONS[name])
    assert verdict.right is True
    assert repr(verdict).startswith("right: ")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_stub_is_not_tried_yet(name):
    assert check(name, lambda *_: ...).right is None
    assert check(name, ...).text == "not tried yet"


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name):
    assert check(name, ...).right is None
    assert check(name, ANSWERS[name][0]).right is True
    wrong = check(name, "wrong")
    assert wrong.right is False
    assert wrong.text.startswith("not yet: ")


WRONG = {
    "largest of a stream": lambda values, n: sorted(values)[-n:],
    "change": cosines,
    "surprise": lambda here, usual, n: surprise(here, usual, 1),
    "probe scores": lambda maps, w, u: np.tensordot(w + u, maps, axes=1),
    "uas": lambda governors, guesses, marks: (governors == guesses).mean(),
    "uuas": lambda governors, guesses: (governors == guesses)[governors >= 0].mean(),
    "divergence": lambda first, second: 2 * divergence(first, second),
    "within less between": lambda distances, layers: (
        distances[np.equal.outer(layers, layers)].mean()
        - distances[~np.equal.outer(layers, layers)].mean()
    ),
    "nearest head": lambda distances, place: distances[place].argmin(),
    "logit gradient": lambda weights, gradients: weights * gradients,
    "taken away": lambda weights, column: weights * (np.arange(len(weights)) != column),
    "moved": lambda weights, values: weights * np.linalg.norm(values, axis=1)[:, None],
    "nearest mention": lambda entities: (entities[1:] == entities[:-1]).mean(),
    "better on names": lambda on_names, on_all: largest(on_names),
    "offset baseline": lambda governors, offset: at_offset(governors, -offset),
    "best head": lambda accuracy: np.add(largest(accuracy), 1),
    "swapped": lambda guesses, governors, order: (guesses == governors).mean(),
    "most attended": lambda weights: weights.argmax(axis=0),
    "merge words": lambda weights, unit_of: merge(weights.T, unit_of),
    "to previous": lambda weights: np.trace(weights, offset=1) / len(weights),
    "to columns": lambda weights, columns: weights[columns].sum() / len(weights),
    "entropy": lambda weights: entropy(weights) / np.log(2),
    "from others": lambda weights, columns: weights[:, columns].sum() / len(weights),
    "depth of a layer": lambda layers, n_layers: layers / n_layers,
    "pieces per word": lambda unit_of, n_words: len(unit_of) / n_words,
    "at other depths": lambda values, n_layers: np.interp(
        np.linspace(0, 1, n_layers), np.linspace(0, 1, len(values)), values
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_likely_mistake_is_told_with_got_and_wanted(name):
    verdict = check(name, WRONG[name])
    assert verdict.right is False
    assert "not yet: for an input of" in verdict.text
    assert "wanted" in verdict.text


def test_numbers_are_compared_to_three_digits():
    assert check("chance", 0.0156).right is True
    assert check("row sum", np.float32(0.9999999)).right is True
    assert check("row sum", np.ones(3)).right is False
    assert check("head name", 8).right is False


def test_an_answer_that_is_no_array_is_told():
    assert "your function raised ValueError" in check("entropy", lambda w: [[1], [1, 2]]).text


@pytest.mark.parametrize(
    ("name", "careless"),
    [
        ("entropy", lambda w: -(w * np.log(w)).sum(axis=1)),
        ("surprise", lambda p, u, n: n * (p * np.log(p / u)).sum()),
        ("from others", lambda w, c: w[~c][:, c].sum() / (~c).sum()),
        ("taken away", lambda w, c: np.delete(w, c, 1).sum(axis=1)[:, None] * w),
    ],
)
def test_a_solution_that_forgets_the_edge_is_not_right(name, careless):
    assert check(name, careless).right is False


def test_a_missing_return_is_told():
    assert "is a return missing?" in check("entropy", lambda weights: None).text


def test_an_exception_is_told():
    verdict = check("entropy", lambda weights: 1 / 0)
    assert verdict.text == "not yet: your function raised ZeroDivisionError: division by zero"


def test_changing_the_argument_is_told():
    def spoils(weights):
        weights[0] = 0
        return entropy(weights)

    assert "changes its argument" in check("entropy", spoils).text


def test_a_wrong_shape_is_told():
    assert "shape (), wanted (" in check("entropy", lambda weights: weights.sum()).text


def test_an_unknown_exercise_names_those_there_are():
    with pytest.raises(
        KeyError,
        match="no exercise 'entropie'; there are: at other depths, best head, better on names",
    ):
        check("entropie", ...)


def test_a_verdict_reads_as_its_text():
    assert repr(NOT_TRIED) == "not tried yet"
