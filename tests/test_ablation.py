"""What attention moves, what its removal changes, and where heads look at a sink."""

import gc
import subprocess
import sys
import weakref
from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from bertattn import importance, measure, syntax
from bertattn.corpora import ParsedSentence
from bertattn.heads import AttentionHead
from bertattn.importance import CHANGES, MOVED, TARGETS, AblationSums, MovedSums, SinkShares
from bertattn.importance.ablation import CONTROL
from bertattn.importance.moved import moved_by_target
from bertattn.importance.targets import targets_of
from bertattn.model import AttentionModel, Interventions, ModelError, interventions
from bertattn.reducer import Batch
from bertattn.segments import Trees
from tests import tiny
from tests.test_importance import TEXTS, model_of, tokens_of

CANNOT = ("MPNet", "DebertaV2")


def inputs_of(model, texts=TEXTS[:3]):
    return [model.encoder.text(t, document=n) for n, t in enumerate(texts)]


@pytest.fixture
def empty_sink():
    """A model whose first layer gives [CLS], the same in every input, no value at all."""
    model = model_of()
    attention = model.module.encoder.layer[0].attention.self
    arguments = model._arguments([model.encoder.text("it")])
    embedded = model.module.embeddings(
        input_ids=arguments["input_ids"], token_type_ids=arguments["token_type_ids"]
    )
    with torch.no_grad():
        attention.value.bias.copy_(-attention.value.weight @ embedded[0, 0])
    return model


# interventions


@pytest.mark.parametrize("family", [f for f in tiny.FAMILIES if f not in CANNOT])
def test_what_passes_through_is_unchanged_and_what_is_changed_is_used(family):
    model = model_of(family)
    opened, inputs = Interventions(model), inputs_of(model, TEXTS[:2])
    with torch.inference_mode():
        plain = model.module(**model._arguments(inputs))[0]
    assert torch.equal(opened.hidden(inputs), plain)
    seen = []

    def only_itself(layer, weights, values):
        seen.append((layer, tuple(weights.shape[:2]), values.shape[:3] == weights.shape[:3]))
        return torch.eye(weights.shape[-1]).expand_as(weights)

    changed = opened.hidden(inputs, only_itself)
    assert seen == [(layer, (2, 3), True) for layer in range(2)]
    assert (changed - plain).abs().max() > 1e-2
    assert model.module.config._attn_implementation == "eager"
    assert torch.equal(model.module(**model._arguments(inputs))[0].detach(), plain)


@pytest.mark.parametrize("family", CANNOT)
def test_a_family_that_never_calls_ours_is_refused(family):
    with pytest.raises(ModelError, match=r"called for 0 of 2 layers\); gradients by its .* can st"):
        Interventions(model_of(family))


def test_values_that_do_not_make_up_the_output_are_refused(monkeypatch):
    model = model_of()
    module = transformers.models.bert.modeling_bert
    plain = module.eager_attention_forward

    def adds(*args, **kwargs):
        output, weights = plain(*args, **kwargs)
        return output + 1, weights

    monkeypatch.setattr(module, "eager_attention_forward", adds)
    with pytest.raises(ModelError, match=r"passing attention through changes it by \d"):
        Interventions(model)


def test_a_family_without_a_function_of_its_own_is_refused(monkeypatch):
    of_bert = transformers.models.bert.modeling_bert.BertSelfAttention
    monkeypatch.setattr(of_bert, "__module__", tiny.__name__)
    with pytest.raises(ModelError, match=r"its attention be changed, .* \(it has no attention of"):
        Interventions(model_of())


def test_nothing_of_a_pass_is_kept_by_the_library(tiny_model):
    class Edit:
        def __call__(self, layer, weights, values):
            return None

    edit = Edit()
    alive = weakref.ref(edit)
    Interventions(tiny_model).hidden(inputs_of(tiny_model), edit)
    del edit
    gc.collect()
    assert alive() is None
    with pytest.raises(ModelError, match="is there during a pass of Interventions only"):
        transformers.AttentionInterface()[interventions.NAME]()


