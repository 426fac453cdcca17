"""Heads taken away, many choices over the same texts, against slow copies of the model."""

import copy
from collections import Counter
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bertattn import importance, plots, readings, syntax, tables
from bertattn.corpora import ParsedSentence
from bertattn.heads import AttentionHead, all_heads
from bertattn.importance import Change, Loss, Pick, Syntax, removals
from bertattn.importance.outcomes import neighbours
from bertattn.model import ModelError, masked_head
from bertattn.model.outlets import Kept, Outlets
from bertattn.reducer import KeepMaps
from bertattn.words import merge
from tests import tiny
from tests.test_importance import TEXTS, model_of, with_head  # noqa: F401
from tests.test_without import CANNOT, of_outputs, one_less_cosine

matplotlib.use("agg")

MADE = {
    "model": "tiny", "corpus": "toy", "bertattn": "0", "inputs": {"kind": "sentences"},
    "options": {}, "specials": {},
}  # fmt: skip
WORDS = (
    ("the", "keeper", "fed", "the", "octopus"),
    ("it", "fed", "her"),
    ("did", "the", "animal", "make", "that", "shell"),
    ("the", "keeper", "did", "it"),
    ("the", "animal", "fed", "it"),
    ("her", "octopus", "did"),
    ("that", "keeper", "fed", "the", "animal"),
    ("the", "shell", "did", "it"),
)


