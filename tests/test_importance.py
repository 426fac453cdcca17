from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bertattn import importance, measure
from bertattn.attention import Kind, Tokens
from bertattn.importance import (
    FORMS,
    TARGETS,
    Contrastive,
    ImportanceSums,
    MaskedLM,
    Projections,
    Step,
    targets_of,
)
from bertattn.model import (
    AttentionModel,
    ModelError,
    NoMaskedHeadError,
    backward,
    load,
    masked_head,
    random_init,
)
from bertattn.pairs import Half, Pairs
from tests import tiny
from tests.test_model import save

TEXTS = (
    "the keeper fed the octopus, and it squirted her.",
    "did it?",
    "the animal fed it, and her.",
    "that shell did that, or it.",
    "her keeper did.",
    "make it, or fed.",
)


def model_of(family="Bert", **changes):
    return AttentionModel(*tiny.module(family, **changes), family, device="cpu")


@pytest.fixture
def doubled():
    """A tiny model that computes in float64, so that finite differences are sharp."""
    model = model_of()
    model.module.double()
    return model


@pytest.fixture(scope="module")
def with_head(tmp_path_factory):
    """A folder with a true masked language model, and the model under it."""
    folder = tmp_path_factory.mktemp("masked")
    return folder, load(save_masked(folder), device="cpu")


def save_masked(folder, family="Bert"):
    make_tokenizer, sizes = tiny.FAMILIES[family]
    tokenizer = make_tokenizer()
    if tokenizer.mask_token is None:
        tokenizer.mask_token = "<s>"
    config = getattr(transformers, f"{family}Config")(vocab_size=len(tokenizer), **sizes)
    config.initializer_range = 0.5
    with torch.random.fork_rng():
        torch.manual_seed(1)
        getattr(transformers, f"{family}ForMaskedLM")(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def pairs_of(model, texts=TEXTS):
    from bertattn.corpora import Article

    articles = [Article(f"{n}", (texts[n : n + 2],)) for n in range(0, len(texts), 2)]
    return list(Pairs(articles, model.encoder))


def objective_and_inputs(name, model):
    singles = [model.encoder.text(t) for t in TEXTS[:3]]
    if name == "masked LM":
        folder, _ = model.with_head
        mlm_head = masked_head(folder, model)
        mlm_head._whole.to(model.module.dtype)
        return MaskedLM(mlm_head), singles
    if name == "contrastive":
        return Contrastive(temperature=0.5, n_pairs=3), pairs_of(model)
    return Projections(2), singles


# finite differences


@contextmanager
def softmax_changed(monkeypatch, layer, before=None, after=None):
    """Add to the logits or the weights of one layer while a model runs."""
    plain, n_maps = torch.nn.functional.softmax, 0

    def changed(logits, *args, **kwargs):
        nonlocal n_maps
        mine = n_maps == layer
        n_maps += 1
        out = plain(logits + before if mine and before is not None else logits, *args, **kwargs)
        return out + after if mine and after is not None else out

    with monkeypatch.context() as patch:
        patch.setattr(torch.nn.functional, "softmax", changed)
        yield


def losses_of(model, step):
    with torch.no_grad():
        hidden = model.module(**model._arguments(step.inputs), **model._taps.flag)[0]
        return np.array([float(loss) for loss in step.losses(hidden)])


def gradients_of(model, step):
    found = {}
    backward(
        model, step.inputs, step.losses, lambda k, w, g: found.setdefault(k, []).append((w, g))
    )
    return found


def check_finite_differences(model, step, monkeypatch, delta, tolerance):
    rng = np.random.default_rng(0)
    found = gradients_of(model, step)
    assert sorted(found) == list(range(model.n_layers))
    for layer, by_loss in found.items():
        for form in ("after", "before"):
            maps = [g if form == "after" else importance.by_logit(w, g) for w, g in by_loss]
            scale = abs(np.array(maps)).max()
            for _ in range(6):
                number = int(rng.integers(len(step.inputs)))
                n = len(step.inputs[number])
                n_heads = by_loss[0][0].shape[1]
                place = (number, int(rng.integers(n_heads)), *map(int, rng.integers(n, size=2)))
                if by_loss[0][0][place] == 0:
                    continue  # what no head can see
                one = torch.zeros(by_loss[0][0].shape, dtype=model.module.dtype)
                one[place] = delta
                with softmax_changed(monkeypatch, layer, **{form: one}):
                    more = losses_of(model, step)
                with softmax_changed(monkeypatch, layer, **{form: -one}):
                    less = losses_of(model, step)
                expected = (more - less) / (2 * delta)
                got = np.array([m[place] for m in maps])
                np.testing.assert_allclose(got, expected, atol=tolerance * scale)


@pytest.mark.parametrize("name", ["masked LM", "contrastive", "projections"])
def test_gradients_are_finite_differences(name, with_head, monkeypatch):
    folder, _ = with_head
    model = load(folder, device="cpu")
    model.with_head = with_head
    objective, inputs = objective_and_inputs(name, model)
    model.module.double()
    if name == "masked LM":
        objective.mlm_head._whole.double()
    step = next(iter(objective.steps(inputs, Counter())))
    check_finite_differences(model, step, monkeypatch, 1e-5, 1e-5)


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_gradients_of_every_family_are_finite_differences(family, monkeypatch):
    model = model_of(family)
    delta, tolerance = 1e-2, 1e-2  # ModernBERT has its softmax in float32 whatever the rest is in
    if family != "ModernBert":
        model.module.double()
        delta, tolerance = 1e-5, 1e-5
    step = next(iter(Projections(1).steps([model.encoder.text(t) for t in TEXTS[:2]], Counter())))
    check_finite_differences(model, step, monkeypatch, delta, tolerance)


def test_the_gradient_by_the_logit_stays_on_the_simplex():
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(5), size=(2, 3, 5))
    rows = importance.by_logit(weights, rng.standard_normal(weights.shape)).sum(axis=-1)
    np.testing.assert_allclose(rows, 0, atol=1e-12)