def test_heads_that_share_values_get_them_each():
    config = transformers.LlamaConfig(
        vocab_size=300, hidden_size=24, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, intermediate_size=32, initializer_range=0.5, bos_token_id=1,
        eos_token_id=2, max_position_embeddings=64,
    )  # fmt: skip
    config._attn_implementation = "eager"
    torch.manual_seed(0)
    tokenizer = tiny.byte_level(special=False)
    model = AttentionModel(transformers.LlamaModel(config), tokenizer, "llama", device="cpu")
    sums = MovedSums.empty(*model.shape)
    assert importance.move(inputs_of(model), model, sums) == 3
    assert sums.result().mean.shape == (len(MOVED), len(TARGETS), 2, 4)


def test_the_encoder_of_an_encoder_and_decoder_can_be_changed():
    config = transformers.T5Config(
        vocab_size=90, d_model=24, d_kv=8, d_ff=32, num_layers=2, num_heads=3
    )
    config._attn_implementation = "eager"
    torch.manual_seed(0)
    module = transformers.T5EncoderModel(config)
    model = AttentionModel(module, tiny.unigram(), "t5", device="cpu")
    sums = AblationSums.empty(2, ("to_start",))
    importance.ablate(inputs_of(model), model, sums)
    assert (sums.result().mean[CHANGES.index("relative")] > 0).all()


# what is moved


def slow_moved(weights, values, kinds):
    """The numbers of ``MOVED`` from their definition, for one head of one input."""
    n = len(kinds)
    norms = [sum(x * x for x in v) ** 0.5 for v in values]
    found = {}
    for target in set(kinds):
        of_kind = [j for j in range(n) if kinds[j] == target]
        share = sum(weights[i][j] for i in range(n) for j in of_kind) / n
        parts = [
            sum(weights[i][j] * norms[j] for j in of_kind)
            / sum(weights[i][j] * norms[j] for j in range(n))
            for i in range(n)
        ]
        size = (sum(norms[j] for j in of_kind) / len(of_kind)) / (sum(norms) / n)
        found[target] = (share, sum(parts) / n, size)
    return found


def test_what_is_moved_is_that_of_a_slow_loop():
    rng = np.random.default_rng(0)
    lengths, n_heads, wide = (7, 4, 1), 2, 9
    inputs = [tokens_of([*rng.choice([0, 1, 2, 3], n)], n) for n in lengths]
    weights = np.zeros((3, n_heads, wide, wide))
    for number, n in enumerate(lengths):
        weights[number, :, :n, :n] = rng.dirichlet(np.ones(n), size=(n_heads, n))
        weights[number, :, n:, :n] = 1 / n  # rows of padding
    values = rng.standard_normal((3, n_heads, wide, 5))
    got, counted = moved_by_target(weights, values, inputs)
    for number, tokens in enumerate(inputs):
        n, kinds = len(tokens), targets_of(tokens).tolist()
        assert counted[number].tolist() == [kinds.count(t) for t in range(len(TARGETS))]
        for attn_head in range(n_heads):
            one = weights[number, attn_head, :n, :n].tolist()
            expected = slow_moved(one, values[number, attn_head, :n].tolist(), kinds)
            for target, numbers in expected.items():
                np.testing.assert_allclose(got[number, target, :, attn_head], numbers, rtol=1e-6)
    on_torch, _ = moved_by_target(torch.tensor(weights), torch.tensor(values), inputs)
    np.testing.assert_allclose(on_torch, got)


def test_a_sink_without_a_value_moves_nothing(empty_sink):
    sums = MovedSums.empty(*empty_sink.shape)
    importance.move(inputs_of(empty_sink), empty_sink, sums)
    mean, start = sums.result().mean, TARGETS.index("to_start")
    assert (mean[MOVED.index("share"), start, 0] > 0.01).all()
    assert (mean[MOVED.index("moved_share"), start, 0] < 1e-5).all()
    assert (mean[MOVED.index("value_norm"), start, 0] < 1e-5).all()
    assert (mean[MOVED.index("moved_share"), start, 1] > 1e-3).all()