def parsed(model, n=8):
    """Sentences of which each word is governed by the next one, by turns as a or b."""
    found = []
    for number, words in enumerate(WORDS[:n]):
        last = len(words) - 1
        governors = tuple(i + 1 if i < last else None for i in range(len(words)))
        relations = (*("a" if i % 2 else "b" for i in range(last)), "root")
        sentence = ParsedSentence(f"s{number}", words, ("NN",) * len(words), governors, relations)
        tokens = model.encoder.words(words, document=number // 2)
        found.append(replace(tokens, source=sentence))
    return found


@pytest.fixture(scope="module")
def model():
    return model_of()


@pytest.fixture(scope="module")
def outlets(model):
    return Outlets(model)


@pytest.fixture(scope="module")
def texts(model):
    return parsed(model)


@pytest.fixture(scope="module")
def means(texts, outlets):
    return importance.mean_outputs(texts, outlets)


def slow_outputs(model, tokens):
    """Each layer's heads' outputs for one input, from its maps and values: "token head dim"."""
    found = []
    attention = [layer.attention.self for layer in model.module.encoder.layer]
    with torch.no_grad():
        result = model.module(
            **model._arguments([tokens]), output_hidden_states=True, output_attentions=True
        )
    for own, states, maps in zip(attention, result.hidden_states, result.attentions, strict=False):
        values = own.value(states[0]).detach().view(len(tokens), model.n_heads, -1)
        heads = [maps[0, h] @ values[:, h] for h in range(model.n_heads)]
        found.append(torch.stack(heads, dim=1).detach())
    return found


def slow_model(model, heads, means=None, family="Bert"):
    """A copy whose output projections lack the heads' columns, their means in the biases."""
    module = copy.deepcopy(model.module)
    with torch.no_grad():
        for h in heads:
            weight = of_outputs(family, module, h.layer)
            size = weight.shape[1] // model.n_heads
            columns = slice(h.index * size, (h.index + 1) * size)
            if means is not None:
                dense = module.encoder.layer[h.layer].attention.output.dense
                dense.bias += weight[:, columns] @ means[h.layer, h.index]
            weight[:, columns] = 0
    other = copy.copy(model)
    other.module = module
    return other


def states(model, tokens):
    with torch.inference_mode():
        return model.module(**model._arguments([tokens]))[0][0, : len(tokens)].double()


# where heads' outputs come out


@pytest.mark.parametrize("family", [f for f in tiny.FAMILIES if f not in CANNOT])
def test_a_silenced_head_is_one_whose_columns_are_zero(family):
    model = model_of(family)
    outlets = Outlets(model)
    tokens = model.encoder.text(TEXTS[0])
    heads = [AttentionHead(1, 0)]
    got = outlets.hidden([tokens], importance.Knockout(heads))[0].double()
    if family == "Albert":  # its layers share one projection, so a copy cannot lose the second's
        plain = states(model, tokens)
        assert not torch.allclose(got, plain, atol=1e-3)
        assert not outlets.resumes
        return
    np.testing.assert_allclose(got, states(slow_model(model, heads, family=family), tokens),
                               atol=1e-4)  # fmt: skip
    assert outlets.resumes


def test_outputs_are_weights_times_values(model, outlets):
    tokens = model.encoder.text(TEXTS[0])
    seen = {}
    plain = outlets.hidden([tokens], lambda layer, outputs: seen.update({layer: outputs[0]}))
    for layer, expected in enumerate(slow_outputs(model, tokens)):
        np.testing.assert_allclose(seen[layer], expected, atol=1e-5)
    np.testing.assert_allclose(plain[0].double(), states(model, tokens), atol=1e-5)


def test_a_pass_begun_further_up_ends_as_a_whole_one(model, outlets):
    inputs = [model.encoder.text(t) for t in TEXTS[:2]]
    kept, ran = Kept(), []
    outlets.hidden(inputs, keep=kept)
    knockout = importance.Knockout([AttentionHead(1, 2)])
    whole = outlets.hidden(inputs, knockout)
    maps = {}
    first = model.module.encoder.layer[0].attention.self
    handle = first.register_forward_hook(lambda *_: ran.append(0))
    begun = outlets.hidden(inputs, knockout, lambda i, w: maps.update({i: w}), begin=(1, kept))
    handle.remove()
    assert torch.equal(begun, whole)
    assert (not ran, list(maps)) == (True, [1])
    assert "forward" not in vars(model.module.encoder.layer[0])


@pytest.mark.parametrize("family", CANNOT)
def test_families_whose_heads_cannot_be_taken_away_are_refused(family):
    with pytest.raises(ModelError, match="does not let its attention be changed"):
        Outlets(model_of(family))


def test_outputs_that_enter_no_module_are_refused(monkeypatch):
    model = model_of()
    monkeypatch.setattr("bertattn.model.outlets._alike", lambda *_: False)
    with pytest.raises(ModelError, match="its heads' outputs enter no module as they are"):
        Outlets(model)


# what is put in the place of a head


def test_means_are_over_all_tokens_and_no_padding(model, outlets, texts, means):
    by_layer = [torch.cat(o) for o in zip(*(slow_outputs(model, t) for t in texts), strict=True)]
    for layer, outputs in enumerate(by_layer):
        np.testing.assert_allclose(means[layer], outputs.mean(dim=0), atol=1e-5)
    with pytest.raises(ValueError, match="wanted text to take the heads' mean outputs of"):
        importance.mean_outputs([], outlets)


def test_a_layer_without_heads_gives_its_bias(model, outlets):
    tokens = model.encoder.text(TEXTS[0])
    kept, first = {}, model.module.encoder.layer[0].attention.output.dense
    handle = first.register_forward_hook(lambda *a: kept.update(out=a[2]))
    outlets.hidden([tokens], importance.Knockout(all_heads(1, 3)))
    handle.remove()
    np.testing.assert_allclose(kept["out"][0], first.bias.expand(len(tokens), -1).detach(),
                               atol=1e-6)  # fmt: skip


def removed(texts, outlets, heads, means=None, outcomes=None):
    picks = [Pick("some", tuple(heads))]
    return importance.remove_heads(texts, outlets, picks, outcomes or [Change()], means)


@pytest.mark.parametrize("way", ["zero", "mean"])
@pytest.mark.parametrize("threads", [1, 2])
def test_vectors_move_as_those_of_a_model_without_the_columns(
    model, outlets, texts, means, way, threads, monkeypatch
):
    monkeypatch.setattr(removals, "N_THREADS", threads)
    monkeypatch.setattr(removals, "WINDOW", 20)
    put = means if way == "mean" else None
    heads = [AttentionHead(0, 2), AttentionHead(1, 0)]
    picks = [Pick("some", tuple(heads)), Pick("last", (AttentionHead(1, 1),))]
    found = importance.remove_heads(texts, outlets, picks, [Change()], put)
    assert (found.way, found.names, found.n_inputs) == (way, ("text", "tokens"), 8)
    for pick, costs in zip(picks, found.costs, strict=True):
        without = slow_model(model, pick.heads, put)
        expected = np.zeros((4, 2))
        for tokens in texts:
            before, after = (states(m, tokens).numpy() for m in (model, without))
            text = one_less_cosine(before.mean(axis=0), after.mean(axis=0))
            each = [one_less_cosine(b, a) for b, a in zip(before, after, strict=True)]
            expected[tokens.document] += text, np.mean(each)
        np.testing.assert_allclose(costs[:4], expected, atol=2e-5)
        assert (expected > 1e-3).all()
        assert not costs[4:].any()
    assert found.counts[:4].tolist() == [[2, 2]] * 4


def test_putting_a_constant_head_at_its_mean_changes_nothing(texts):
    model = model_of()
    own = model.module.encoder.layer[1].attention.self
    with torch.no_grad():
        own.value.bias[8:16] = 2.0
        own.value.weight[8:16] = 0  # head 2-2 gives its bias, whatever it looks at
    outlets = Outlets(model)
    means = importance.mean_outputs(texts, outlets)
    by_mean = removed(texts, outlets, [AttentionHead(1, 1)], means)
    by_zero = removed(texts, outlets, [AttentionHead(1, 1)])
    assert abs(by_mean.costs).max() < 1e-6
    assert by_zero.costs.max() > 1e-3


def test_the_one_head_that_carries_anything_costs_most(texts):
    model = model_of()
    with torch.no_grad():
        for number, layer in enumerate(model.module.encoder.layer):
            dense = layer.attention.output.dense
            kept = dense.weight[:, 16:24].clone()
            dense.weight.zero_()
            if number == 0:
                dense.weight[:, 16:24] = kept
    picks = importance.each_head(*model.shape)
    found = importance.remove_heads(texts, Outlets(model), picks, [Change()])
    costs = np.array([found.estimate(one).mean[0] for one in found.costs])
    assert str(picks[costs.argmax()].heads[0]) == "1-3"
    assert np.delete(costs, 2).max() < 1e-9
    assert costs[2] > 1e-3


# what is asked


def test_the_loss_of_pairs_counts_for_their_documents(model, outlets, texts):
    objective = importance.Contrastive(temperature=0.5, n_pairs=4)
    heads = [AttentionHead(0, 1)]
    found = removed(texts, outlets, heads, outcomes=[Loss(objective)])
    without = slow_model(model, heads)
    for own, sums in ((model, found.plain), (without, found.sums[0])):
        vectors = [states(own, t).mean(dim=0).numpy() for t in texts]
        unit = [v / np.linalg.norm(v) for v in vectors]
        first, second = unit[0::2], unit[1::2]
        for k in range(4):
            rows = np.exp([first[k] @ other / 0.5 for other in second])
            columns = np.exp([other @ second[k] / 0.5 for other in first])
            expected = -(np.log(rows[k] / rows.sum()) + np.log(columns[k] / columns.sum())) / 2
            assert sums[k, 0] == pytest.approx(expected, abs=1e-4)
    assert found.counts[:5, 0].tolist() == [1, 1, 1, 1, 0]
    assert abs(found.costs).max() > 1e-4


def test_neighbours_take_turns_and_a_last_one_has_no_partner(texts):
    documents = [
        replace(t, document=d) for t, d in zip(texts, [0, 0, 0, 1, 1, 2, 2, 2], strict=True)
    ]
    found = neighbours(documents)
    assert [t.document for t in found] == [0, 0, 1, 1, 2, 2]
    assert [t.words for t in found] == [WORDS[i] for i in (0, 1, 3, 4, 5, 6)]
    assert [t.source.pair for t in found] == [0, 0, 1, 1, 2, 2]


def test_the_loss_of_masked_pieces_is_the_head_s_own(with_head, monkeypatch):  # noqa: F811
    folder, model = with_head
    texts = parsed(model, 4)
    objective = importance.MaskedLM(masked_head(folder, model))
    heads = [AttentionHead(0, 0), AttentionHead(1, 2)]
    found = removed(texts, Outlets(model), heads, outcomes=[Loss(objective)])
    (step,) = objective.steps(texts, Counter())
    for own, sums in ((model, found.plain), (slow_model(model, heads), found.sums[0])):
        expected = np.zeros(2)
        for tokens, hidden, masked in zip(
            sorted(texts, key=len, reverse=True), step.inputs, step.read, strict=True
        ):
            with torch.inference_mode():
                scores = objective.mlm_head.scores(states(own, hidden).float())
            logs = torch.log_softmax(scores, dim=-1).numpy()
            losses = [-logs[i, tokens.ids[i]] for i in np.flatnonzero(masked)]
            expected[tokens.document] += np.mean(losses)
        np.testing.assert_allclose(sums[:2, 0], expected, rtol=1e-4)


def test_what_was_left_out_is_counted_anew_in_each_run(model, outlets, texts):
    outcomes = [Loss(importance.Contrastive())]
    odd = [replace(t, document=d) for t, d in zip(texts[:5], [0, 0, 0, 1, 1], strict=True)]
    for _ in range(2):
        found = removed(odd, outlets, [AttentionHead(0, 0)], outcomes=outcomes)
        assert found.left_out == {"sentences_without_a_partner": 1}
    single = removed(texts[:2], outlets, [AttentionHead(0, 0)], outcomes=outcomes)
    assert single.left_out == {"inputs_without_a_contrast": 2}
    assert not single.counts.any()
    assert np.isnan(single.intact()).all()


def test_random_projections_have_no_loss_to_ask(outlets, texts):
    with pytest.raises(ValueError, match='no loss that is better or worse; wanted "masked LM"'):
        removed(texts, outlets, [AttentionHead(0, 0)], outcomes=[Loss(importance.Projections())])


ASKED = {
    "a": (AttentionHead(1, 2), "dependent->governor"),
    "b": (AttentionHead(0, 1), "governor->dependent"),
}


def slow_finds(model, texts, relation, attn_head, direction):
    """Arcs of a relation that a head finds, by document, from whole maps."""
    right = np.zeros(4)
    for tokens in texts:
        keep = KeepMaps()
        model.run([tokens], [keep])
        between = merge(keep.result()[0]).between_words[attn_head.layer, attn_head.index].copy()
        np.fill_diagonal(between, -1)
        said = between.argmax(axis=1 if direction == "dependent->governor" else 0)
        for word, (governor, name) in enumerate(
            zip(tokens.source.governors, tokens.source.relations, strict=True)
        ):
            right[tokens.document] += name == relation and said[word] == governor
    return right


@pytest.mark.parametrize(
    "heads", [[AttentionHead(0, 0), AttentionHead(0, 2)], [AttentionHead(1, 2)]]
)
def test_arcs_are_found_as_in_the_maps_of_a_model_without_the_heads(model, outlets, texts, heads):
    found = removed(texts, outlets, heads, outcomes=[Syntax(ASKED)])
    without = slow_model(model, heads)
    without._taps = replace(model._taps, slots={
        layer.attention.self: 1 for layer in without.module.encoder.layer
    })  # fmt: skip
    for own, sums in ((model, found.plain), (without, found.sums[0])):
        expected = sum(slow_finds(own, texts, name, *asked) for name, asked in ASKED.items())
        assert sums[:4, 0].tolist() == expected.tolist()
    n_arcs = sum(len(words) - 1 for words in WORDS)
    assert found.counts.sum() == n_arcs
    assert found.worse.tolist() == [-1]


def test_syntax_without_a_head_to_ask_is_refused():
    with pytest.raises(ValueError, match="wanted a head for one relation at least, got none"):
        Syntax({})


def test_what_is_asked_comes_side_by_side(texts, outlets):
    outcomes = [Change(), Loss(importance.Contrastive()), Syntax(ASKED)]
    found = removed(texts, outlets, [AttentionHead(0, 0)], outcomes=outcomes)
    assert found.names == ("text", "tokens", "loss", "syntax")
    assert found.counts.sum(axis=0).tolist() == [8, 8, 4, 26]
    alone = [removed(texts, outlets, [AttentionHead(0, 0)], outcomes=[o]) for o in outcomes]
    np.testing.assert_array_equal(found.sums, np.concatenate([a.sums for a in alone], axis=2))


def test_removals_add_up_and_others_are_refused(texts, outlets):
    one, two = (removed(t, outlets, [AttentionHead(0, 0)]) for t in (texts[:4], texts[4:]))
    whole = removed(texts, outlets, [AttentionHead(0, 0)])
    np.testing.assert_allclose((one + two).sums, whole.sums, atol=1e-6)
    assert (one + two).n_inputs == 8
    with pytest.raises(ValueError, match="removals of other heads, ways or outcomes"):
        one + removed(texts, outlets, [AttentionHead(0, 1)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [AttentionHead(0, 0)], [Change()]), "the corpus gave no input"),
        ((TEXTS, [AttentionHead(2, 0)], [Change()]), "wanted heads from 1-1 to 2-3, got 3-1"),
        ((TEXTS, [AttentionHead(0, 0)], []), "wanted one outcome at least, each once, got "),
        ((TEXTS, None, [Change()]), "wanted one pick of heads at least to take away"),
    ],
)
def test_what_cannot_be_taken_away_is_refused(model, outlets, arguments, message):
    texts, heads, outcomes = arguments
    inputs = [model.encoder.text(t) for t in texts]
    picks = [] if heads is None else [Pick("some", tuple(heads))]
    with pytest.raises(ValueError, match=message):
        importance.remove_heads(inputs, outlets, picks, outcomes)


