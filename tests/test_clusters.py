"""Section 6, on hand-made maps: the divergence and its reducer beside a slow loop."""

from math import log

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bertattn import clusters
from bertattn.attention import Kind
from bertattn.clusters import DistanceSums, Options
from bertattn.clusters.jensen_shannon import FIRST, feature_weights
from bertattn.clusters.sums import N_GROUPS
from bertattn.reducer import Batch
from tests.test_surface import tokens_of

EXACT = 1e-5


def slow_divergence(p, q):
    """Of two rows, as the paper defines it: both relative entropies to the average, halved."""
    total = 0.0
    for a, b in zip(p, q, strict=True):
        m = (a + b) / 2
        total += (a * log(a / m) if a else 0.0) + (b * log(b / m) if b else 0.0)
    return total / 2


def slow_rows(weights, kinds, options):
    """One head's rows of one input: smoothed, then without the sink; None if nothing is left."""
    n = len(kinds)
    gone = {"none": [], "start": [Kind.START], "separator": [Kind.SEPARATOR],
            "both": [Kind.START, Kind.SEPARATOR], "first": []}[options.without]  # fmt: skip
    kept = [j for j in range(n) if kinds[j] not in gone]
    if options.without == "first":
        kept = list(range(1, n))
    rows = []
    for i in range(n):
        row = [(1 - options.smoothing) * weights[i][j] + options.smoothing / n for j in kept]
        rows.append([share / sum(row) for share in row] if row else None)
    return rows


def slow_distances(inputs, maps, options):
    """The mean divergence of all pairs of heads, by loops."""
    n_layers, n_heads = maps[0].shape[:2]
    n = n_layers * n_heads
    sums, n_rows = np.zeros((n, n)), 0
    for kinds, weights in zip(inputs, maps, strict=True):
        rows = [
            slow_rows(w.tolist(), kinds, options) for w in weights.reshape(n, *weights.shape[2:])
        ]
        n_rows += sum(row is not None for row in rows[0])
        for a in range(n):
            for b in range(n):
                for p, q in zip(rows[a], rows[b], strict=True):
                    sums[a, b] += slow_divergence(p, q) if p is not None else 0.0
    return sums / n_rows if n_rows else None


def summed(inputs, maps, options=None, as_array=np.asarray, documents=None):
    """All inputs through the reducer as one padded batch; junk stands in rows of padding."""
    n_layers, n_heads = maps[0].shape[:2]
    documents = documents or list(range(len(inputs)))
    batch = Batch.of([tokens_of(k, d) for k, d in zip(inputs, documents, strict=True)], as_array)
    sums = DistanceSums.empty(n_layers, n_heads, options or Options())
    for layer in range(n_layers):
        padded = np.zeros((len(inputs), n_heads, *batch.kinds.shape[1:] * 2), dtype=np.float32)
        for row, (kinds, weights) in enumerate(zip(inputs, maps, strict=True)):
            n = len(kinds)
            padded[row, :, :n, :n] = weights[layer]
            padded[row, :, n:, :n] = 1 / n
        sums.update(layer, as_array(padded), batch)
    return sums


@st.composite
def streams(draw):
    """Maps of several inputs, unequal in length, some of them sharp, and their kinds."""
    kinds = st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=1, max_size=7)
    inputs = draw(st.lists(kinds, min_size=1, max_size=4))
    seed = draw(st.integers(0, 2**32 - 1))
    return inputs, maps_of(inputs, seed, draw(st.sampled_from([0.01, 0.3, 5.0])))


def maps_of(inputs, seed=0, sharpness=0.3, shape=(2, 2)):
    rng = np.random.default_rng(seed)
    return [rng.dirichlet(np.full(len(k), sharpness) + 1e-6, size=(*shape, len(k))) for k in inputs]


SINKS = ("none", "start", "separator", "both", "first")