def test_shares_of_all_kinds_sum_to_1(tiny_model):
    sums = MovedSums.empty(*tiny_model.shape)
    importance.move([tiny_model.encoder.text(TEXTS[0])], tiny_model, sums)
    mean = sums.result().mean
    for measure_ in ("share", "moved_share"):
        total = np.nansum(mean[MOVED.index(measure_)], axis=0)
        np.testing.assert_allclose(total, 1, rtol=1e-5)


def test_moved_sums_add_up_and_survive_a_file(tiny_model, tmp_path):
    inputs = inputs_of(tiny_model)
    whole, one, rest = (MovedSums.empty(*tiny_model.shape) for _ in range(3))
    importance.move(inputs, tiny_model, whole)
    importance.move(inputs[:1], tiny_model, one)
    importance.move(inputs[1:], tiny_model, rest)
    added = one + rest
    np.testing.assert_allclose(added.sums, whole.sums, rtol=1e-4, atol=1e-6)
    assert np.array_equal(added.counts, whole.counts)
    added.save(tmp_path / "moved.npz")
    loaded = MovedSums.load(tmp_path / "moved.npz")
    assert np.array_equal(loaded.sums, added.sums)
    assert np.array_equal(loaded.counts, added.counts)
    assert loaded.n_inputs == added.n_inputs == 3


def test_nothing_moved_or_taken_away_is_an_error(tiny_model):
    for empty in (MovedSums.empty(2, 3), AblationSums.empty(2)):
        with pytest.raises(ValueError, match="nothing was measured"):
            empty.result()
    with pytest.raises(ValueError, match="the corpus gave no input"):
        importance.move([], tiny_model, MovedSums.empty(*tiny_model.shape))
    with pytest.raises(ValueError, match="the corpus gave no input"):
        importance.ablate([], tiny_model, AblationSums.empty(2))


# taking attention away


def slow_removal(weights, columns, n, way):
    """One head's map without attention to some columns, from the definition."""
    found = []
    for i in range(n):
        row = list(weights[i])
        put = [0.0] * n
        if way == "mean":
            for j in range(n):
                seen = [weights[k][j] for k in range(n)]
                put[j] = sum(seen) / n if columns[j] else 0.0
        others = [0.0 if columns[j] else row[j] for j in range(n)]
        if way == "dropped":
            found.append(others)
        elif sum(others) <= 1e-6:
            found.append(row)
        else:
            scale = (1 - sum(put)) / sum(others)
            found.append([p + o * scale for p, o in zip(put, others, strict=True)])
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["dropped", "renormalised", "mean"]))
def test_removal_is_that_of_a_slow_loop(seed, way):
    rng = np.random.default_rng(seed)
    n, wide = 4, 6
    weights = np.zeros((1, 2, wide, wide))
    weights[0, :, :n, :n] = rng.dirichlet(np.full(n, 0.4), size=(2, n)) * 0.98 + 0.005
    weights[0, :, n:, 0] = 1
    columns = np.zeros((1, wide), dtype=bool)
    columns[0, :n] = rng.random(n) < 0.4
    rows = np.arange(wide)[None] < n
    arguments = (torch.tensor(x) for x in (weights, columns, rows))
    without, _ = importance.remove(*arguments, way)
    for attn_head in range(2):
        part = weights[0, attn_head, :n, :n].tolist()
        expected = slow_removal(part, columns[0, :n].tolist(), n, way)
        np.testing.assert_allclose(without[0, attn_head, :n, :n], expected, atol=1e-6)
    if way != "dropped":
        np.testing.assert_allclose(without.sum(dim=-1)[0, :, :n], 1, atol=1e-6)


def test_a_column_at_its_mean_already_changes_nothing():
    same = torch.tensor([[0.4, 0.3, 0.3]]).expand(1, 1, 3, 3)
    columns, rows = torch.tensor([[True, False, False]]), torch.ones(1, 3).bool()
    without, _ = importance.remove(same, columns, rows, "mean")
    np.testing.assert_allclose(without, same, rtol=1e-6)


def test_a_decoder_gets_no_attention_to_later_tokens_by_the_mean():
    weights = torch.tensor([[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.6, 0.2]])[None, None]
    columns, rows = torch.tensor([[False, True, False]]), torch.ones(1, 3).bool()
    without, _ = importance.remove(weights, columns, rows, "mean")
    assert not without.triu(1).any()
    np.testing.assert_allclose(without[0, 0, 1:, 1], (0.5 + 0.6) / 2)