# which heads


@given(st.integers(2, 5), st.integers(2, 6), st.integers(0, 1000), st.data())
@settings(max_examples=40, deadline=None)
def test_layer_matched_draws_have_the_same_layers(n_layers, n_heads, seed, data):
    heads = all_heads(n_layers, n_heads)
    chosen = data.draw(st.lists(st.sampled_from(heads), min_size=1, unique=True))
    pick = Pick("some", tuple(chosen))
    draws = importance.drawn_beside(pick, n_heads, 5, seed)
    for number, draw in enumerate(draws):
        assert Counter(h.layer for h in draw.heads) == Counter(h.layer for h in chosen)
        assert (draw.draw, draw.matched, len(set(draw.heads))) == (number, "some", len(chosen))
        assert set(draw.heads) <= set(heads)
    assert draws == importance.drawn_beside(pick, n_heads, 5, seed)


def test_draws_are_seeded_and_differ():
    draws = importance.drawn((6, 12), 8, 20)
    assert draws == importance.drawn((6, 12), 8, 20)
    assert len({d.heads for d in draws}) == 20
    assert draws != importance.drawn((6, 12), 8, 20, seed=1)
    pick = Pick("some", importance.best_heads(np.arange(72.0).reshape(6, 12), 8))
    beside = importance.drawn_beside(pick, 12, 20)
    assert len({d.heads for d in beside}) == 20
    often = Counter(h for d in importance.drawn((2, 3), 3, 2000) for h in d.heads)
    assert all(900 < often[h] < 1100 for h in all_heads(2, 3))


