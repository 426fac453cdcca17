import ast
import re

import numpy as np
import pytest

from bertattn import exercises
from bertattn.exercises import ANSWERS, FUNCTIONS, check, predict
from bertattn.exercises.verdicts import NOT_TRIED
from tests.sources import SOURCES, exercise_cells, solutions


def merge(weights, unit_of):
    n = unit_of.max() + 1
    merged = np.zeros((n, n))
    for u in range(n):
        for v in range(n):
            merged[u, v] = weights[unit_of == u][:, unit_of == v].sum(axis=1).mean()
    return merged


def entropy(weights):
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=1)


def at_offset(governors, offset):
    asked = [i for i, governor in enumerate(governors) if governor >= 0]
    return sum(governors[i] == i + offset for i in asked) / max(len(asked), 1)


def largest(accuracy):
    return max(np.ndindex(accuracy.shape), key=lambda place: accuracy[place])


def divergence(first, second):
    middle = (first + second) / 2
    return (entropy(middle[None]) - (entropy(first[None]) + entropy(second[None])) / 2).item()


def surprise(here, usual, n):
    return n * sum(p * np.log(p / u) for p, u in zip(here, usual, strict=True) if p > 0)


def cosines(before, after):
    pairs = zip(before, after, strict=True)
    return np.array([b @ a / np.sqrt((b @ b) * (a @ a)) for b, a in pairs])


class Recorder:
    """Stands for ``exercises`` while a solved cell runs, and notes what it hands in."""

    def __init__(self):
        self.attempts, self.guesses = {}, {}

    def check(self, name, attempt):
        assert name not in self.attempts
        self.attempts[name] = attempt

    def predict(self, question, guess):
        assert question not in self.guesses
        self.guesses[question] = guess


@pytest.fixture(scope="module")
def solved():
    """All that the marked solutions of the sources hand in."""
    recorder = Recorder()
    for source in SOURCES:
        for cell in exercise_cells(source, lambda marked: marked):
            if solutions.BEGIN in cell.source:
                names = {"np": np, "exercises": recorder}
                exec(compile(solutions.shown(cell.source), source.name, "exec"), names)
    return recorder


def asked(call):
    """What each source asks by ``exercises.check`` or another call, and in which source."""
    for source in SOURCES:
        for cell in exercise_cells(source):
            for name in re.findall(rf"exercises\.{call}\(\s*\"([^\"]+)\"", cell.source):
                yield name, source.stem


def test_every_exercise_is_asked_in_one_notebook():
    names = [name for name, _ in asked("check")]
    assert sorted(names) == sorted([*FUNCTIONS, *ANSWERS])


def test_every_exercise_has_a_solution_in_its_source(solved):
    assert set(solved.attempts) == {*FUNCTIONS, *ANSWERS}


@pytest.mark.parametrize("name", [*FUNCTIONS, *ANSWERS])
def test_a_solution_written_apart_from_the_key_is_right(name, solved):
    verdict = check(name, solved.attempts[name])
    assert verdict.right is True, verdict
    assert repr(verdict).startswith("right")


def test_every_guess_is_revealed_in_its_notebook(solved):
    guessed = list(asked("predict"))
    assert guessed == list(asked("reveal"))
    assert set(solved.guesses) == {question for question, _ in guessed}
    assert {source for _, source in guessed} == {source.stem for source in SOURCES}
    for question, guess in solved.guesses.items():
        assert predict(question, guess).text == f"noted: {guess}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_what_a_student_gets_is_not_tried_yet(source):
    for cell in exercise_cells(source):
        if "exercises.reveal" not in cell.source:
            *before, last = ast.parse(cell.source).body
            names = {"np": np, "exercises": exercises}
            exec(compile(ast.Module(before, []), source.name, "exec"), names)
            shown = eval(compile(ast.Expression(last.value), source.name, "eval"), names)
            assert repr(shown) == "not tried yet", cell.source


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
    "norm shares": lambda weights, values, output: weights * np.linalg.norm(values, axis=1),
    "rollout": lambda maps: (
        np.linalg.multi_dot([np.eye(maps.shape[-1]), *maps]) if len(maps) > 1 else maps[0]
    ),
    "rows apart": lambda weights: abs(weights - weights.mean(axis=1, keepdims=True)).sum(),
    "knock out": lambda outputs, index, mean: (
        outputs * (np.arange(outputs.shape[1]) != index)[:, None]
    ),
    "gate": lambda weights, gradients: abs(weights * gradients).sum(axis=(1, 2)),
    "as much": lambda draws, cost: (draws >= cost).mean(),
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
    said, given = check("offset baseline", lambda governors, offset: 1 / 0).text.splitlines()
    assert said == "not yet: your function raised ZeroDivisionError: division by zero"
    assert re.fullmatch(r"it was given governors = \[[-\d, ]+\], offset = -?\d", given)


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
        match="no exercise 'entropie'; there are: as much, at other depths, best head, better on",
    ):
        check("entropie", ...)


def test_a_verdict_reads_as_its_text():
    assert repr(NOT_TRIED) == "not tried yet"