def test_attention_to_a_token_without_a_value_can_be_dropped_but_not_given_to_others(empty_sink):
    inputs = inputs_of(empty_sink)
    changed = {}
    for way in ("dropped", "renormalised"):
        sums = AblationSums.empty(2, ("to_start", "to_separator"), way)
        assert importance.ablate(inputs, empty_sink, sums) == 3
        changed[way] = sums.result().mean
    relative, text, share = (CHANGES.index(c) for c in ("relative", "text", "share"))
    assert changed["dropped"][relative, 0, 0] < 1e-6
    assert changed["dropped"][text, 0, 0] < 1e-12
    assert changed["renormalised"][relative, 0, 0] > 1e-2
    assert changed["dropped"][relative, 1, 0] > 1e-2  # the second layer has values for it
    assert changed["dropped"][relative, 0, 1] > 1e-2  # and the separator has one in the first
    np.testing.assert_allclose(changed["dropped"][share], changed["renormalised"][share])


def test_the_share_taken_away_is_the_attention_there_was(tiny_model):
    tokens = tiny_model.encoder.text(TEXTS[0])
    weights = tiny_model.attention(tokens).weights
    heads = [AttentionHead(0, 1), AttentionHead(1, 2)]
    whole = AblationSums.empty(2, ("to_start",))
    single = AblationSums.empty(2, ("to_start",), attn_heads=heads)
    for sums in (whole, single):
        importance.ablate([tokens], tiny_model, sums)
    got = whole.result().mean[CHANGES.index("share"), :, 0]
    np.testing.assert_allclose(got, weights[..., 0].mean(axis=(1, 2)), rtol=1e-5)
    got = single.result().mean[CHANGES.index("share"), :, 0]
    expected = [weights[h.layer, h.index, :, 0].mean() for h in heads]
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    assert [str(site.attn_head) for site in single.sites] == ["1-2", "2-3"]


def test_the_change_is_measured_as_it_says():
    plain = torch.tensor([[[1.0, 0.0], [0.0, 2.0], [9.0, 9.0]]])
    changed = torch.tensor([[[0.0, 1.0], [0.0, 2.0], [5.0, 1.0]]])
    rows = torch.tensor([[True, True, False]])
    tokens, relative, text = importance.change(plain, changed, rows)[0].tolist()
    assert tokens == pytest.approx((1 + 0) / 2)
    assert relative == pytest.approx(2**0.5 / 5**0.5)
    assert text == pytest.approx(1 - (0 * 1 + 3 * 2) / (3 * 5**0.5))


def test_one_other_token_is_drawn_by_the_text_alone(tiny_model):
    sums, again = (AblationSums.empty(2, (CONTROL,)) for _ in range(2))
    inputs = inputs_of(tiny_model)
    importance.ablate(inputs, tiny_model, sums)
    for tokens in reversed(inputs):
        importance.ablate([tokens], tiny_model, again)
    np.testing.assert_allclose(again.sums, sums.sums, rtol=1e-2, atol=1e-5)
    assert np.array_equal(again.counts, sums.counts)


def test_rows_with_nothing_else_are_counted_and_left_as_they_are(tiny_model):
    alone = [t for t in inputs_of(tiny_model, ["it"]) if len(t) == 3]
    sums = AblationSums.empty(2, ("to_start",), attn_heads=[AttentionHead(0, 0)])

    class Sure(Interventions):
        def hidden(self, inputs, edit=None):
            def sink(layer, weights, values):
                only = torch.zeros_like(weights)
                only[..., 0] = 1
                changed = edit(layer, only, values) if edit else None
                return only if changed is None else changed

            return super().hidden(inputs, sink)

        def _check(self):
            pass

    importance.ablation._ablate_batch(alone, Sure(tiny_model), sums)
    assert sums.left_out == {"rows_with_nothing_else": 3}
    assert sums.sums[0, CHANGES.index("relative")].max() == 0