# what stands beside an input does not matter


@pytest.mark.parametrize("name", ["masked LM", "projections"])
def test_an_input_has_the_same_gradients_alone_and_beside_others(name, with_head):
    _, model = with_head
    model.with_head = with_head
    objective, inputs = objective_and_inputs(name, model)
    together = gradients_of(model, next(iter(objective.steps(inputs, Counter()))))
    by_length = sorted(inputs, key=len, reverse=True)
    for number, tokens in enumerate(by_length):
        alone = gradients_of(model, next(iter(objective.steps([tokens], Counter()))))
        n = len(tokens)
        for layer in alone:
            for (_, got), (_, expected) in zip(together[layer], alone[layer], strict=True):
                np.testing.assert_allclose(
                    got[number, :, :n, :n], expected[0], rtol=1e-3, atol=1e-5 * abs(expected).max()
                )


@pytest.mark.parametrize("name", ["masked LM", "contrastive", "projections"])
def test_more_padding_changes_no_sum(name, with_head, monkeypatch):
    _, model = with_head
    model.with_head = with_head
    objective, inputs = objective_and_inputs(name, model)
    narrow, wide = (ImportanceSums.empty(*model.shape, objective.n_losses) for _ in range(2))
    importance.differentiate(inputs, model, objective, narrow)
    monkeypatch.setattr("bertattn.reducer.width", lambda longest: longest + 9)
    importance.differentiate(inputs, model, objective, wide)
    assert np.array_equal(narrow.counts, wide.counts)
    np.testing.assert_allclose(wide.sums, narrow.sums, rtol=1e-3, atol=1e-6)


# which rows count


def test_rows_that_the_loss_does_not_read_have_no_gradient_in_the_last_layer(with_head):
    _, model = with_head
    model.with_head = with_head
    objective, inputs = objective_and_inputs("masked LM", model)
    step = next(iter(objective.steps(inputs, Counter())))
    found = gradients_of(model, step)
    for number, (tokens, read) in enumerate(zip(step.inputs, step.read, strict=True)):
        (_, last), (_, first) = found[1][0], found[0][0]
        rows = abs(last[number, :, : len(tokens), : len(tokens)]).sum(axis=(0, 2))
        assert not rows[~read].any()
        assert rows[read].all()
        assert abs(first[number, :, : len(tokens), : len(tokens)]).sum(axis=(0, 2)).all()