def test_the_best_heads_by_a_score():
    scores = np.array([[0.2, np.nan, 0.9], [0.9, 0.1, -1.0]])
    named = [str(h) for h in importance.best_heads(scores, 6)]
    assert named == ["1-3", "2-1", "1-1", "2-2", "2-3", "1-2"]
    with pytest.raises(ValueError, match="wanted to choose 1 to 6 heads, got 7"):
        importance.best_heads(scores, 7)
    with pytest.raises(ValueError, match="some: wanted one head at least, each once, got 1-1, 1-1"):
        Pick("some", (AttentionHead(0, 0),) * 2)
    picks = importance.growing({"some": scores}, [1, 2], n_draws=2)
    assert [(p.name, len(p.heads)) for p in picks] == [
        ("some", 1), ("some", 2), ("random", 1), ("random", 1), ("random", 2), ("random", 2),
    ]  # fmt: skip


def test_documents_that_choose_do_not_score(texts):
    choosing, scored = importance.halves(texts)
    assert not {t.document for t in choosing} & {t.document for t in scored}
    assert len(choosing) == len(scored) == 4
    with pytest.raises(ValueError, match=r"wanted two documents at least, .* got 1"):
        importance.halves(texts[:2])
    few = importance.a_few_of_each(texts, 1, 3)
    assert [t.words for t in few] == [WORDS[0], WORDS[2], WORDS[4]]