def test_parts_of_an_ablation_add_up(tiny_model):
    inputs = inputs_of(tiny_model)
    whole, one, rest = (AblationSums.empty(2, ("to_start", "to_punctuation")) for _ in range(3))
    importance.ablate(inputs, tiny_model, whole)
    importance.ablate(inputs[:1], tiny_model, one)
    importance.ablate(inputs[1:], tiny_model, rest)
    added = one + rest
    np.testing.assert_allclose(added.sums, whole.sums, rtol=1e-2, atol=1e-5)
    assert np.array_equal(added.counts, whole.counts)
    assert whole.counts.sum(axis=0).tolist() == [3, 2]  # one text has no full stop or comma
    with pytest.raises(ValueError, match="other sites, targets or ways cannot be added"):
        whole + AblationSums.empty(2, ("to_start",))


def test_targets_and_ways_that_there_are_not_are_refused():
    with pytest.raises(ValueError, match=r"wanted targets out of to_start, .*, got 'to_cls'"):
        AblationSums.empty(2, ("to_cls",))


def test_ways_that_there_are_not_are_refused():
    code = (
        "from bertattn.importance import AblationSums\n"
        "try: AblationSums.empty(2, way='zero')\n"
        "except ValueError as error: print(error)"
    )  # in a process of its own, where types are not checked first
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "wanted one of dropped, renormalised, mean as way, got 'zero'"


def test_both_are_taken_at_once_or_the_reason_is_told(tiny_model):
    inputs = inputs_of(tiny_model)
    taken = importance.take_away(iter(inputs), tiny_model, "to_start", ("dropped", "mean"))
    alone = AblationSums.empty(2, ("to_start", CONTROL), "mean")
    importance.ablate(inputs, tiny_model, alone)
    assert [sums.way for sums in taken.parts] == ["dropped", "mean"]
    np.testing.assert_allclose(taken.parts[1].sums, alone.sums)
    assert (taken.moved.n_inputs, taken.refused) == (3, "")
    closed = importance.take_away(inputs, model_of("MPNet"), "to_start")
    assert (closed.moved, closed.parts) == (None, ())
    assert closed.refused.startswith("MPNet: MPNetModel does not let its attention be changed")


# where heads look at a sink

SENTENCE = ParsedSentence(
    "1",
    ("the", "keeper", "fed", "it", "."),
    ("DT", "NN", "VBD", "PRP", "."),
    (1, 2, None, 2, 2),
    ("det", "nsubj", "root", "dobj", "punct"),
    document="one",
)


@pytest.fixture
def planted(encoder):
    """Head 1-1: the object looks at its verb, all others at [CLS]; head 1-2: all at [SEP]."""
    (tokens,) = Trees([SENTENCE], encoder)
    n = len(tokens)
    weights = np.zeros((1, 2, n, n), dtype=np.float32)
    weights[0, 0, :, 0] = 1
    place = {
        word: np.flatnonzero(tokens.unit_of == number) for number, word in enumerate(tokens.words)
    }
    (it,), (fed,) = place["it"], place["fed"]
    weights[0, 0, it] = np.eye(n)[fed]
    weights[0, 1, :, n - 1] = 1
    return weights, Batch.of([tokens])


def shares_of(weights, batch, relations=("det", "nsubj", "dobj", "punct")):
    shares = SinkShares.empty(1, weights.shape[1], relations)
    shares.update(0, weights, batch)
    return shares


def test_a_planted_head_looks_at_the_sink_where_its_relation_does_not_apply(planted):
    shares = shares_of(*planted)
    one, other = AttentionHead(0, 0), AttentionHead(0, 1)
    forward, backward = syntax.DIRECTIONS
    found = shares.result("dobj", one, forward, "to_start")
    assert (found.applies, found.n_applies, found.elsewhere, found.n_elsewhere) == (0, 1, 1, 3)
    assert found.difference == 1
    assert np.isnan(found.interval.low)  # one document
    found = shares.result("dobj", one, backward, "to_start")  # the verb governs an object
    assert (found.applies, found.n_applies, found.elsewhere, found.n_elsewhere) == (1, 1, 2 / 3, 3)
    found = shares.result("dobj", other, forward, "to_separator")
    assert (found.applies, found.elsewhere) == (1, 1)
    assert shares.result("dobj", other, forward, "to_first").elsewhere == 0