def test_only_rows_that_are_read_count_in_the_last_layer_and_all_before(toy_tokens):
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(8), size=(1, 2, 8))
    gradients = rng.standard_normal(weights.shape)
    read = np.arange(8) % 3 == 1
    step = Step([toy_tokens], [targets_of(toy_tokens)], [read], lambda hidden: [])
    sums = ImportanceSums.empty(2, 2)
    for layer in (1, 0):
        sums.update(layer, weights, gradients, step)
    result = sums.result()
    separators = [4, 7]
    whole, part = abs(gradients[0, 1][:, separators]), abs(gradients[0, 1][read][:, separators])
    np.testing.assert_allclose(result.of("gradient", "to_separator")[0, 1], whole.sum() / 16)
    np.testing.assert_allclose(result.of("gradient", "to_separator")[1, 1], part.sum() / 6)


# sums


def slow_means(weights, gradients, kinds, rows, causal):
    """Means by kind of target from their definition, for one head of one input."""
    n, found = len(kinds), {}
    for target in set(kinds):
        values = {form: [] for form in FORMS}
        for i in range(n):
            if not rows[i]:
                continue
            expected = sum(weights[i][k] * gradients[i][k] for k in range(n))
            for j in range(n):
                if kinds[j] == target and not (causal and j > i):
                    values["gradient"].append(abs(gradients[i][j]))
                    values["logit"].append(abs(weights[i][j] * (gradients[i][j] - expected)))
                    values["weight"].append(weights[i][j])
        for form, of_form in values.items():
            if of_form:
                found[form, TARGETS[target]] = sum(of_form) / len(of_form)
    return found


def tokens_of(kinds, document=0):
    n = len(kinds)
    zeros = np.zeros(n, dtype=np.int64)
    return Tokens(("x",) * n, zeros, zeros, zeros, np.array(kinds), ("x",) * n, document)


def random_step(lengths, rng, n_heads=2, causal=False, documents=None):
    inputs = [
        tokens_of([*rng.choice([0, 0, 1, 2, 3], n)], document)
        for n, document in zip(lengths, documents or range(len(lengths)), strict=True)
    ]
    width = max(lengths) + 2
    weights, gradients = np.zeros((2, len(lengths), n_heads, width, width))
    for number, n in enumerate(lengths):
        drawn = rng.random((n_heads, n, n)) + 0.01
        drawn = np.tril(drawn) if causal else drawn
        weights[number, :, :n, :n] = drawn / drawn.sum(axis=-1, keepdims=True)
    gradients[:] = rng.standard_normal(gradients.shape)  # at padding and unseen places too
    read = [rng.random(n) < 0.6 for n in lengths]
    return weights, gradients, Step(inputs, [targets_of(t) for t in inputs], read, lambda _: [])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("last", [False, True])
def test_sums_are_those_of_a_slow_loop(causal, last):
    weights, gradients, step = random_step([7, 4, 9, 1], np.random.default_rng(3), causal=causal)
    sums = ImportanceSums.empty(2, 2)
    sums.update(int(last), weights, gradients, step)
    for document, (tokens, read) in enumerate(zip(step.inputs, step.read, strict=True)):
        n, kinds = len(tokens), targets_of(tokens).tolist()
        rows = read if last else [True] * n
        for attn_head in range(2):
            part = (m[document, attn_head, :n, :n].tolist() for m in (weights, gradients))
            expected = slow_means(*part, kinds, rows, causal)
            for f, form in enumerate(FORMS):
                for t, target in enumerate(TARGETS):
                    got = sums.sums[document, f, t, int(last), attn_head]
                    np.testing.assert_allclose(got, expected.get((form, target), 0), atol=1e-6)
                    counted = sums.counts[document, t, int(last)]
                    assert counted == ((form, target) in expected)


@settings(max_examples=30, deadline=None)
@given(arrays(np.float64, (1, 1, 4, 4), elements=st.floats(-100, 100)))
def test_sums_on_torch_are_those_on_numpy(gradients):
    tokens = tokens_of([2, 0, 1, 3])
    step = Step([tokens], [targets_of(tokens)], [np.ones(4, dtype=bool)], lambda _: [])
    weights = np.full((1, 1, 4, 4), 1 / 4)
    one, other = ImportanceSums.empty(1, 1), ImportanceSums.empty(1, 1)
    one.update(0, weights, gradients, step)
    other.update(0, torch.tensor(weights), torch.tensor(gradients), step)
    np.testing.assert_allclose(one.sums, other.sums)
    assert np.array_equal(one.counts, other.counts)