# the divergence ---------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 2, 3, 17, 128, 300]),
    sharpness=st.sampled_from([0.01, 0.3, 5.0]),
    smoothing=st.sampled_from([0.0, 1e-5, 1e-3, 0.1]),
)
def test_all_pairs_at_once_equal_the_definition(seed, n, sharpness, smoothing):
    rng = np.random.default_rng(seed)
    rows = np.concatenate(
        [rng.dirichlet(np.full(n, sharpness) + 1e-6, size=4), [np.eye(n)[0], np.full(n, 1 / n)]]
    )
    rows = (1 - smoothing) * rows + smoothing / n
    got = clusters.between_heads(rows[:, None].astype(np.float32), smoothing)
    expected = [[slow_divergence(p, q) for q in rows.tolist()] for p in rows.tolist()]
    np.testing.assert_allclose(got, expected, rtol=0, atol=EXACT)
    by_formula = clusters.divergence(rows[:, None], rows[None])
    np.testing.assert_allclose(by_formula, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("n", "smoothing"), [(2, 0.0), (16, 1e-3), (128, 0.0), (128, 1e-3), (512, 0.3), (1024, 1e-4)]
)
def test_no_weight_is_below_0_and_no_row_can_be_off_by_more_than_the_promise(n, smoothing):
    """The error of a pair of shares is held against p + q + 2/n, which add up to 4 over a row."""
    weights = feature_weights(n, smoothing)
    assert (weights >= 0).all()
    shares = np.geomspace(max(smoothing, 1e-4) / n, 1, 97)
    p, q = (side.ravel() for side in np.meshgrid(shares, shares))
    t = FIRST * 2.0 ** np.arange(len(weights) - 1)
    features = (np.exp(-np.outer(p, t)) - np.exp(-np.outer(q, t))) ** 2
    got = weights[0] * (p - q) ** 2 + features @ weights[1:]
    exact = (p * np.log(2 * p / (p + q)) + q * np.log(2 * q / (p + q))) / 2
    assert 4 * (abs(got - exact) / (p + q + 2 / n)).max() < EXACT


def test_a_row_and_itself_are_0_apart_and_rows_without_a_common_token_ln_2():
    rows = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0, 0.5, 0.5, 0]], dtype=np.float32)
    got = clusters.between_heads(rows[:, None], 0.0)
    np.testing.assert_allclose(got, np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]]) * log(2), atol=1e-5)
    assert clusters.divergence(rows[0], rows[2]) == pytest.approx(log(2))


def test_torch_gives_what_numpy_gives():
    rows = np.random.default_rng(0).dirichlet(np.ones(9), size=(5, 4)).astype(np.float32)
    got = clusters.between_heads(torch.as_tensor(rows), 1e-3)
    np.testing.assert_allclose(got, clusters.between_heads(rows, 1e-3), atol=1e-6)


def test_rows_are_taken_in_steps(monkeypatch):
    rows = np.random.default_rng(0).dirichlet(np.ones(9), size=(5, 7)).astype(np.float32)
    whole = clusters.between_heads(rows, 1e-3)
    monkeypatch.setattr("bertattn.clusters.jensen_shannon.CACHED_SHARES", 100)
    np.testing.assert_allclose(clusters.between_heads(rows, 1e-3), whole, atol=1e-6)


# the reducer ------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(stream=streams(), sink=st.sampled_from(SINKS), smoothing=st.sampled_from([1e-3, 0.05]))
@pytest.mark.parametrize("as_array", [np.asarray, torch.from_numpy], ids=["numpy", "torch"])
def test_the_reducer_equals_the_slow_loop(as_array, stream, sink, smoothing):
    inputs, maps = stream
    options = Options(smoothing=smoothing, without=sink)
    expected = slow_distances(inputs, maps, options)
    sums = summed(inputs, maps, options, as_array)
    n_tokens = sum(map(len, inputs))
    assert sums.n_rows.sum() + sums.left_out["rows_of_the_sink_alone"] == n_tokens
    if expected is None:
        with pytest.raises(ValueError, match="no row was measured"):
            sums.result()
    else:
        np.testing.assert_allclose(sums.result().matrix, expected, rtol=0, atol=EXACT)


def test_without_smoothing_the_reducer_equals_the_slow_loop_too():
    inputs = [[2, 0, 1, 3], [0, 0]]
    maps = maps_of(inputs, sharpness=0.05)
    options = Options(smoothing=0.0)
    got = summed(inputs, maps, options).result().matrix
    np.testing.assert_allclose(got, slow_distances(inputs, maps, options), rtol=0, atol=EXACT)


def test_a_segment_of_512_tokens_equals_the_definition():
    maps = maps_of([[0] * 512], sharpness=0.05, shape=(1, 3))
    got = summed([[0] * 512], maps).result().matrix
    rows = 0.999 * maps[0][0] + 0.001 / 512
    expected = clusters.divergence(rows[:, None], rows[None]).mean(axis=-1)
    np.testing.assert_allclose(got, expected, rtol=0, atol=EXACT)