def test_a_split_words_row_is_the_mean_of_its_pieces(encoder):
    (tokens,) = Trees([ParsedSentence("1", ("zoo",), ("NN",), (None,), ("root",))], encoder)
    n = len(tokens)
    weights = np.zeros((1, 1, n, n), dtype=np.float32)
    weights[0, 0, 1, 0] = 1  # the first of its three pieces
    found = shares_of(weights, Batch.of([tokens])).result(
        "root", AttentionHead(0, 0), syntax.DIRECTIONS[0], "to_start"
    )
    assert found.applies == pytest.approx(1 / 3)


def test_the_first_token_is_a_sink_of_models_without_a_start():
    encoder = model_of("GPT2").encoder
    (tokens,) = Trees([SENTENCE], encoder)
    weights = np.zeros((1, 1, len(tokens), len(tokens)), dtype=np.float32)
    weights[..., 0] = 1
    shares = shares_of(weights, Batch.of([tokens]))
    direction = syntax.DIRECTIONS[0]
    assert shares.result("det", AttentionHead(0, 0), direction, "to_first").applies == 1
    assert shares.result("det", AttentionHead(0, 0), direction, "to_start").applies == 0


def test_shares_of_a_model_are_those_of_a_slow_loop(tiny_model):
    treebank = [
        SENTENCE,
        ParsedSentence("2", ("it", "did"), ("PRP", "VBD"), (1, None), ("nsubj", "root"), "two"),
    ]
    relations = ("det", "nsubj", "dobj", "punct")
    shares = SinkShares.empty(*tiny_model.shape, relations)
    inputs = list(Trees(treebank, tiny_model.encoder))
    measure.measure(inputs, tiny_model, shares)
    here, elsewhere = [], []
    for tokens in inputs:
        weights = tiny_model.attention(tokens).weights[1, 2]
        sentence = tokens.source
        for word, relation in enumerate(sentence.relations):
            if relation != "punct":
                pieces = np.flatnonzero(tokens.unit_of == word)
                value = weights[pieces][:, 0].mean()
                (here if relation == "nsubj" else elsewhere).append(value)
    found = shares.result("nsubj", AttentionHead(1, 2), syntax.DIRECTIONS[0], "to_start")
    assert found.applies == pytest.approx(sum(here) / len(here), rel=1e-4)
    assert found.elsewhere == pytest.approx(sum(elsewhere) / len(elsewhere), rel=1e-4)
    assert (found.n_applies, found.n_elsewhere) == (2, 4)
    assert found.interval.low <= found.difference <= found.interval.high


def test_uniform_attention_has_no_excess_whatever_the_lengths():
    treebank = [
        ParsedSentence("1", ("it", "did"), ("PRP", "VBD"), (1, None), ("nsubj", "root"), "one"),
        replace(SENTENCE, id="2", document="two"),
    ]
    shares = SinkShares.empty(2, 3, ("det", "nsubj", "dobj", "punct"))
    for tokens in Trees(treebank, model_of("Bert").encoder):
        batch, n = Batch.of([tokens]), len(tokens)
        for layer in range(2):
            shares.update(layer, np.full((1, 3, n, n), 1 / n, dtype=np.float32), batch)
    found = shares.result("nsubj", AttentionHead(1, 2), syntax.DIRECTIONS[0], "to_start")
    assert abs(found.difference) > 0.01  # the short sentence has more subjects a word
    assert found.all_heads == pytest.approx(found.difference)
    assert found.excess == 0
    assert found.excess_interval == (0, 0)


def test_the_excess_is_over_the_mean_of_all_heads(planted):
    found = shares_of(*planted).result(
        "dobj", AttentionHead(0, 0), syntax.DIRECTIONS[0], "to_start"
    )
    assert found.all_heads == (1 + 0) / 2  # the other head never looks at it
    assert found.excess == 1 - 1 / 2