def summed(parts, n_losses=1):
    sums = ImportanceSums.empty(1, 2, n_losses)
    for weights, gradients, step in parts:
        sums.update(0, weights, gradients, step)
        sums.n_inputs += len(step.inputs)
        sums.left_out["pairs_missing"] += 1
    return sums


def test_two_halves_add_up_to_the_whole_and_survive_a_file(tmp_path):
    rng = np.random.default_rng(0)
    parts = [random_step([5, 3], rng), random_step([4, 6, 2], rng, documents=[7, 8, 59])]
    whole, added = summed(parts), summed(parts[:1]) + summed(parts[1:])
    np.testing.assert_allclose(added.sums, whole.sums)
    assert np.array_equal(added.counts, whole.counts)
    assert (added.n_inputs, added.left_out) == (5, {"pairs_missing": 2})
    whole.save(tmp_path / "deep" / "sums.npz")
    loaded = ImportanceSums.load(tmp_path / "deep" / "sums.npz")
    assert np.array_equal(loaded.sums, whole.sums)
    assert np.array_equal(loaded.counts, whole.counts)
    assert (loaded.n_inputs, loaded.n_losses, loaded.left_out) == (5, 1, whole.left_out)


def test_sums_of_other_losses_are_not_added():
    with pytest.raises(ValueError, match="other numbers of losses cannot be added"):
        ImportanceSums.empty(1, 1, 2) + ImportanceSums.empty(1, 1, 3)


def test_inputs_are_counted_once_however_many_losses():
    weights, gradients, step = random_step([5, 3], np.random.default_rng(0))
    sums = summed([(weights, gradients, step), (weights, 3 * gradients, step)], n_losses=2)
    once = summed([(weights, gradients, step)])
    assert sums.result().counts.max() == once.result().counts.max() == 2
    for target in TARGETS:
        expected = 2 * once.result().of("gradient", target)  # the mean of 1 and 3 times as much
        np.testing.assert_allclose(sums.result().of("gradient", target), expected)


def test_nothing_measured_is_an_error():
    with pytest.raises(ValueError, match="nothing was measured"):
        ImportanceSums.empty(1, 1).result()
    model = model_of()
    with pytest.raises(ValueError, match=r'objective can use; wanted longer .* OBJECTIVE="pr'):
        importance.differentiate([], model, Contrastive(), ImportanceSums.empty(*model.shape))


def test_sums_for_another_number_of_losses_are_refused():
    model = model_of()
    with pytest.raises(ValueError, match="has 4 losses, the sums are of 1"):
        importance.differentiate([], model, Projections(), ImportanceSums.empty(*model.shape))


def test_kinds_of_target_are_told_apart(toy_tokens):
    named = [TARGETS[t] for t in targets_of(toy_tokens)]
    other, mark, separator = "to_other", "to_punctuation", "to_separator"
    assert named == ["to_start", other, other, mark, separator, other, mark, separator]
    assert TARGETS[targets_of(tokens_of([0, 1, 0]))[0]] == "to_first"


# the masked LM


def test_fifteen_per_cent_are_masked_by_seed_and_text_alone(with_head):
    folder, model = with_head
    objective = MaskedLM(masked_head(folder, model))
    inputs = [model.encoder.text("the keeper fed it, " * n) for n in range(1, 12)]
    n_pieces = [int((~t.special).sum()) for t in inputs]
    masked = [objective.masked(t) for t in inputs]
    assert [int(m.sum()) for m in masked] == [max(1, round(0.15 * n)) for n in n_pieces]
    assert not any(m[t.special].any() for m, t in zip(masked, inputs, strict=True))
    again = [MaskedLM(objective.mlm_head).masked(t) for t in reversed(inputs)]
    assert all(np.array_equal(a, b) for a, b in zip(masked, reversed(again), strict=True))
    other = [MaskedLM(objective.mlm_head, seed=1).masked(t) for t in inputs]
    assert not all(np.array_equal(a, b) for a, b in zip(masked, other, strict=True))