def test_head_importance_is_the_slope_of_the_loss_at_an_open_gate(texts):
    model = model_of()
    model.module.double()
    outlets = Outlets(model)
    objective = importance.Contrastive(temperature=0.5, n_pairs=4)
    got = importance.head_importance(texts, model, objective)
    (step,) = objective.steps(neighbours(texts), Counter())
    epsilon = 1e-5
    for layer in range(2):
        for index in range(3):
            slopes = []
            for row in range(len(step.inputs)):
                at = []
                for gate in (1 + epsilon, 1 - epsilon):

                    def put(here, outputs, gate=gate, row=row, layer=layer, index=index):
                        scaled = outputs.clone()
                        scaled[row, :, index] *= gate
                        return scaled if here == layer else None

                    at.append(float(step.losses(outlets.hidden(step.inputs, put))[0]))
                slopes.append(abs(at[0] - at[1]) / (2 * epsilon))
            assert got[layer, index] == pytest.approx(np.mean(slopes), rel=1e-3)
    with pytest.raises(ValueError, match="no text gave the objective 'contrastive"):
        importance.head_importance(texts[:1], model, objective)


def test_gains_are_over_the_best_offset():
    counts = syntax.SyntaxCounts.empty(1, 2, ["a", "b"])
    counts.total[0, :2] = 10
    counts.n_words[0] = 20
    counts.right[0, 0, :, 0, 0] = 7, 2
    counts.right[0, 1, :, 0, 0] = 1, 9
    counts.right[0, 0, :, 0, 1] = 5, 5
    counts.right_rules[0, 0, :, syntax.rules.NAMES.index("+1")] = 6
    counts.right_rules[0, 1, :, syntax.rules.NAMES.index("-2")] = 4
    found = syntax.gains(counts, min_count=5)
    np.testing.assert_allclose(found, [[(9 - 4) / 10, (5 - 6) / 10]])
    assert np.isnan(syntax.gains(counts, min_count=50)).all()


