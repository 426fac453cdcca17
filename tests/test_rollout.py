"""Rollout through the layers, how far rows lie apart, and who misses whom."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from bertattn import surface
from bertattn.model import Interventions, NormModel
from bertattn.norms import (
    WAYS,
    Agreement,
    ApartSums,
    Rollout,
    agree,
    apart,
    correlations,
    missed,
    nearness,
    rollout,
)
from bertattn.reducer import Batch, as_numpy
from tests.test_importance import TEXTS, model_of
from tests.test_surface import tokens_of


@st.composite
def maps(draw):
    """Maps of a few layers and heads of one input, some of them sharp."""
    shape = [draw(st.integers(1, size)) for size in (4, 3, 6)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.dirichlet(np.full(shape[2], draw(st.sampled_from([0.1, 1.0]))), size=shape)


def slow_rollout(weights, residual):
    """By paths: what goes from i to j is the sum, over all ways down, of the product of steps."""
    n_layers, _, n, _ = weights.shape
    steps = (1 - residual) * weights.mean(axis=1) + residual * np.eye(n)
    found = np.zeros((n, n))
    for path in product(range(n), repeat=n_layers + 1):
        passed = [steps[n_layers - 1 - k][path[k], path[k + 1]] for k in range(n_layers)]
        found[path[0], path[-1]] += np.prod(passed)
    return found


@settings(max_examples=40, deadline=None)
@given(maps(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_rollout_is_the_sum_over_all_paths_and_rows_sum_to_1(weights, residual):
    found = rollout(weights, residual)
    assert np.allclose(found.sum(axis=-1), 1)
    if weights.shape[0] * np.log(weights.shape[-1]) < 6:
        assert np.allclose(found[-1], slow_rollout(weights, residual))


def test_rollout_of_identities_is_the_identity_and_all_residual_too():
    itself = np.broadcast_to(np.eye(4), (3, 2, 4, 4)).copy()
    assert np.array_equal(rollout(itself), np.broadcast_to(np.eye(4), (3, 4, 4)))
    anything = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 2, 4))
    assert np.array_equal(rollout(anything, residual=1.0)[-1], np.eye(4))


def test_rollout_of_a_sink_takes_in_a_half_more_of_it_a_layer():
    sink = np.zeros((3, 1, 3, 3))
    sink[..., 0] = 1
    assert rollout(sink)[:, 2, 0].tolist() == [1 / 2, 3 / 4, 7 / 8]
    assert rollout(sink)[:, 2, 2].tolist() == [1 / 2, 1 / 4, 1 / 8]


def test_the_later_layer_stands_on_the_left():
    """Layer 1: all look at token 0; layer 2: token 0 looks at token 1."""
    first = np.array([[1.0, 0.0], [1.0, 0.0]])
    second = np.array([[0.0, 1.0], [0.0, 1.0]])
    found = rollout(np.stack([first, second])[:, None], residual=0.0)
    assert found[1].tolist() == [[1.0, 0.0], [1.0, 0.0]]  # token 1 was made of token 0


@pytest.mark.parametrize(
    "make", [lambda r: Rollout(residual=r), lambda r: rollout(np.ones((1, 1, 1, 1)), r)]
)
def test_a_part_that_is_no_share_is_refused(make):
    with pytest.raises(ValueError, match=r"wanted a residual part from 0 to 1, got 1\.5"):
        make(1.5)


class Kept:
    def __init__(self):
        self.layers = []

    def update(self, layer, weights, batch):
        self.layers.append(as_numpy(weights).copy())


@pytest.mark.parametrize("as_array", [np.asarray, torch.as_tensor])
def test_what_observers_are_shown_is_the_rollout_of_each_input(as_array):
    rng = np.random.default_rng(3)
    inputs = [tokens_of([2, 0, 3]), tokens_of([2, 0, 0, 1, 3])]
    of_each = [rng.dirichlet(np.ones(len(t)), size=(3, 2, len(t))) for t in inputs]
    padded = np.zeros((3, 2, 2, 6, 6))
    padded[..., 0] = 1.0  # rows of padding mean nothing
    for number, weights in enumerate(of_each):
        n = weights.shape[-1]
        padded[:, number, :, :n] = 0
        padded[:, number, :, :n, :n] = weights
    batch, kept = Batch.of(inputs, as_array), Kept()
    for _ in range(2):  # a second batch begins anew
        kept.layers.clear()
        observer = Rollout(kept)
        for layer in range(3):
            observer.update(layer, as_array(padded[layer]), batch)
    for number, weights in enumerate(of_each):
        n = weights.shape[-1]
        shown = np.stack([layer[number, 0, :n, :n] for layer in kept.layers])
        assert np.allclose(shown, rollout(weights))


def test_reducers_of_one_head_a_layer_count_a_rollout():
    model = model_of()
    tokens = model.encoder.text(TEXTS[0])
    sums = surface.SurfaceSums.empty(2, 1)
    observer = Rollout(sums)
    model.run([tokens], [observer])
    model.run([tokens], [observer])
    wanted = np.trace(rollout(model.attention(tokens).weights), axis1=1, axis2=2) / len(tokens)
    assert np.allclose(sums.result()["to_self"][:, 0], wanted, atol=1e-5)


# how far rows lie apart


def slow_apart(weights):
    n = len(weights)
    mean = [sum(weights[i][j] for i in range(n)) / n for j in range(n)]
    return sum(abs(weights[i][j] - mean[j]) for i in range(n) for j in range(n)) / 2 / n


@settings(max_examples=30, deadline=None)
@given(maps())
def test_rows_apart_are_those_of_a_slow_loop(weights):
    batch = Batch.of([tokens_of([0] * weights.shape[-1])])
    found = apart(weights[:1], batch)
    assert np.allclose(found[0], [slow_apart(one) for one in weights[0]])


def test_rows_that_are_the_same_are_not_apart_and_others_as_far_as_can_be():
    batch = Batch.of([tokens_of([0] * 4)])
    same = np.full((1, 1, 4, 4), 1 / 4)
    assert apart(same, batch).item() == 0
    assert apart(np.eye(4)[None, None], batch).item() == 1 - 1 / 4


def test_padding_is_no_row_and_documents_are_told_apart():
    sums = ApartSums.empty(1, 1)
    batch = Batch.of([tokens_of([0, 0], 0), tokens_of([0, 0, 0, 0], 1)])
    weights = np.zeros((2, 1, 4, 4))
    weights[0, 0, :, 0] = 1
    weights[0, 0, 2:] = [0, 1, 0, 0]  # of padding
    weights[1, 0] = np.eye(4)
    sums.update(0, weights, batch)
    assert sums.counts[:2].tolist() == [1, 1]
    assert sums.sums[:2, 0, 0].tolist() == [0.0, 1 - 1 / 4]
    assert sums.result().mean.item() == 3 / 8


def test_nothing_apart_is_an_error():
    with pytest.raises(ValueError, match="nothing was measured: the corpus gave no input"):
        ApartSums.empty(1, 1).result()


# who misses whom


def slow_missed(opened, tokens):
    """One pass for each hidden token, rows scaled by hand."""
    n = len(tokens)
    plain = opened.hidden([tokens])[0, :n].double().numpy()
    found = np.zeros((n, n))
    for j in range(n):

        def hidden(_layer, weights, _values, j=j):
            changed = weights.clone()
            for h, i in product(range(weights.shape[1]), range(n)):
                row = changed[0, h, i]
                if float(row.sum() - row[j]) > 1e-6:
                    row[j] = 0
                    row /= row.sum()
            return changed

        state = opened.hidden([tokens], hidden)[0, :n].double().numpy()
        for i in range(n):
            cosine = state[i] @ plain[i] / np.linalg.norm(state[i]) / np.linalg.norm(plain[i])
            found[i, j] = max(0.0, 1 - cosine)
    return found


@pytest.mark.parametrize("family", ["Bert", "GPT2"])
def test_what_is_missed_is_that_of_a_slow_loop(family):
    model = model_of(family)
    opened, tokens = Interventions(model), model.encoder.text("it fed her.")
    found = missed(opened, tokens)
    assert found.shape == (len(tokens), len(tokens))
    assert np.allclose(found, slow_missed(opened, tokens), atol=1e-5)
    assert found.max() > 1e-3


def test_before_a_decoders_token_nobody_misses_it_and_the_first_sees_nothing_else():
    model = model_of("GPT2")
    left_out = Counter()
    found = missed(Interventions(model), tokens := model.encoder.text("it fed her."), left_out)
    assert np.abs(np.triu(found, 1)).max() < 1e-6
    at_least = model.n_layers * model.n_heads  # the first token's row, without itself
    assert left_out["rows_that_look_at_nothing_else"] >= at_least
    assert len(tokens) > 4


def test_a_token_that_nobody_looks_at_is_missed_by_nobody():
    class Blind(Interventions):
        """No token looks at token 2, once it is blind."""

        blind = False

        def hidden(self, inputs, edit=None):
            def without(layer, weights, values):
                seen = weights.clone()
                if self.blind:
                    seen[..., 2] = 0
                seen = seen / seen.sum(dim=-1, keepdim=True)
                changed = edit(layer, seen, values) if edit else None
                return seen if changed is None else changed

            return super().hidden(inputs, without)

    model = model_of()
    opened = Blind(model)
    opened.blind = True
    found = missed(opened, model.encoder.text("it fed her."))
    assert found[:, 2].max() < 1e-6
    assert np.delete(found, 2, axis=1).max() > 1e-3


def test_correlations_are_spearmans_over_the_others():
    rng = np.random.default_rng(5)
    lost, way = rng.random((6, 6)), rng.random((6, 6)).round(1)
    others = [[j for j in range(6) if j != i] for i in range(6)]
    wanted = np.mean([spearmanr(way[i, o], lost[i, o]).statistic for i, o in enumerate(others)])
    found = correlations({"one": way, "same": lost, "against": -lost}, lost, False, Counter())
    assert found == pytest.approx([wanted, 1, -1])


def test_one_that_foretells_all_alike_foretells_nothing():
    lost = np.random.default_rng(0).random((6, 6))
    found = correlations({"alike": np.ones((6, 6))}, lost, False, Counter())
    assert found.tolist() == [0.0]


def test_a_decoders_tokens_are_put_in_order_among_those_before():
    lost, left_out = np.random.default_rng(0).random((6, 6)), Counter()
    way = np.where(np.tri(6, k=-1) > 0, lost, -lost)  # right below the diagonal, wrong above
    assert correlations({"way": way}, lost, True, left_out).tolist() == [1.0]
    assert left_out == {"tokens_that_see_too_few_others": 4}  # they see 0 to 3 others


def test_inputs_without_an_order_are_counted():
    left_out = Counter()
    assert correlations({}, np.zeros((3, 3)), False, left_out) is None
    assert left_out["inputs_too_short_for_an_order"] == 1


def test_nearness_knows_places_alone():
    assert nearness(np.zeros((1, 1, 3, 3)))[0].tolist() == [1, 1, 1 / 2]


def test_agreement_is_the_mean_over_inputs_and_its_difference_is_paired():
    model = model_of()
    by_norm = NormModel(model)
    inputs = [model.encoder.text(t, document=n) for n, t in enumerate(TEXTS[:2])]
    short = model.encoder.text("it", document=7)
    sums = Agreement.empty()
    assert agree([*inputs, short], model, by_norm, sums) == 2
    assert sums.left_out["inputs_too_short_for_an_order"] == 1
    each = []
    for tokens in inputs:
        kinds = {"weights": model.attention(tokens), "norms": by_norm.attention(tokens)}
        foretold = {way: made(kinds[kind].weights) for way, (kind, made) in WAYS.items()}
        lost = missed(Interventions(model), tokens)
        each.append(correlations(foretold, lost, False, Counter()))
    assert sums.result().mean == pytest.approx(np.mean(each, axis=0), abs=1e-6)
    over = sums.over("nearness")
    assert over.mean[sums.ways.index("nearness")] == 0
    assert over.mean[0] == pytest.approx(np.mean([e[0] - e[-1] for e in each]), abs=1e-6)
    assert over.low[0] < over.mean[0] < over.high[0]


def test_the_ways_are_what_their_names_say():
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(5), size=(2, 3, 5))
    made = {way: make(weights) for way, (_, make) in WAYS.items()}
    assert np.allclose(made["rollout of norms"], rollout(weights)[1])
    assert np.allclose(made["weights of the last layer"], weights[1].mean(axis=0))
    assert np.allclose(made["norms of all layers"], weights.reshape(6, 5, 5).mean(axis=0))
    kinds = {way: kind for way, (kind, _) in WAYS.items()}
    assert all(kind in way for way, kind in kinds.items() if way != "nearness")


def test_no_agreement_is_an_error():
    with pytest.raises(ValueError, match="nothing was measured: wanted inputs of more than 4 tok"):
        Agreement.empty().result()