@settings(max_examples=30, deadline=None)
@given(stream=streams())
def test_distances_are_symmetric_0_on_themselves_and_at_most_ln_2(stream):
    matrix = summed(*stream).result().matrix
    assert np.array_equal(matrix, matrix.T)
    assert (np.diag(matrix) == 0).all()
    assert (matrix >= 0).all()
    assert matrix.max() <= log(2)


@settings(max_examples=20, deadline=None)
@given(stream=streams())
def test_the_root_obeys_the_triangle_inequality(stream):
    root = summed(*stream).result().root
    around = (root[:, :, None] + root[None]).min(axis=1)
    assert (root <= around + 1e-5).all()


@pytest.mark.parametrize("rows", [1.0, 0.3])
def test_neither_order_nor_company_of_inputs_matters(rows):
    inputs = [[2, 0, 1, 0, 0, 3], [2, 0, 3], [0, 0, 0, 0], [2, 1, 0]]
    maps = maps_of(inputs)
    options = Options(rows=rows)
    whole = summed(inputs, maps, options)
    backwards = summed(inputs[::-1], maps[::-1], options, documents=[3, 2, 1, 0])
    alone = [summed([inputs[i]], [maps[i]], options, documents=[i]) for i in range(4)]
    added = alone[0] + alone[1] + alone[2] + alone[3]
    for other in (backwards, added):
        assert np.array_equal(whole.n_rows, other.n_rows)
        np.testing.assert_allclose(whole.sums, other.sums, atol=1e-5)
    assert added.n_inputs == whole.n_inputs == 4


def test_documents_beyond_the_last_group_join_the_first():
    inputs, maps = [[0, 0], [0, 0]], maps_of([[0, 0], [0, 0]])
    sums = summed(inputs, maps, documents=[1, N_GROUPS + 1])
    assert np.flatnonzero(sums.n_rows).tolist() == [1]
    assert sums.n_rows[1] == 4


def test_an_addition_changes_neither_part():
    one = summed([[2, 0, 3]], maps_of([[2, 0, 3]]))
    before = one.sums.copy()
    _ = one + one
    assert np.array_equal(one.sums, before)


def test_maps_are_not_changed():
    weights = np.full((1, 1, 3, 3), 1 / 3, dtype=np.float32)
    DistanceSums.empty(1, 1, Options(without="start")).update(
        0, weights, Batch.of([tokens_of([2, 0, 3])])
    )
    assert np.array_equal(weights, np.full((1, 1, 3, 3), 1 / 3, dtype=np.float32))


def test_sums_survive_a_file(tmp_path):
    options = Options(smoothing=0.01, rows=0.5, without="both")
    sums = summed([[2, 0, 3, 0], [2, 3]], maps_of([[2, 0, 3, 0], [2, 3]]), options)
    sums.save(tmp_path / "deep" / "sums.npz")
    loaded = DistanceSums.load(tmp_path / "deep" / "sums.npz")
    for name in ("sums", "n_rows"):
        assert np.array_equal(getattr(loaded, name), getattr(sums, name))
    assert (loaded.options, loaded.n_layers, loaded.n_inputs) == (options, 2, 2)
    assert loaded.left_out == sums.left_out == {"rows_of_the_sink_alone": 1}


def test_sums_of_other_kinds_are_not_added():
    one = DistanceSums.empty(2, 3)
    with pytest.raises(ValueError, match="of other options or of another model cannot be added"):
        _ = one + DistanceSums.empty(2, 3, Options(rows=0.5))
    with pytest.raises(ValueError, match="of other options or of another model cannot be added"):
        _ = one + DistanceSums.empty(3, 2)


def test_nothing_measured_is_an_error():
    with pytest.raises(ValueError, match="no row was measured: the corpus gave no input"):
        DistanceSums.empty(1, 1).result()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"smoothing": 1.0}, "wanted a smoothing from 0 to less than 1, got 1.0"),
        ({"smoothing": -0.1}, "wanted a smoothing from 0 to less than 1, got -0.1"),
        ({"rows": 0.0}, "wanted a share of rows above 0 and up to 1, got 0.0"),
        ({"rows": 1.5}, "wanted a share of rows above 0 and up to 1, got 1.5"),
        ({"smoothing": 0.0, "without": "start"}, "give a smoothing above 0, such as the paper's"),
    ],
)
def test_options_out_of_range_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Options(**wrong)