# tables, figures, readings


def toy_result():
    """Two choices of one head, two draws beside each, two outcomes, three documents."""
    heads = [AttentionHead(0, 0), AttentionHead(1, 1)]
    picks = [Pick("syntax", (heads[0],)), Pick("gradients", (heads[1],))]
    for pick in list(picks):
        picks += importance.drawn_beside(pick, 3, 2)
    sums = np.zeros((6, 50, 2))
    sums[0, :3] = [[0.3, 8], [0.6, 6], [0.3, 7]]
    sums[1, :3] = [[0.1, 9], [0.1, 9], [0.1, 9]]
    sums[2:4, :3] = [[[0.1, 9]] * 3, [[0.2, 8]] * 3]
    sums[4:, :3] = [[[0.1, 9]] * 3, [[0.2, 9]] * 3]
    plain, counts = np.zeros((50, 2)), np.zeros((50, 2), dtype=np.int64)
    plain[:3] = [0.0, 9]
    counts[:3] = [2, 10]
    return importance.Removals(
        tuple(picks), "mean", ("text", "syntax"), np.array([1, -1]), sums, plain, counts, 6
    )


def test_the_table_says_what_each_removal_costs():
    table = tables.removals(toy_result(), MADE)
    assert len(table) == 6 * 2
    row = table[(table["chosen"] == "syntax") & (table["outcome"] == "syntax")].iloc[0]
    assert (row["intact"], row["n"], row["groups"]) == (pytest.approx(27 / 30), 30, 3)
    assert row["cost"] == pytest.approx((1 + 3 + 2) / 30)
    assert row["low"] < row["cost"] < row["high"]
    text = table[(table["chosen"] == "syntax") & (table["outcome"] == "text")].iloc[0]
    assert text["cost"] == pytest.approx(1.2 / 6)
    drawn = table[table["beside"] == "gradients"]
    assert drawn["draw"].tolist() == [1, 1, 2, 2]
    assert set(table["way"]) == {"mean"}
    assert table.attrs["signature"].startswith("tiny|toy|6 sentences|way=mean|")
    beside = tables.beside_random(toy_result(), MADE)
    assert beside.attrs["signature"] == table.attrs["signature"]
    assert MADE["options"] == {}
    assert tables.intact(table)["intact"].to_dict() == {"text": 0.0, "syntax": 0.9}


