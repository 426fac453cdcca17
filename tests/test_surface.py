from math import log

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bertattn import surface
from bertattn.attention import AttentionMap, Kind, Tokens
from bertattn.reducer import Batch
from bertattn.surface import MEASURES, SurfaceSums


def slow_measures(weights, kinds):
    """Section 3's averages of one head and one input, by loops, as the paper defines them."""
    n = len(kinds)
    every = range(n)
    starts = [i for i in every if kinds[i] == Kind.START]
    separators = [i for i in every if kinds[i] == Kind.SEPARATOR]
    marks = [i for i in every if kinds[i] == Kind.PUNCTUATION]
    others = [i for i in every if i not in separators]

    def flow(sources, targets):
        return sum(weights[i][j] for i in sources for j in targets)

    def row_entropy(i):
        total = 0.0
        for j in every:
            p = 0.9999 * weights[i][j] + 0.0001 / n
            total -= p * log(p)
        return total

    def mean(values):
        return sum(values) / len(values) if values else 0.0

    return {
        "to_self": sum(weights[i][i] for i in every) / n,
        "to_next": sum(weights[i][i + 1] for i in range(n - 1)) / n,
        "to_previous": sum(weights[i][i - 1] for i in range(1, n)) / n,
        "to_first": flow(every, [0]) / n,
        "to_start": flow(every, starts) / n,
        "to_separator": flow(every, separators) / n,
        "to_punctuation": flow(every, marks) / n,
        "from_separator": flow(separators, separators) / len(separators) if separators else 0.0,
        "from_others": flow(others, separators) / len(others) if others else 0.0,
        "entropy": mean([row_entropy(i) for i in every]),
        "start_entropy": mean([row_entropy(i) for i in starts]),
    }


def tokens_of(kinds, document=0):
    kinds = np.array(kinds, dtype=np.int64)
    n = np.arange(len(kinds))
    return Tokens(tuple("x" * len(n)), n, n, n, kinds, (), document)