def test_texts_of_one_length_are_not_all_masked_at_one_place(with_head):
    folder, model = with_head
    objective = MaskedLM(masked_head(folder, model))
    texts = (
        f"the {word} and it did that or it" for word in ("keeper", "octopus", "animal", "shell")
    )
    masked = [objective.masked(model.encoder.text(text)) for text in texts]
    assert len({len(m) for m in masked}) == 1
    assert len({m.tobytes() for m in masked}) > 1


def test_masked_pieces_are_hidden_and_no_commas_any_more(with_head):
    folder, model = with_head
    objective = MaskedLM(masked_head(folder, model), rate=1.0)
    tokens = model.encoder.text("the keeper fed it, and her.")
    (step,) = objective.steps([tokens], Counter())
    pieces = step.inputs[0].pieces
    assert set(pieces[1:-1]) == {"[MASK]"}
    assert set(step.inputs[0].ids[1:-1].tolist()) == {objective.mlm_head.mask_id}
    named = [TARGETS[t] for t in step.targets[0]]
    assert named == ["to_start", *["to_mask"] * (len(pieces) - 2), "to_separator"]


@pytest.mark.parametrize(
    "family", [f for f in tiny.FAMILIES if hasattr(transformers, f"{f}ForMaskedLM")]
)
def test_the_loss_is_that_of_the_library(family, tmp_path):
    model = load(save_masked(tmp_path, family), device="cpu")
    objective = MaskedLM(masked_head(tmp_path, model))
    assert objective.name == "masked LM"
    inputs = [model.encoder.text(t) for t in TEXTS[:3]]
    (step,) = objective.steps(inputs, Counter())
    whole = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path)
    expected = 0.0
    for tokens, read, hidden in zip(
        sorted(inputs, key=len, reverse=True), step.read, step.inputs, strict=True
    ):
        labels = torch.tensor(np.where(read, tokens.ids, -100))[None]
        with torch.no_grad():
            expected += float(whole(**model._arguments([hidden]), labels=labels).loss)
    np.testing.assert_allclose(losses_of(model, step), [expected], rtol=1e-4)


def test_a_head_that_would_be_random_is_refused_by_name(tmp_path):
    model = load(save(tmp_path / "plain", "Bert"), device="cpu")
    with pytest.raises(NoMaskedHeadError, match=r"would be random: cls\.predictions\.bias, .*take"):
        masked_head(tmp_path / "plain", model)
    random = masked_head(tmp_path / "plain", model, allow_random=True)
    assert "cls.predictions.transform.dense.weight" in random.random
    objective = MaskedLM(random)
    assert objective.options["objective"] == "masked LM with a RANDOM head"
    sums = ImportanceSums.empty(*model.shape)
    importance.differentiate([model.encoder.text(TEXTS[0])], model, objective, sums)
    assert np.isfinite(sums.result().of("gradient", "to_start")).all()


def test_the_packaged_model_has_no_head_for_masked_pieces(minilm):
    with pytest.raises(NoMaskedHeadError, match=r"minilm: the checkpoint has no head .*random"):
        masked_head("minilm", minilm)
    assert importance.objective(minilm, "minilm") == Contrastive()


def test_a_head_on_another_encoder_is_refused(with_head):
    folder, _ = with_head
    other = random_init(folder, seed=3, device="cpu")
    with pytest.raises(ModelError, match=r"is not the one that is measured \(\S+ differs\)"):
        masked_head(folder, other)


def test_a_family_without_such_a_head_is_told(tmp_path):
    model = load(save(tmp_path, "GPT2"), device="cpu")
    with pytest.raises(NoMaskedHeadError, match="the tokenizer has no mask token; take another"):
        masked_head(tmp_path, model)
    model.encoder.tokenizer.mask_token = "<s>"
    with pytest.raises(NoMaskedHeadError, match="no masked language model can be made of"):
        masked_head(tmp_path, model)


def test_a_head_leaves_the_model_as_it_was(with_head):
    folder, model = with_head
    before = [p.requires_grad for p in model.module.parameters()]
    expected = model.attention(TEXTS[0]).weights
    masked_head(folder, model)
    assert [p.requires_grad for p in model.module.parameters()] == before
    assert np.array_equal(model.attention(TEXTS[0]).weights, expected)


