import weakref

import numpy as np
import pytest

from bertattn import measure
from bertattn.segments import Segments, Sentences
from bertattn.surface import SurfaceSums


def run(inputs, model, **options):
    sums = SurfaceSums.empty(*model.shape)
    n_inputs = measure.measure(inputs, model, sums, **options)
    return n_inputs, sums


def test_batches_hold_every_input_once_longest_first(articles, encoder):
    inputs = list(Sentences(articles * 5, encoder))
    grouped = list(measure.batches(inputs, batch_pieces=60, window_pieces=90))
    assert sorted(id(t) for b in grouped for t in b) == sorted(map(id, inputs))
    assert all(len(b) * max(map(len, b)) <= 60 for b in grouped)
    assert all(len(b[0]) == max(map(len, b)) for b in grouped)


def test_an_input_longer_than_a_batch_is_run_alone(articles, encoder):
    inputs = list(Sentences(articles, encoder))
    assert all(len(b) == 1 for b in measure.batches(inputs, batch_pieces=1))


@pytest.mark.parametrize("batch_pieces", [20, 100, 1000])
def test_how_inputs_are_batched_does_not_matter(articles, tiny_model, batch_pieces):
    inputs = list(Segments(articles, tiny_model.encoder, max_pieces=32))
    _, one_by_one = run(inputs, tiny_model, batch_pieces=1)
    n_inputs, batched = run(inputs, tiny_model, batch_pieces=batch_pieces)
    assert n_inputs == len(inputs)
    assert np.array_equal(batched.counts, one_by_one.counts)
    np.testing.assert_allclose(batched.sums, one_by_one.sums, atol=1e-4)


def test_an_empty_corpus_is_an_error(tiny_model):
    with pytest.raises(ValueError, match="the corpus gave no input; is it empty, or is every"):
        run([], tiny_model)


def test_progress_goes_to_stderr_unless_switched_off(articles, tiny_model, monkeypatch, capsys):
    inputs = list(Sentences(articles, tiny_model.encoder))
    run(inputs, tiny_model)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("BERTATTN_PROGRESS", "1")
    run(inputs, tiny_model, total=len(inputs))
    out, err = capsys.readouterr()
    assert out == ""
    assert f"/{len(inputs)} [" in err


def test_cost_grows_with_the_number_of_inputs(articles, tiny_model):
    inputs = list(Sentences(articles * 30, tiny_model.encoder))
    sums = SurfaceSums.empty(*tiny_model.shape)
    cost = measure.cost(inputs, tiny_model, sums, n_inputs=10_000_000)
    assert cost.seconds > 60
    assert 0.1 < cost.gigabytes < 10
    fewer = measure.cost(inputs, tiny_model, sums, n_inputs=10)
    assert fewer.seconds < 60
    assert str(cost).startswith("10000000 inputs: about ")
    assert str(cost).endswith(" GB of memory")


def test_cost_is_said_in_round_numbers():
    assert str(measure.Cost(3.0, 0.2, 5)) == "5 inputs: less than a minute, up to 1 GB of memory"
    assert str(measure.Cost(200.0, 2.54, 5)) == "5 inputs: about 3 min, up to 3 GB of memory"
    assert str(measure.Cost(9000.0, 2.0, 5)) == "5 inputs: about 2.5 h, up to 2 GB of memory"


def test_cost_of_nothing_is_an_error(tiny_model):
    with pytest.raises(ValueError, match="wanted inputs to measure the cost with, got none"):
        measure.cost([], tiny_model, n_inputs=5)


def test_maps_are_dropped_once_they_were_shown(articles, tiny_model):
    alive = []

    class Watch:
        def update(self, layer, weights, batch):
            alive.append(weakref.ref(weights))
            assert sum(kept() is not None for kept in alive) <= 2

    inputs = list(Sentences(articles * 20, tiny_model.encoder))
    measure.measure(inputs, tiny_model, Watch(), batch_pieces=100)
    assert len(alive) > 20
