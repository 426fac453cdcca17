"""What the checks of exercises say about an attempt that is wrong, or that never ends."""

import contextlib
import re
import signal
import threading
import time

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from bertattn import surface
from bertattn.exercises import check, verdicts
from bertattn.exercises.diagnoses import diagnosis
from bertattn.exercises.limits import OutOfTime, at_most
from bertattn.exercises.trials import Trial, as_call, shown
from tests.conftest import ROOT


def never(*_):
    while True:
        pass


def never_but_careful(*_):
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.001)


def from_another_thread(function):
    """What a function returns that runs in a thread of its own."""
    returned = []
    thread = threading.Thread(target=lambda: returned.append(function()), daemon=True)
    thread.start()
    thread.join(20)
    return returned[0]


@pytest.mark.parametrize("endless", [never, never_but_careful])
@pytest.mark.parametrize("where", [lambda f: f(), from_another_thread])
def test_a_function_that_never_ends_is_stopped(endless, where):
    verdict = where(lambda: check("entropy", endless, seconds=0.1))
    assert verdict.right is False
    said = "not yet: your function took longer than 0.1 s; is there a loop that never ends?"
    assert verdict.text.startswith(said)


def test_without_alarms_a_thread_stops_it(monkeypatch):
    monkeypatch.delattr(signal, "setitimer")  # as on Windows
    assert "took longer" in check("entropy", never, seconds=0.1).text
    assert check("entropy", never, seconds=0.1).right is False


IN_A_KERNEL = """from bertattn import exercises

def never(weights):
    while True:
        pass

exercises.check("entropy", never, seconds=0.2)"""


@pytest.mark.filterwarnings("ignore")  # zmq has its own
def test_in_a_kernel_it_is_stopped_and_the_next_cell_runs():
    cells = [nbformat.v4.new_code_cell(source) for source in (IN_A_KERNEL, "1 + 1")]
    resources = {"metadata": {"path": str(ROOT)}}
    NotebookClient(nbformat.v4.new_notebook(cells=cells), resources=resources).execute()
    said, two = (cell.outputs[0].data["text/plain"] for cell in cells)
    assert said.startswith("not yet: your function took longer than 0.2 s")
    assert two == "2"


def test_an_alarm_ends_a_sleep():
    began = time.monotonic()
    assert "took longer" in check("entropy", lambda weights: time.sleep(30), seconds=0.1).text
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("where", [lambda f: f(), from_another_thread])
def test_what_ends_in_time_is_left_alone_ever_after(where):
    def twice():
        with at_most(0.2):
            first = sum(range(1000))
        time.sleep(0.5)
        return first

    assert where(twice) == 999 * 500


def test_an_alarm_of_somebody_else_still_rings():
    rung = []
    theirs = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with at_most(5.0):
            pass
        until = time.monotonic() + 10
        while not rung and time.monotonic() < until:
            time.sleep(0.01)
        assert rung
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, theirs)


def test_a_stop_is_no_exception_that_careful_code_catches():
    assert not issubclass(OutOfTime, Exception)


def test_a_wrong_answer_is_shown_on_a_small_input_that_can_be_pasted():
    wrong = check("to previous", lambda weights: np.trace(weights, offset=-1))
    _, given, answers = wrong.text.splitlines()
    weights = np.array(eval(re.fullmatch(r"for weights = (.*)", given)[1]))
    returned, wanted = re.fullmatch(r"you return (\S+), wanted (\S+)", answers).groups()
    assert weights.shape == (3, 3)
    assert float(returned) == pytest.approx(np.trace(weights, offset=-1), abs=2e-3)
    assert float(wanted) == pytest.approx(surface.at_offset(weights, -1), abs=2e-3)


def test_the_input_shown_is_one_that_goes_wrong():
    def wrong_from_five_on(weights):
        largest = weights.argmax(axis=1)
        return largest if len(weights) < 5 else largest + 1

    assert check("most attended", wrong_from_five_on).text.startswith(
        "not yet: for an input of 5 the answer has"
    )


def test_a_smaller_input_than_the_first_is_looked_for(monkeypatch):
    def shown_input():
        return check("logit gradient", lambda weights, by: weights).text.splitlines()[-2]

    found = shown_input()
    monkeypatch.setattr(verdicts, "N_SMALLER", 0)
    assert len(found) < len(shown_input())


SAID = {
    "transposed": ("merge words", lambda w, u: right_merge(w, u).T),
    "transposed map": ("most attended", lambda w: w.argmax(axis=0)),
    "counts from 1": ("most attended", lambda w: w.argmax(axis=1) + 1),
    "opposite order": ("largest of a stream", lambda values, n: sorted(values)[-n:]),
    "its sign": ("entropy", lambda w: (w * np.log(np.where(w > 0, w, 1))).sum(axis=1)),
    "1 minus": ("to columns", lambda w, c: 1 - w[:, c].sum() / len(w)),
    "not a number": ("entropy", lambda w: -(w * np.log(w)).sum(axis=1)),
    "off by one position": ("entropy", lambda w: np.roll(right_entropy(w), 1)),
    "1.443 times": ("entropy", lambda w: right_entropy(w) / np.log(2)),
    "rows do not sum to 1": ("taken away", lambda w, c: w * (np.arange(len(w)) != c)),
}


def right_entropy(weights):
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=1)


def right_merge(weights, unit_of):
    member = np.equal.outer(np.arange(unit_of.max() + 1), unit_of)
    return member / member.sum(axis=1, keepdims=True) @ weights @ member.T


@pytest.mark.parametrize("said", SAID)
def test_a_usual_mistake_is_named(said):
    name, attempt = SAID[said]
    (why,) = (
        line for line in check(name, attempt).text.splitlines() if line.startswith("perhaps: ")
    )
    assert said in why


def test_an_unusual_mistake_gets_no_name():
    odd = lambda weights: right_entropy(weights) + 0.1 * np.arange(len(weights)) ** 2  # noqa: E731
    assert "perhaps" not in check("entropy", odd).text


def trial(got, wanted, *arguments):
    return Trial(arguments or (np.zeros(2),), np.asarray(got, float), np.asarray(wanted, float))


def test_a_mistake_must_explain_every_wrong_answer():
    one, other = trial(-1, 1), trial(-2, 2)
    assert diagnosis([one, other], lambda a: a) == "its sign is turned around"
    assert diagnosis([one, trial(5, 2)], lambda a: a) == ""


def test_a_factor_needs_three_answers():
    some = [trial(2 * value, value) for value in (0.3, 0.4, 0.7)]
    assert diagnosis(some[:2], lambda a: a) == ""
    assert diagnosis(some, lambda a: a) == "it is 2 times what is wanted"


def test_shapes_that_differ_get_no_name():
    assert diagnosis([trial([1, 2], [1, 2, 3])], lambda a: a) == ""


def test_numbers_are_written_as_a_reader_would():
    assert shown(np.array([[0.25, -0.0], [1 / 3, 1.0]])) == "[[0.25, 0], [0.333, 1]]"
    assert shown(np.array([True, False])) == "[True, False]"
    assert shown(7) == "7"


def test_arguments_have_the_names_that_the_attempt_gives_them():
    assert as_call(lambda a, b=2: 0, (1, 2)) == "a = 1, b = 2"
    assert as_call(lambda *both: 0, (1, 2)) == "1, 2"
    assert as_call(lambda a: 0, (1, 2)) == "1, 2"