@st.composite
def streams(draw):
    """Maps of several inputs, unequal in length, some of them sharp, and their kinds."""
    kinds = st.lists(st.sampled_from([0, 0, 0, 1, 2, 3]), min_size=1, max_size=7)
    inputs = draw(st.lists(kinds, min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sharpness = draw(st.sampled_from([0.01, 0.3, 5.0]))
    maps = [rng.dirichlet(np.full(len(k), sharpness) + 1e-6, size=(2, 3, len(k))) for k in inputs]
    return inputs, maps


def summed(inputs, maps, as_array=np.asarray, dtype=np.float32, causal=False):
    """All inputs through the reducer as one padded batch; junk stands in rows of padding."""
    n_layers, n_heads = maps[0].shape[:2]
    longest = max(map(len, inputs))
    batch = Batch.of([tokens_of(k, i) for i, k in enumerate(inputs)], as_array, causal=causal)
    sums = SurfaceSums.empty(n_layers, n_heads)
    for layer in range(n_layers):
        padded = np.zeros((len(inputs), n_heads, longest, longest), dtype=dtype)
        for row, (kinds, weights) in enumerate(zip(inputs, maps, strict=True)):
            n = len(kinds)
            padded[row, :, :n, :n] = weights[layer]
            padded[row, :, n:, :n] = 1 / n
        sums.update(layer, as_array(padded), batch)
    return sums


@settings(max_examples=60, deadline=None)
@given(stream=streams())
@pytest.mark.parametrize("as_array", [np.asarray, torch.from_numpy], ids=["numpy", "torch"])
def test_every_measure_equals_the_slow_loop(as_array, stream):
    inputs, maps = stream
    result = summed(inputs, maps, as_array).result()
    for layer in range(2):
        for head in range(3):
            slow = [
                slow_measures(weights[layer, head].tolist(), kinds)
                for kinds, weights in zip(inputs, maps, strict=True)
            ]
            for measure in MEASURES:
                has = [_has(measure, kinds) for kinds in inputs]
                values = [s[measure] for s, h in zip(slow, has, strict=True) if h]
                expected = sum(values) / len(values) if values else np.nan
                tolerance = 1e-5 if "entropy" in measure else 1e-6
                np.testing.assert_allclose(
                    result[measure][layer, head], expected, rtol=0, atol=tolerance
                )


def _has(measure, kinds):
    if measure in ("to_start", "start_entropy"):
        return Kind.START in kinds
    if measure in ("to_separator", "from_separator", "from_others"):
        return Kind.SEPARATOR in kinds
    return True


def test_known_answers(toy_tokens):
    n = 8
    shift = np.eye(n, k=1)
    shift[-1, 0] = 1
    maps = np.stack([np.eye(n), np.full((n, n), 1 / n), shift])[None]
    got = surface.of_map(AttentionMap(toy_tokens, maps))
    assert got["to_self"][0].tolist() == [1, 1 / n, 0]
    assert got["to_next"][0].tolist() == [0, (n - 1) / n / n, (n - 1) / n]
    assert got["to_previous"][0].tolist() == [0, (n - 1) / n / n, 0]
    np.testing.assert_allclose(got["to_separator"][0], [2 / n, 2 / n, 2 / n])
    np.testing.assert_allclose(got["from_separator"][0], [1, 2 / n, 0])
    np.testing.assert_allclose(got["from_others"][0], [0, 2 / n, 2 / 6])
    np.testing.assert_allclose(got["to_punctuation"][0], [2 / n] * 3)
    np.testing.assert_allclose(got["entropy"][0, 1], log(n))
    assert got["entropy"][0, 0] < 0.002


def test_next_is_the_following_token_and_previous_the_one_before():
    """The released figure had them swapped."""
    following = np.eye(3, k=1)
    assert surface.at_offset(following, 1) == 2 / 3
    assert surface.at_offset(following, -1) == 0


def test_uniform_attention_is_chance(toy_tokens):
    maps = np.full((1, 1, 8, 8), 1 / 8)
    sums = SurfaceSums.empty(1, 1)
    sums.update(0, maps[0][None], Batch.of([toy_tokens]))
    result = sums.result()
    for measure in MEASURES:
        np.testing.assert_allclose(result[measure][0, 0], result.uniform_of(measure))
    np.testing.assert_allclose(result.uniform_of("entropy"), log(8))


def test_two_halves_add_up_to_the_whole():
    rng = np.random.default_rng(0)
    inputs = [[2, 0, 1, 3, 0, 3], [2, 0, 3], [0, 0, 0, 0]]
    maps = [rng.dirichlet(np.ones(len(k)), size=(2, 3, len(k))) for k in inputs]
    whole = summed(inputs, maps)
    parts = summed(inputs[:1], maps[:1])
    rest = SurfaceSums.empty(2, 3)
    for i in (1, 2):
        one = summed([inputs[i]], [maps[i]])
        rest = rest + SurfaceSums(*(np.roll(a, i, 0) for a in (one.sums, one.uniform, one.counts)))
    added = parts + rest
    assert np.array_equal(added.counts, whole.counts)
    np.testing.assert_allclose(added.sums, whole.sums, rtol=1e-6)
    np.testing.assert_allclose(added.result()["entropy"], whole.result()["entropy"], rtol=1e-6)


def test_an_addition_changes_neither_part():
    one = summed([[2, 0, 3]], [np.full((1, 1, 3, 3), 1 / 3)])
    before = one.sums.copy()
    _ = one + one
    assert np.array_equal(one.sums, before)


def test_sums_survive_a_file(tmp_path):
    sums = summed([[2, 0, 3]], [np.full((1, 1, 3, 3), 1 / 3)])
    sums.save(tmp_path / "deep" / "sums.npz")
    loaded = SurfaceSums.load(tmp_path / "deep" / "sums.npz")
    assert np.array_equal(loaded.sums, sums.sums)
    assert np.array_equal(loaded.counts, sums.counts)
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["sums.npz"]


def test_a_model_without_separators_has_no_measure_of_them():
    result = summed([[2, 0, 0]], [np.full((1, 1, 3, 3), 1 / 3)]).result()
    assert np.isnan(result["to_separator"]).all()
    assert result.counts[MEASURES.index("to_separator")] == 0
    assert not np.isnan(result["to_start"]).any()


def test_nothing_measured_is_an_error():
    with pytest.raises(ValueError, match="nothing was measured: the corpus gave no input"):
        SurfaceSums.empty(1, 1).result()


def test_the_map_is_not_changed():
    weights = np.full((1, 1, 3, 3), 1 / 3, dtype=np.float32)
    before = weights.copy()
    surface.averages(weights, Batch.of([tokens_of([2, 0, 3])]))
    assert np.array_equal(weights, before)


def test_many_inputs_are_taken_in_steps(monkeypatch):
    rng = np.random.default_rng(1)
    inputs = [[2, 0, 1, 3]] * 5
    maps = [rng.dirichlet(np.ones(4), size=(1, 2, 4)) for _ in inputs]
    whole = summed(inputs, maps)
    monkeypatch.setattr("bertattn.surface.measures.CACHED_WEIGHTS", 40)
    np.testing.assert_allclose(summed(inputs, maps).sums, whole.sums)


def test_chance_of_a_decoder_counts_only_what_it_may_see():
    n = 6
    causal = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    maps = [causal[None, None], causal[None, None, :4, :4]]
    sums = summed([[0] * n, [0] * 4], maps, causal=True)
    result = sums.result()
    for measure in ("to_self", "to_next", "to_previous", "to_first", "entropy"):
        np.testing.assert_allclose(result[measure][0, 0], result.uniform_of(measure), atol=1e-6)
    assert result.uniform_of("to_next") == 0


def test_a_segment_of_128_and_one_of_512_equal_the_slow_loop():
    rng = np.random.default_rng(0)
    for n in (128, 512):
        kinds = [2, *rng.choice([0, 0, 0, 1], n - 2).tolist(), 3]
        weights = rng.dirichlet(np.full(n, 0.1), size=(1, 1, n))
        result = summed([kinds], [weights]).result()
        for measure, expected in slow_measures(weights[0, 0].tolist(), kinds).items():
            tolerance = 1e-5 if "entropy" in measure else 1e-6
            np.testing.assert_allclose(result[measure], expected, rtol=0, atol=tolerance)


def test_heads_by_breadth(toy_tokens):
    maps = np.stack([np.full((8, 8), 1 / 8), np.eye(8)])[None]
    assert [str(h) for h in surface.by_breadth(AttentionMap(toy_tokens, maps))] == ["1-2", "1-1"]