def test_an_objective_is_had_by_name(with_head):
    folder, model = with_head
    assert isinstance(importance.objective(model, folder), MaskedLM)
    assert isinstance(importance.objective(model, folder, "masked LM"), MaskedLM)
    assert importance.objective(model, folder, "contrastive") == Contrastive()
    assert importance.objective(model, folder, "projections") == Projections()
    with pytest.raises(ValueError, match="wanted one of masked LM, contrastive, projections"):
        importance.objective(model, folder, "mlm")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Contrastive(temperature=0.0), "a temperature over 0 and at least two pairs"),
        (lambda: Contrastive(n_pairs=1), "at least two pairs in a batch, got 0.05 and 1"),
        (lambda: Projections(0), "at least one projection, got 0"),
    ],
)
def test_settings_that_make_no_objective_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_share_to_mask_is_over_0_and_up_to_1(with_head):
    folder, model = with_head
    for rate in (0.0, 1.5):
        with pytest.raises(ValueError, match="a share of pieces to mask, over 0 and up to 1"):
            MaskedLM(masked_head(folder, model), rate=rate)


# the contrastive loss


def test_the_contrastive_loss_is_that_of_its_formula(tiny_model):
    inputs = pairs_of(tiny_model)
    objective = Contrastive(temperature=0.3, n_pairs=3)
    (step,) = objective.steps(inputs, Counter())
    vectors = []
    for tokens in inputs:
        with torch.no_grad():
            vector = tiny_model.module(**tiny_model._arguments([tokens]))[0][0].mean(dim=0).numpy()
        vectors.append(vector / np.sqrt((vector**2).sum()))
    cosines = np.array([[a @ b for b in vectors[1::2]] for a in vectors[::2]]) / 0.3
    expected = 0.0
    for k in range(3):
        across, down = np.exp(cosines[k]), np.exp(cosines[:, k])
        expected -= (np.log(across[k] / across.sum()) + np.log(down[k] / down.sum())) / 2
    np.testing.assert_allclose(losses_of(tiny_model, step), [expected], rtol=1e-4)


