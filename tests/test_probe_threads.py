"""Two things at a time: in order, as one after the other, and no more than what is asked for."""

import time
from threading import Barrier, Event

import numpy as np
import pytest

from bertattn.measure import batches
from bertattn.model import AttentionModel
from bertattn.probes import threads
from bertattn.probes.threads import passes, side_by_side
from bertattn.reducer import KeepMaps
from bertattn.segments import Trees
from tests import probing

SECONDS = 20  # after which a test that waits has failed


@pytest.fixture(scope="module")
def inputs(tiny_model):
    return list(Trees(probing.sentences(400, longest=14), tiny_model.encoder))


def maps_of(model, batch):
    model.run(batch, [keep := KeepMaps()])
    return [one.weights for one in keep.result()]


def test_results_come_in_order_also_if_the_first_is_done_last():
    last = Event()

    def task(number):
        if number == 4:
            last.set()
        assert number or last.wait(SECONDS)
        return number

    assert side_by_side(task, range(5)) == [0, 1, 2, 3, 4]


def test_what_goes_wrong_comes_out():
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda a, b: a / b, [1, 1], [1, 0])


def test_passes_are_those_of_one_after_another(tiny_model, inputs):
    found = list(passes(maps_of, tiny_model, inputs))
    assert [batch for batch, _ in found] == list(batches(inputs))
    assert len(found) > 5
    for batch, maps in found:
        for one, wanted in zip(maps, maps_of(tiny_model, batch), strict=True):
            np.testing.assert_array_equal(one, wanted)


def test_two_passes_run_at_a_time_each_in_a_model_of_its_own(tiny_model, inputs):
    both = Barrier(2)

    def task(model, batch):
        both.wait(SECONDS)  # fails if nobody else is here
        return id(model)

    made = list(batches(inputs))
    of_even = [tokens for batch in made[: len(made) // 2 * 2] for tokens in batch]
    assert len(list(batches(of_even))) % 2 == 0
    assert len({model for _, model in passes(task, tiny_model, of_even)}) == 2


def test_where_a_pass_takes_more_cores_there_is_one_at_a_time(tiny_model, inputs, monkeypatch):
    monkeypatch.setattr(AttentionModel, "n_threads", 2)
    assert {model for _, model in passes(lambda model, _: model, tiny_model, inputs)} == {
        tiny_model
    }


def test_a_pass_that_fails_tells(tiny_model, inputs):
    def task(model, batch):
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        list(passes(task, tiny_model, inputs))


def test_who_stops_early_waits_for_nothing_more(tiny_model, inputs):
    begun = []

    def task(model, batch):
        begun.append(len(batch))
        time.sleep(0.01)

    for _ in passes(task, tiny_model, inputs):
        break
    assert len(begun) <= 1 + 2 * threads.N_THREADS < len(list(batches(inputs)))