def test_in_decoders_a_relation_applies_only_where_the_other_word_is_seen():
    (tokens,) = Trees([SENTENCE], model_of("GPT2").encoder)
    n = len(tokens)
    weights = np.tril(np.ones((1, 1, n, n), dtype=np.float32))
    weights /= weights.sum(axis=-1, keepdims=True)
    batch = Batch.of([tokens], causal=True)
    shares = shares_of(weights, batch)
    numbers = {name: number for number, name in enumerate(shares.relations)}
    applies = {name: shares.n_applies[0, number].tolist() for name, number in numbers.items()}
    assert applies["det"] == [0, 1]  # "the" stands before "keeper"
    assert applies["nsubj"] == [0, 1]
    assert applies["dobj"] == [1, 0]
    assert shares.n_all.sum() == 3  # no full stop, and not "the", which sees only itself
    counts = syntax.SyntaxCounts.empty(1, 1, tuple(numbers))
    counts.update(0, weights, batch)
    for name in ("det", "nsubj", "dobj"):
        assert counts.total[0, counts.relations.index(name)].tolist() == applies[name]


def test_a_possessors_arc_is_asked_of_the_possessive(encoder):
    words, relations = ("it", "'s", "shell"), ("poss", "possessive", "root")
    sentence = ParsedSentence("1", words, ("PRP", "POS", "NN"), (2, 0, None), relations)
    (tokens,) = Trees([sentence], encoder)
    weights = np.zeros((1, 1, len(tokens), len(tokens)), dtype=np.float32)
    weights[0, 0, tokens.unit_of == 1, 0] = 1
    for rule, expected in ((True, 1), (False, 0)):
        shares = SinkShares.empty(1, 1, ("poss", "possessive"), rule)
        shares.update(0, weights, Batch.of([tokens]))
        found = shares.result("poss", AttentionHead(0, 0), syntax.DIRECTIONS[0], "to_start")
        assert found.applies == expected


def test_shares_add_up_and_survive_a_file(planted, tmp_path):
    one = shares_of(*planted)
    added = one + one
    assert added.n_sentences == 2
    np.testing.assert_allclose(added.applies, 2 * one.applies)
    added.save(tmp_path / "shares.npz")
    loaded = SinkShares.load(tmp_path / "shares.npz")
    for name in ("applies", "n_applies", "all", "n_all", "relations", "n_sentences"):
        assert np.array_equal(getattr(loaded, name), getattr(added, name)), name
    with pytest.raises(ValueError, match="shares of other relations cannot be added"):
        one + shares_of(*planted, relations=("det", "nsubj", "dobj", "punct", "aux"))


def test_unknown_relations_and_sinks_are_told(planted):
    shares, attn_head, direction = shares_of(*planted), AttentionHead(0, 0), syntax.DIRECTIONS[0]
    with pytest.raises(ValueError, match=r"wanted one of det, .*, got 'iobj'"):
        shares.result("iobj", attn_head, direction, "to_start")
    with pytest.raises(ValueError, match="wanted one of to_start, to_separator, to_first"):
        shares.result("det", attn_head, direction, "to_cls")


def test_shares_want_parsed_sentences(tiny_model):
    with pytest.raises(ValueError, match="wanted inputs made of parsed sentences"):
        measure.measure(
            inputs_of(tiny_model), tiny_model, SinkShares.empty(*tiny_model.shape, ("det",))
        )


def test_words_that_make_no_piece_are_left_out(encoder):
    words, tags = ("it", "\u200b", "did"), ("PRP", "X", "VBD")
    sentence = ParsedSentence("1", words, tags, (2, 2, None), ("nsubj", "dep", "root"))
    (tokens,) = Trees([sentence], encoder)
    weights = np.zeros((1, 1, len(tokens), len(tokens)), dtype=np.float32)
    weights[..., 0] = 1
    shares = shares_of(weights, Batch.of([tokens]), ("nsubj", "dep"))
    assert shares.n_all.sum() == 2
    assert shares.n_applies[0, 1].tolist() == [0, 0]  # its governor has nothing to look at
    direction = syntax.DIRECTIONS[0]
    assert shares.result("nsubj", AttentionHead(0, 0), direction, "to_start").n_elsewhere == 1
