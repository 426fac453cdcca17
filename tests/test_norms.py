"""Norms in place of weights: what a head moves, from the values and the output matrix."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from bertattn import measure, norms, surface
from bertattn.measure import CheckpointError
from bertattn.model import AttentionModel, Interventions, ModelError, NormModel, output_slices
from bertattn.model.norms import lengths, shares
from bertattn.probes.maps import word_maps
from bertattn.probes.threads import passes
from bertattn.reducer import KeepMaps
from tests import tiny
from tests.test_importance import TEXTS, model_of

CANNOT = ("MPNet", "DebertaV2")
CAN = [family for family in tiny.FAMILIES if family not in CANNOT]


def inputs_of(model, texts=TEXTS[:3]):
    return [model.encoder.text(t, document=n) for n, t in enumerate(texts)]


def kept(model, inputs):
    keep = KeepMaps()
    model.run(inputs, [keep])
    return keep.result()


class Lengths:
    """Keeps maps whose rows need not sum to 1."""

    def __init__(self):
        self.layers = []

    def update(self, layer, weights, batch):
        self.layers.append(np.array(weights))


def lengths_of(model, tokens):
    keep = Lengths()
    NormModel(model, "lengths").run([tokens], [keep])
    n = len(tokens)
    return np.stack([layer[0, :, :n, :n] for layer in keep.layers])


def hidden_states(model, tokens):
    with torch.inference_mode():
        output = model.module(**model._arguments([tokens]), output_hidden_states=True)
    return [state[0, : len(tokens)].double().numpy() for state in output.hidden_states]


# per family: value matrix [in, out] and bias, output matrix [in, out], of one layer


def of_bert(module, layer):
    part = module.encoder.layer[layer].attention
    return part.self.value.weight.T, part.self.value.bias, part.output.dense.weight.T


def of_distilbert(module, layer):
    part = module.transformer.layer[layer].attention
    return part.v_lin.weight.T, part.v_lin.bias, part.out_lin.weight.T


def of_gpt2(module, layer):
    part, n = module.h[layer].attn, module.config.n_embd
    return part.c_attn.weight[:, 2 * n :], part.c_attn.bias[2 * n :], part.c_proj.weight


def slow_lengths(weights, states, value, bias, output):
    """a[i, j] |(x[j] W_V + b_V) W_O|, by loops over heads and tokens."""
    n_heads, n, _ = weights.shape
    size = output.shape[0] // n_heads
    moved = np.zeros(weights.shape)
    for h in range(n_heads):
        mine = slice(h * size, (h + 1) * size)
        for j in range(n):
            f = (states[j] @ value[:, mine] + bias[mine]) @ output[mine]
            for i in range(n):
                moved[h, i, j] = weights[h, i, j] * np.sqrt(sum(x * x for x in f))
    return moved


ORACLES = {"Bert": of_bert, "Roberta": of_bert, "DistilBert": of_distilbert, "GPT2": of_gpt2}


@pytest.mark.parametrize("family", ORACLES)
def test_norms_are_those_of_a_slow_loop_over_the_definition(family):
    model = model_of(family)
    tokens = model.encoder.text("it fed her.")
    weights = model.attention(tokens).weights
    states = hidden_states(model, tokens)
    if family == "GPT2":  # normalises in front of attention
        states = [
            block.ln_1(torch.tensor(s).float()).detach().double().numpy()
            for block, s in zip(model.module.h, states, strict=False)
        ]
    found, as_shares = lengths_of(model, tokens), NormModel(model).attention(tokens).weights
    for layer in range(2):
        parts = [p.detach().double().numpy() for p in ORACLES[family](model.module, layer)]
        wanted = slow_lengths(weights[layer], states[layer], *parts)
        assert np.allclose(found[layer], wanted, rtol=1e-4, atol=1e-5)
        total = wanted.sum(axis=-1, keepdims=True)
        assert np.allclose(as_shares[layer], wanted / total, atol=1e-5)


@pytest.mark.parametrize("family", CAN)
def test_slices_and_values_make_up_what_a_layer_adds(family):
    """For every family: the rows of all heads, added up, are what the projection is given."""
    model = model_of(family)
    opened = Interventions(model)
    tokens = model.encoder.text("it fed her.")
    taken = []

    def note(layer, weights, values):
        taken.append((weights @ values)[0])

    opened.hidden([tokens], note)
    slices = output_slices(opened)
    assert [tuple(s.shape[:2]) for s in slices] == [(3, taken[0].shape[-1])] * 2
    for mix, of_heads in zip(taken, slices, strict=True):
        assert torch.linalg.matrix_rank(of_heads[0]) == of_heads.shape[1]
        together = (mix @ of_heads).sum(dim=0)
        assert torch.allclose(together, mix.transpose(0, 1).flatten(1) @ of_heads.flatten(0, 1),
                              rtol=1e-3, atol=1e-3)  # fmt: skip
    assert NormModel(model).attention(tokens).weights.shape[:2] == (2, 3)


@pytest.mark.parametrize("family", CANNOT)
def test_a_family_whose_values_cannot_be_read_is_refused(family):
    with pytest.raises(ModelError, match="does not let its attention be changed, or its values be"):
        NormModel(model_of(family))


def test_a_layer_whose_projection_is_given_something_else_is_refused():
    model = model_of()
    output = model.module.encoder.layer[1].attention.output
    output.dense = nn.Sequential(nn.LayerNorm(24), output.dense)
    with pytest.raises(ModelError, match="no matrix of layer 2 is given its heads' outputs side"):
        NormModel(model)


def test_a_projection_that_is_no_matrix_is_refused():
    class Bent(nn.Linear):
        def forward(self, given):
            return super().forward(given).relu()

    model = model_of()
    model.module.encoder.layer[0].attention.output.dense = Bent(24, 24)
    with pytest.raises(ModelError, match=r"Bent is no matrix and bias \(off by .*unquantised"):
        NormModel(model)


def test_a_decoder_moves_nothing_from_later_tokens():
    model = model_of("GPT2")
    weights = NormModel(model).attention("it fed her.").weights
    assert not np.triu(weights, 1).any()
    assert np.allclose(weights.sum(axis=-1), 1)


def silence(model, layer=0, value=0.0):
    """Give every token the same value in a layer."""
    part = model.module.encoder.layer[layer].attention.self.value
    with torch.no_grad():
        part.weight.zero_()
        part.bias.fill_(value)


def test_where_nothing_is_moved_norms_are_0_and_rows_are_counted():
    model = model_of()
    silence(model)
    by_norm, tokens = NormModel(model), model.encoder.text("it fed her.")
    keep = Lengths()
    by_norm.run([tokens, model.encoder.text("it fed her, and it fed her.")], [keep])
    assert not keep.layers[0].any()
    n_rows = len(tokens) + len(model.encoder.text("it fed her, and it fed her."))
    assert by_norm.left_out == {"rows_that_move_nothing": 3 * n_rows}  # of layer 1's three heads
    assert not lengths_of(model, tokens)[0].any()


def test_a_token_without_a_value_has_no_norm_whatever_it_weighs():
    model = model_of()
    attention = model.module.encoder.layer[0].attention.self
    tokens = model.encoder.text("it fed her.")
    first = torch.tensor(hidden_states(model, tokens)[0][0]).float()
    with torch.no_grad():
        attention.value.bias.copy_(-attention.value.weight @ first)
    assert model.attention(tokens).weights[0, :, :, 0].min() > 0
    moved = NormModel(model).attention(tokens).weights[0]
    assert np.abs(moved[:, :, 0]).max() < 1e-5
    assert np.allclose(moved.sum(axis=-1), 1)


def test_with_values_alike_shares_are_the_weights():
    model = model_of()
    silence(model, layer=0, value=0.7)
    tokens = model.encoder.text("it fed her.")
    moved = NormModel(model).attention(tokens).weights[0]
    assert np.allclose(moved, model.attention(tokens).weights[0], atol=1e-6)


def test_with_identities_norms_are_weights_times_the_norms_of_states():
    model = model_of()
    part = model.module.encoder.layer[0].attention
    with torch.no_grad():
        for linear in (part.self.value, part.output.dense):
            linear.weight.copy_(torch.eye(24))
            linear.bias.zero_()
    tokens = model.encoder.text("it fed her.")
    state = hidden_states(model, tokens)[0]
    norm = np.linalg.norm(state.reshape(-1, 3, 8), axis=-1).T  # [head, token]
    weights = model.attention(tokens).weights[0]
    assert np.allclose(lengths_of(model, tokens)[0], weights * norm[:, None], rtol=1e-4)


def test_the_outputs_bias_is_no_tokens_and_the_values_bias_is():
    tokens = model_of().encoder.text("it fed her.")
    plain = lengths_of(model_of(), tokens)[0]
    changed = model_of()
    part = changed.module.encoder.layer[0].attention
    with torch.no_grad():
        part.output.dense.bias.add_(3.0)
    assert np.allclose(lengths_of(changed, tokens)[0], plain, rtol=1e-4)
    with torch.no_grad():
        part.self.value.bias.add_(3.0)
    assert abs(lengths_of(changed, tokens)[0] - plain).max() > 0.1


def test_beside_a_longer_input_norms_are_the_same():
    model = model_of()
    by_norm, inputs = NormModel(model), inputs_of(model)
    for alone, beside in zip(inputs, kept(by_norm, inputs), strict=True):
        assert np.allclose(by_norm.attention(alone).weights, beside.weights, atol=1e-5)


def test_rows_are_divided_by_their_sums_and_empty_ones_stay():
    moved = torch.tensor([[1.0, 3.0], [0.0, 0.0]])
    found, empty = shares(moved)
    assert found.tolist() == [[1 / 4, 3 / 4], [0.0, 0.0]]
    assert empty.tolist() == [False, True]


def test_a_value_shorter_than_1_is_no_less_exact():
    values = torch.tensor([[[[3e-4, 4e-4]]]])
    assert lengths(torch.ones(1, 1, 1, 1), values, torch.eye(2)[None]).item() == pytest.approx(5e-4)


def test_the_model_is_left_as_it_was_and_is_told_apart():
    model = model_of()
    before = model.attention("it fed her.").weights
    by_norm = NormModel(model)
    by_norm.attention("it fed her.")
    assert np.array_equal(model.attention("it fed her.").weights, before)
    assert (by_norm.shape, by_norm.max_pieces) == (model.shape, model.max_pieces)
    names = {model.name, by_norm.name, NormModel(model, "lengths").name}
    sums = {model.sha256, by_norm.sha256, NormModel(model, "lengths").sha256}
    assert len(names) == len(sums) == 3
    assert repr(by_norm) == f"NormModel({model!r}, 'shares')"


def test_the_hash_is_the_same_whether_the_models_was_asked_before_or_not():
    early, late = model_of(), model_of()
    early.sha256  # noqa: B018
    assert NormModel(early).sha256 == NormModel(late).sha256


def test_other_forms_are_refused():
    code = (
        "from bertattn.model import NormModel\n"
        "try: NormModel(None, 'sums')\n"
        "except ValueError as error: print(error)"
    )  # in a process of its own, where types are not checked first
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "wanted maps as 'shares' or 'lengths', got 'sums'"


def test_norms_of_norms_are_refused():
    model = model_of()
    with pytest.raises(ValueError, match="are norms already: give its model"):
        NormModel(NormModel(model))


def test_it_is_loaded_again_in_another_process_as_it_is_here(minilm):
    by_norm = NormModel(minilm)
    again = by_norm.recipe()
    assert isinstance(again, NormModel)
    assert (again.sha256, again.form) == (by_norm.sha256, "shares")
    assert NormModel(model_of()).recipe is None


def test_in_sixteen_bits_rows_still_sum_to_1():
    model = AttentionModel(*tiny.module("Bert"), "tiny", device="cpu", dtype="bfloat16")
    weights = NormModel(model).attention("it fed her.").weights
    full = NormModel(model_of()).attention("it fed her.").weights
    assert np.allclose(weights.sum(axis=-1), 1, atol=1e-5)
    assert abs(weights - full).mean() < 0.02


def test_two_passes_at_a_time_do_not_hear_one_another():
    model = NormModel(model_of())
    inputs = inputs_of(model, TEXTS * 8)
    found = [
        maps for _, batch in passes(lambda own, batch: kept(own, batch), model, inputs)
        for maps in batch
    ]  # fmt: skip
    by_ids = {m.tokens.ids.tobytes(): m.weights for m in kept(model, inputs_of(model, TEXTS))}
    assert len(found) == len(inputs)
    for one in found:
        assert np.allclose(one.weights, by_ids[one.tokens.ids.tobytes()], atol=1e-5)


def test_maps_for_probes_have_a_cache_of_their_own(tmp_path):
    model = model_of()
    inputs = [model.encoder.words(t.split()) for t in TEXTS[:2]]
    plain = word_maps(model, inputs, folder=tmp_path)
    normed = word_maps(NormModel(model), inputs, folder=tmp_path)
    assert plain[0].shape == normed[0].shape
    assert abs(plain[0].astype(float) - normed[0]).max() > 0.05


def test_reducers_run_unchanged_in_partitions_and_a_folder_knows_whose_it_is(tmp_path):
    model = model_of()
    by_norm, inputs = NormModel(model), inputs_of(model)
    plain, parts = (surface.SurfaceSums.empty(2, 3) for _ in range(2))
    measure.measure(inputs, by_norm, plain)
    measure.measure(inputs, by_norm, parts, checkpoint=tmp_path / "run")
    assert np.allclose(plain.sums, parts.sums)
    assert plain.result()["to_next"] == pytest.approx(
        np.mean([surface.of_map(by_norm.attention(t))["to_next"] for t in inputs], axis=0), abs=1e-5
    )
    with pytest.raises(CheckpointError):
        measure.measure(inputs, model, plain.fresh(), checkpoint=tmp_path / "run")


def test_the_part_offers_the_model():
    assert norms.NormModel is NormModel