def test_an_unknown_sink_names_those_there_are(monkeypatch):
    """Types are not checked outside the tests, so the value is."""
    unchecked = object.__new__(Options)
    for name, value in {"smoothing": 0.1, "rows": 1.0, "without": "last", "row_seed": 0}.items():
        object.__setattr__(unchecked, name, value)
    with pytest.raises(ValueError, match=r"wanted a sink of 'none', 'start', .*, got 'last'"):
        Options.__post_init__(unchecked)


# without the sink -------------------------------------------------------------------------------


def test_heads_that_share_a_sink_alone_are_far_apart_without_it():
    """Nine tenths go to the start token; what is left goes to other places in each head."""
    kinds = [2, 0, 0, 0, 0]
    one, other = np.full((2, 5, 5), 1e-9)
    one[:, 0] = other[:, 0] = 0.9
    one[:, 1:3], other[:, 3:] = 0.05, 0.05
    maps = [np.stack([one, other])[None]]
    with_sink = summed([kinds], maps).result().matrix[0, 1]
    without = summed([kinds], maps, Options(without="start")).result().matrix[0, 1]
    assert with_sink == pytest.approx(0.1 * log(2), abs=3e-3)
    assert without > 0.9 * log(2)


def test_rows_that_put_all_on_the_sink_are_alike_without_it():
    kinds = [2, 0, 0]
    on_start = np.tile(np.eye(3)[0], (3, 1))
    spread = np.tile([0.5, 0.25, 0.25], (3, 1))
    got = summed([kinds], [np.stack([on_start, spread])[None]], Options(without="start"))
    assert got.result().matrix[0, 1] == pytest.approx(0, abs=EXACT)


def test_the_first_position_is_a_sink_for_models_without_a_start_token():
    inputs = [[0, 0, 1]]
    maps = maps_of(inputs)
    by_kind = summed([[2, 0, 1]], maps, Options(without="start")).result().matrix
    by_place = summed(inputs, maps, Options(without="first")).result().matrix
    np.testing.assert_allclose(by_place, by_kind, atol=1e-7)


def test_inputs_without_the_sink_are_counted():
    inputs = [[0, 0, 0], [2, 0, 3], [0, 0]]
    for sink, expected in (("none", 0), ("start", 2), ("both", 2), ("first", 0)):
        sums = summed(inputs, maps_of(inputs), Options(without=sink))
        assert sums.left_out["inputs_without_the_sink"] == expected


def test_an_input_of_sinks_alone_is_counted_and_adds_nothing():
    inputs = [[2, 3], [2, 0, 3]]
    sums = summed(inputs, maps_of(inputs), Options(without="both"))
    assert sums.left_out == {"rows_of_the_sink_alone": 2}
    assert sums.n_rows.tolist()[:2] == [0, 3]
    assert (sums.sums[0] == 0).all()


# a share of the rows ----------------------------------------------------------------------------


def test_sampled_rows_are_spread_and_each_is_as_likely():
    taken = np.zeros(40)
    for seed in range(2000):
        rows = clusters.sampled_rows(tokens_of([0] * 40), 0.25, seed)
        assert len(rows) == 10
        assert set(np.diff(rows)) == {4}
        taken[rows] += 1
    np.testing.assert_allclose(taken / 2000, 0.25, atol=0.04)


def test_one_row_in_ten_of_a_short_input_is_sometimes_none():
    counts = [len(clusters.sampled_rows(tokens_of([0] * 4), 0.1, seed)) for seed in range(500)]
    assert set(counts) == {0, 1}
    assert np.mean(counts) == pytest.approx(0.4, abs=0.07)


def test_an_input_of_which_no_row_is_taken_is_no_error():
    sums = DistanceSums.empty(1, 2, Options(rows=1e-9))
    sums.update(0, np.full((1, 2, 4, 4), 0.25, dtype=np.float32), Batch.of([tokens_of([0] * 4)]))
    assert sums.n_rows.sum() == 0
    assert sums.n_inputs == 1


def test_sampled_rows_come_near_all_rows():
    inputs = [[0] * 60 for _ in range(30)]
    maps = maps_of(inputs)
    full = summed(inputs, maps).result().matrix
    some = summed(inputs, maps, Options(rows=0.25)).result()
    assert some.n_rows.sum() == 30 * 15
    np.testing.assert_allclose(clusters.pairs(some.matrix), clusters.pairs(full), rtol=0.1)
    inside = (some.estimate.low <= full) & (full <= some.estimate.high)
    assert inside[np.triu_indices(4, 1)].mean() > 0.8