def test_an_outcome_of_nothing_has_no_row():
    result = toy_result()
    result.counts[:, 1] = 0
    assert set(tables.removals(result, MADE)["outcome"]) == {"text"}
    assert set(tables.beside_random(result, MADE)["outcome"]) == {"text"}


def test_a_choice_stands_beside_its_own_draws():
    table = tables.beside_random(toy_result(), MADE).set_index(["chosen", "outcome"])
    row = table.loc[("syntax", "text")]
    assert row["random"] == pytest.approx((0.3 / 6 + 0.6 / 6) / 2)
    assert row["difference"] == pytest.approx(1.2 / 6 - 0.45 / 6)
    by_document = (np.array([0.3, 0.6, 0.3]) - 0.15) / 2
    half = 4.302653 * by_document.std(ddof=1) / np.sqrt(3)  # Student's t of two degrees
    assert row["difference_high"] == pytest.approx(by_document.mean() + half, rel=1e-5)
    assert (row["draws"], row["as_much"]) == (2, 0)
    assert table.loc[("gradients", "text"), "as_much"] == 2
    alone = replace(toy_result(), picks=toy_result().picks[:1], sums=toy_result().sums[:1])
    with pytest.raises(ValueError, match="no choice of heads has layer-matched draws"):
        tables.beside_random(alone, MADE)


def test_what_is_printed_of_the_table():
    beside = tables.beside_random(toy_result(), MADE)
    shown = tables.beside_random_in_print(beside)
    assert shown.loc[("text", "gradients"), "cost"] == "0.050 [0.050, 0.050]"
    assert shown.loc[("text", "gradients"), "as much"] == "2 of 2"
    assert tables.dearest(beside, "text") == "syntax"
    assert tables.cost_of(beside, "syntax", "syntax") == pytest.approx(6 / 30)
    with pytest.raises(ValueError, match="wanted an outcome out of text, syntax, got 'loss'"):
        tables.dearest(beside, "loss")
    with pytest.raises(ValueError, match="wanted a choice out of syntax, gradients, got 'x'"):
        tables.cost_of(beside, "x", "text")
    said = readings.beside_random(beside)
    assert "The 1 best by syntax cost more than random heads of their layers" in said
    assert "in none; less in none. The 1 best by gradients" in said
    sure = beside.assign(difference_low=0.01)
    assert "each of 2 draws) in the text's vector, the arcs found; less" in (
        readings.beside_random(sure)
    )
    alone = beside.assign(difference_low=np.nan)
    assert readings.beside_random(alone).startswith("There is one document only")


def test_chosen_heads_are_named_with_their_layers():
    scores = {"one": np.array([[0.1, 0.9], [0.8, 0.7]]), "two": np.array([[0.0, 0.5], [0.1, 0.2]])}
    shown = tables.chosen_heads(importance.chosen(scores, 2), scores)
    assert shown.loc["one", "heads"] == "1-2, 2-1"
    assert shown.loc["one", "layers"] == "1 (1), 2 (1)"
    assert shown["shared"].tolist() == [1, 1]
    assert shown.loc["two", "least"] == 0.2
    assert shown.loc["one", "median"] == pytest.approx((0.7 + 0.8) / 2)