def test_a_pair_left_alone_has_no_contrast_and_is_counted(tiny_model):
    left_out, inputs = Counter(), pairs_of(tiny_model)
    assert not list(Contrastive(n_pairs=2).steps(inputs[:2], left_out))
    assert left_out == {"inputs_without_a_contrast": 2}


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 60), st.integers(2, 9))
def test_pairs_are_spread_evenly_over_batches_and_none_is_alone(n, most):
    text = model_of().encoder.text(TEXTS[0])
    inputs = [replace(text, source=Half(i // 2, second=i % 2 == 1)) for i in range(2 * n)]
    left_out = Counter()
    steps = list(Contrastive(n_pairs=most).steps(inputs, left_out))
    sizes = [len(step.inputs) // 2 for step in steps]
    assert [t.source for step in steps for t in step.inputs] == [t.source for t in inputs]
    assert not left_out
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 2
    assert max(sizes) <= max(most, 3)


def test_inputs_that_are_no_pairs_are_refused(tiny_model):
    pairs = pairs_of(tiny_model)
    singles = [tiny_model.encoder.text(t) for t in TEXTS[:4]]
    for inputs in (singles, pairs[1:5], [pairs[0], pairs[1], pairs[2]], pairs[:2] + pairs[4:]):
        with pytest.raises(ValueError, match="wanted pairs of consecutive texts"):
            list(Contrastive().steps(inputs, Counter()))


# models without gradients


def test_integer_weights_are_refused(doubled):
    part = doubled.module.encoder.layer[0].output.dense
    part.weight = torch.nn.Parameter(part.weight.to(torch.int8), requires_grad=False)
    with pytest.raises(
        ModelError, match=r"no gradient reaches the attention weights\. Wanted floa"
    ):
        backward(doubled, [doubled.encoder.text("it")], lambda h: [h.sum()], print)


def detached(module, _arguments, output):
    return output.detach() if isinstance(output, torch.Tensor) else output


@pytest.mark.parametrize("part", ["encoder.layer.0.attention.self.query", "encoder.layer.1.output"])
def test_a_pass_that_breaks_the_graph_is_refused(part):
    """As quantised layers do: what comes out of them has no gradient."""
    model = model_of()
    names = (
        [part, part.replace("query", "key"), "embeddings"] if "query" in part else [part]
    )  # fmt: skip
    for name in names:
        model.module.get_submodule(name).register_forward_hook(detached)
    with pytest.raises(ModelError, match=r"not integer or quantised ones.*load the checkpoint unq"):
        backward(model, [model.encoder.text("it")], lambda h: [h.sum()], lambda *_: None)


def test_gradients_that_are_no_numbers_are_refused(tiny_model):
    with pytest.raises(ModelError, match="the largest gradient is nan by the attention weights of"):
        backward(
            tiny_model,
            [tiny_model.encoder.text("it")],
            lambda h: [h.sum() * np.nan],
            lambda *_: None,
        )


def test_maps_that_are_not_in_the_losss_graph_are_refused():
    """As when a model returns a copy of what it computes with."""
    model = model_of()
    plain = model.module.encoder.layer[1].attention.self
    forward = plain.forward

    def copies(*args, **kwargs):
        output, weights = forward(*args, **kwargs)
        return output, weights.clone()

    plain.forward = copies
    with pytest.raises(ModelError, match=r"the largest gradient is 0 by the .* of layer 2\."):
        backward(model, [model.encoder.text("it")], lambda h: [h[0, 0, 0]], lambda *_: None)


def test_the_model_is_left_as_it_was(tiny_model):
    parameters = list(tiny_model.module.parameters())
    hooks = [len(p._forward_hooks) for p in tiny_model.module.modules()]
    expected = tiny_model.attention(TEXTS[0]).weights
    gradients_of(
        tiny_model, next(iter(Projections(1).steps([tiny_model.encoder.text("it")], Counter())))
    )
    assert all(p.requires_grad and p.grad is None for p in parameters)
    assert [len(p._forward_hooks) for p in tiny_model.module.modules()] == hooks
    assert np.array_equal(tiny_model.attention(TEXTS[0]).weights, expected)


# pairs


def test_pairs_are_neighbours_and_articles_take_turns(articles, encoder):
    inputs = list(Pairs(articles, encoder))
    texts = [" ".join(t.words) for t in inputs]
    assert [t.source.pair for t in inputs] == [0, 0, 1, 1, 2, 2]
    assert [t.document for t in inputs] == [0, 0, 1, 1, 0, 0]
    assert [t.source.second for t in inputs] == [False, True] * 3
    for one, two, document in zip(texts[::2], texts[1::2], (0, 1, 0), strict=True):
        sentences = [" ".join(encoder.text(s).words) for s in articles[document].sentences]
        place = sentences.index(one)
        assert place % 2 == 0
        assert sentences[place + 1] == two


def test_pairs_are_seeded_and_the_same_each_time(articles, encoder):
    pairs = Pairs(articles, encoder)
    assert [t.words for t in pairs] == [t.words for t in pairs]
    orders = {tuple(t.words for t in Pairs(articles, encoder, seed=seed)) for seed in range(8)}
    assert len(orders) == 2  # the first article has two pairs


def test_pairs_that_cannot_be_are_counted(articles, encoder, caplog):
    long = articles[1].__class__("Long", (("it " * 80, "it did.", "\u200b", "it fed her."),))
    pairs = Pairs([long, articles[1]], encoder, n=5)
    assert len(list(pairs)) == 2
    assert pairs.left_out == {"pairs_too_long": 1, "pairs_without_pieces": 1, "pairs_missing": 4}
    assert "asked for 5 pairs, the corpus has 1" in caplog.text


def test_a_single_pair_is_refused(articles, encoder):
    with pytest.raises(ValueError, match="at least two pairs, each a contrast to others, got 1"):
        Pairs(articles, encoder, n=1)


def test_each_objective_makes_its_inputs(articles, with_head):
    folder, model = with_head
    masked = MaskedLM(masked_head(folder, model))
    kinds = [
        o.inputs(articles, model.encoder, 2).options["kind"]
        for o in (masked, Contrastive(), Projections())
    ]
    assert kinds == ["segments", "sentences in adjacent pairs", "sentences"]
    assert measure.measure(Contrastive().inputs(articles, model.encoder, 2), model) == 4


def test_punctuation_and_specials_are_targets_of_a_pair(tiny_model):
    tokens = tiny_model.encoder.text("it, did.", "it fed.")
    assert (tokens.kinds == Kind.SEPARATOR).sum() == 2
    assert Counter(TARGETS[t] for t in targets_of(tokens))["to_separator"] == 2