@pytest.fixture
def singles():
    """Costs that follow a score within layers; another score that knows the layer alone."""
    picks = tuple(importance.each_head(2, 3))
    sums, counts = np.zeros((6, 50, 1)), np.zeros((50, 1), dtype=np.int64)
    sums[:, :2, 0] = np.array([[1, 2, 3, 11, 12, 13]]).T
    counts[:2] = 1
    result = importance.Removals(
        picks, "mean", ("text",), np.array([1]), sums, np.zeros((50, 1)), counts, 2
    )
    known = {"close": np.array([[1.0, 2, 3], [4, 5, 6]]), "far": np.array([[3.0, 2, 1], [6, 5, 4]])}
    return tables.with_scores(tables.removals(result, MADE), known)


def test_scores_agree_over_all_heads_and_within_layers(singles):
    assert singles["layer"].tolist() == [1, 1, 1, 2, 2, 2]
    assert singles["far"].tolist() == [3, 2, 1, 6, 5, 4]
    found = tables.score_agreement(singles, ["close", "far"])
    assert found.loc["text", "close"] == pytest.approx(1)
    assert found.loc["text", "close, within layers"] == pytest.approx(1)
    assert found.loc["text", "far"] == pytest.approx(1 - 6 * 16 / (6 * 35))
    assert found.loc["text", "far, within layers"] == pytest.approx(-1)
    said = readings.score_agreement(found)
    assert "Close: over all heads for the text's vector; within layers for the text's v" in said
    assert "Far: over all heads for the text's vector; within layers for none" in said


def test_figures_draw_what_the_tables_say():
    result = toy_result()
    costs, beside = tables.removals(result, MADE), tables.beside_random(result, MADE)
    picture = plots.show(plots.beside_random(beside, costs))
    assert "text, syntax: 0.2, random 0.075" in picture.alt
    assert picture.png.startswith(b"\x89PNG")
    first = picture.figure.axes[0]
    crosses = [line for line in first.lines if line.get_marker() == "x"]
    np.testing.assert_allclose(crosses[0].get_xdata(), [0.3 / 6, 0.6 / 6])
    with pytest.raises(ValueError, match="wanted an outcome out of text, syntax, got 'loss'"):
        plots.more_and_more(costs, "loss")


def test_the_curve_joins_each_choice_and_the_mean_of_draws(texts, outlets):
    scores = {"some": np.arange(6.0).reshape(2, 3)}
    picks = importance.growing(scores, [1, 4], n_draws=3)
    found = importance.remove_heads(texts, outlets, picks, [Change()])
    table = tables.removals(found, MADE)
    axes = plots.more_and_more(table, "text")
    drawn = table[(table["chosen"] == "random") & (table["outcome"] == "text")]
    grey = next(line for line in axes.lines if line.get_label() == "random heads, mean")
    np.testing.assert_allclose(grey.get_ydata(), drawn.groupby("k")["cost"].mean())
    own = next(line for line in axes.lines if line.get_label() == "best by some")
    wanted = table[(table["chosen"] == "some") & (table["outcome"] == "text")]["cost"]
    np.testing.assert_allclose(own.get_ydata(), wanted)
    said = readings.more_and_more(table)
    assert said.startswith("4 heads taken away. The text's vector: best by some ")
    zero = tables.ways(table, table.assign(cost=table["cost"] + 1))
    np.testing.assert_allclose(zero["zero"] - zero["mean"], 1)
    n = len(drawn) + 2
    assert f"0 costs more than the mean for {n} of {n}" in readings.ways(
        table, table.assign(cost=table["cost"] + 1)
    )


def test_single_heads_are_drawn_and_read(singles):
    axes = plots.one_by_one(singles, "text", "close")
    points = axes.collections[-1].get_offsets()
    assert points.shape == (6, 2)
    np.testing.assert_allclose(points[:, 1], [1, 2, 3, 11, 12, 13])
    assert "Most: 2-3 13; 2-2 12; 2-1 11." in plots.show(axes).alt
    said = readings.one_by_one(singles)
    assert "most by head 2-3, 13.000 (the median head 7.0000)" in said
    assert "above 0 for 6 of 6 heads" in said
