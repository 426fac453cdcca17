"""Section 5's probes: formulas as loops, planted heads, batches, training, and bad input."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from bertattn import corpora, probes, vectors
from bertattn.model import AttentionModel, random_init
from bertattn.probes import AttentionAndWords, AttentionOnly, Parts, ProbeData, WordsAndDistances
from bertattn.probes.baselines import at_offset, best_offset, control_targets, right_branching
from bertattn.probes.batches import Batches, groups
from bertattn.probes.networks import features
from bertattn.probes.predictions import count, predict
from bertattn.probes.training import TrainingError, accuracy, search, train, word_losses
from bertattn.segments import Trees
from tests import probing, tiny

PROBES = (AttentionOnly, AttentionAndWords, WordsAndDistances)


@pytest.fixture(scope="module")
def data(encoder) -> ProbeData:
    return probing.planted_data(encoder)


def one_batch(data, numbers, **options):
    (batch,) = Batches(data, numbers, **options)
    return batch


def drawn(make, data, seed=0):
    """A probe with every parameter drawn at random."""
    torch.manual_seed(seed)
    probe = make(data)
    with torch.no_grad():
        for parameter in probe.parameters():
            parameter.normal_()
    return probe


# --- parts and batches


def test_parts_take_every_sentence_once_and_whole_documents(encoder):
    inputs = [
        replace(t, document=i // 3) for i, t in enumerate(Trees(probing.sentences(60), encoder))
    ]
    parts = probes.parts(inputs)
    assert sorted(parts.train + parts.dev + parts.test) == list(range(60))
    documents = [{inputs[i].document for i in part} for part in parts]
    assert [len(d) for d in documents] == [12, 3, 5]
    assert not documents[0] & documents[1]
    assert not documents[2] & (documents[0] | documents[1])
    assert probes.parts(inputs) == parts != probes.parts(inputs, seed=1)


def test_with_few_documents_sentences_are_dealt_out(encoder):
    inputs = [replace(t, document=0) for t in Trees(probing.sentences(20), encoder)]
    assert [len(part) for part in probes.parts(inputs)] == [12, 3, 5]


@pytest.mark.parametrize("n", range(3, 11))
def test_no_part_is_empty(encoder, n):
    parts = probes.parts(list(Trees(probing.sentences(n), encoder)))
    assert min(map(len, parts)) >= 1
    assert sum(map(len, parts)) == n


def test_two_sentences_are_too_few_for_three_parts(encoder):
    inputs = list(Trees(probing.sentences(2), encoder))
    with pytest.raises(ValueError, match="training, development and testing, got 2 in all"):
        probes.parts(inputs)


def test_groups_hold_at_most_32_sentences_of_about_one_length(encoder):
    data = probing.of_inputs(list(Trees(probing.sentences(100), encoder)))
    made = groups(data, range(100), np.random.default_rng(0))
    assert sorted(number for group in made for number in group) == list(range(100))
    assert max(map(len, made)) == 32
    lengths = sorted([sorted(len(data.inputs[i].words) for i in group) for group in made])
    assert all(a[-1] <= b[0] for a, b in pairwise(lengths))


def test_a_long_sentence_has_a_small_batch(encoder):
    long = [probing.sentence(str(i), (*range(1, 30), None)) for i in range(50)]
    data = probing.of_inputs(list(Trees(long, encoder)))
    assert {len(group) * 30**2 <= 40_000 for group in groups(data, range(50))} == {True}


def test_a_batch_says_who_governs_whom(encoder):
    words = ("the", "keeper", "fed", "it", ".")
    one = probing.sentence("a", (1, 2, None, 2, 2), words)
    one = replace(one, relations=("det", "nsubj", "root", "dobj", "punct"))
    other = probing.sentence("b", (1, None))
    data = probing.of_inputs(list(Trees([one, other], encoder)))
    batch = one_batch(data, [1, 0])
    assert batch.numbers == [1, 0]
    assert batch.governors.tolist() == [[2, 0, -1, -1, -1], [2, 3, 0, 3, 3]]
    assert batch.scored.tolist() == [[True, True, False, False, False], [True] * 4 + [False]]
    assert batch.candidates[0, 0].tolist() == [True, False, True, False, False, False]
    assert batch.candidates[1, 4].tolist() == [True, True, True, True, True, False]
    itself = one_batch(data, [0], allow_self=True).candidates
    assert itself.all()


def test_a_batch_holds_maps_both_ways_and_zeros_for_padding(data):
    batch = one_batch(data, [0, 1])
    for place, number in enumerate(batch.numbers):
        stored, n = data.maps[number].astype(np.float32), len(data.inputs[number].words)
        np.testing.assert_array_equal(batch.maps[place, :n, :n], stored[:n, :n])
        np.testing.assert_array_equal(batch.turned[place, :n, :n], stored[:n, :n].swapaxes(0, 1))
        np.testing.assert_array_equal(batch.to_marks[place, :n], stored[:n, n:])
        np.testing.assert_array_equal(batch.from_marks[place, :n], stored[n:, :n].swapaxes(0, 1))
        assert not batch.maps[place, n:].any()
        assert not batch.maps[place, :, n:].any()


def test_words_without_pieces_are_neither_asked_nor_chosen(encoder):
    words = ("the", "\u200b", "fed", "it")
    silent = probing.sentence("a", (1, 2, None, 2), words)
    data = probing.of_inputs(list(Trees([silent], encoder)))
    batch = one_batch(data, [0])
    assert batch.governors.tolist() == [[-1, -1, 0, 3]]  # of "the" the governor is silent
    assert not batch.candidates[0, :, 2].any()
    counts = count(data, right_branching(data, [0]))
    assert (counts.total.tolist(), counts.total_edges.tolist()) == ([2], [1])


# --- the formulas


def loop_attention_only(probe, maps):
    n = len(maps) - 2
    w, u = probe.weights.detach().double().numpy()
    (to_start, to_end), (from_start, from_end) = probe.marks.detach().double().numpy()
    scores = np.zeros((n, n + 1))
    for i in range(n):
        root_to = to_start * maps[i, n] + to_end * maps[i, n + 1]
        root_from = from_start * maps[n, i] + from_end * maps[n + 1, i]
        scores[i, 0] = sum(w * root_to + u * root_from) + probe.root.item()
        for j in range(n):
            scores[i, j + 1] = sum(w * maps[i, j] + u * maps[j, i])
    return scores


def loop_attention_and_words(probe, maps, v):
    """W_k . (v_i ++ v_j), with ROOT's own vector as the candidate's for ROOT."""
    n = len(maps) - 2
    own, other = (p.detach().double().numpy() for p in (probe.of_word, probe.of_candidate))
    w = np.concatenate([own[0], other[0]])  # [v_i ++ v_j, head]
    u = np.concatenate([own[1], other[1]])
    root = probe.vector.detach().double().numpy()
    (to_start, to_end), (from_start, from_end) = probe.marks.detach().double().numpy()
    scores = np.zeros((n, n + 1))
    for i in range(n):
        pair = np.concatenate([v[i], root])
        to_root = to_start * maps[i, n] + to_end * maps[i, n + 1]
        from_root = from_start * maps[n, i] + from_end * maps[n + 1, i]
        scores[i, 0] = sum(pair @ w * to_root + pair @ u * from_root) + probe.root.item()
        for j in range(n):
            pair = np.concatenate([v[i], v[j]])
            scores[i, j + 1] = sum(pair @ w * maps[i, j] + pair @ u * maps[j, i])
    return scores


def loop_words_and_distances(probe, v):
    n = len(v)
    parts = [p.weight.detach().double().numpy() for p in (probe.of_word, probe.of_candidate)]
    far = probe.of_distance.weight.detach().double().numpy()
    root, bias = probe.vector.detach().double().numpy(), probe.of_word.bias.detach().numpy()
    scores = np.zeros((n, n + 1))
    for i in range(n):
        for candidate in range(n + 1):
            j = candidate - 1
            what = np.zeros(8)
            if candidate == 0:
                what[7] = 1
            else:
                what[0], what[1] = max(j - i, 0) / n, max(i - j, 0) / n
                what[2:7] = [j - i == offset for offset in (0, -1, 1, -2, 2)]
            vector = root if candidate == 0 else v[j]
            hidden = np.tanh(parts[0] @ v[i] + parts[1] @ vector + far @ what + bias)
            output = probe.output.weight.detach().double().numpy()[0] @ hidden
            scores[i, candidate] = output + probe.output.bias.item()
    return scores


@pytest.mark.parametrize("make", PROBES)
def test_scores_are_the_formula_also_beside_a_longer_sentence(data, make):
    probe = drawn(make, data)
    numbers = [0, 1, 2, 3]
    batch = one_batch(data, numbers)
    scores = probe(batch).detach().double().numpy()
    for place, number in enumerate(batch.numbers):
        maps, text = data.maps[number].astype(float), data.inputs[number].words
        v = data.vectors.of(text).astype(float)
        wanted = {
            AttentionOnly: lambda p, m=maps: loop_attention_only(p, m),
            AttentionAndWords: lambda p, m=maps, v=v: loop_attention_and_words(p, m, v),
            WordsAndDistances: lambda p, v=v: loop_words_and_distances(p, v),
        }[make](probe)
        n = len(text)
        np.testing.assert_allclose(scores[place, :n, : n + 1], wanted, atol=2e-4)


def test_distance_features_are_the_papers_eight():
    found = features(4)
    assert found.shape == (4, 5, 8)
    assert found[1, 0].tolist() == [0] * 7 + [1]  # ROOT
    assert found[1, 1].tolist() == [0, 1, 0, 1, 0, 0, 0, 0]  # the word before
    assert found[1, 2].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]  # itself
    assert found[0, 4].tolist() == [3, 0, 0, 0, 0, 0, 0, 0]  # three words ahead


@pytest.mark.parametrize("make", PROBES)
def test_a_batch_has_the_loss_of_its_sentences_one_by_one(data, make):
    probe = drawn(make, data)
    numbers = list(range(12))
    together = word_losses(probe(b := one_batch(data, numbers)), b).sum().item()
    alone = sum(word_losses(probe(b := one_batch(data, [n])), b).sum().item() for n in numbers)
    assert together == pytest.approx(alone, rel=1e-4)


# --- training


def test_planted_heads_are_read_and_found(data):
    result = probes.evaluated("attention only", AttentionOnly, data, learning_rate=0.3, n_epochs=25)
    counts = result.runs[0].counts
    assert counts.right.sum() == counts.total.sum()  # UAS 1
    assert counts.right_tree.sum() == counts.total.sum()
    assert counts.right_edges.sum() == counts.total_edges.sum() > 0
    weights = result.runs[0].trained.probe.weights
    assert int(weights[0].argmax()) == probing.PLANTED  # w: dependents look at governors
    assert int(weights.abs().argmax()) == probing.PLANTED


def test_a_head_planted_the_other_way_is_found_by_u(data):
    turned = [data.maps[i].swapaxes(0, 1) for i in range(len(data.inputs))]
    other = replace(data, maps=probing.Listed(turned))
    trained = train(AttentionOnly, other, learning_rate=0.3, n_epochs=25)
    assert accuracy(trained.probe, Batches(other, other.parts.test)) == 1
    assert int(trained.probe.weights[1].argmax()) == probing.PLANTED


def test_attention_and_words_reads_planted_heads(data):
    trained = train(AttentionAndWords, data, learning_rate=0.1, n_epochs=25)
    assert accuracy(trained.probe, Batches(data, data.parts.test)) > 0.9


def test_the_kept_epoch_is_the_best_in_development(data):
    trained = train(WordsAndDistances, data, learning_rate=0.02, n_epochs=6)
    scores = [epoch.dev_uas for epoch in trained.history]
    assert trained.best.dev_uas == max(scores)
    assert trained.best.number == 1 + scores.index(max(scores))
    assert accuracy(trained.probe, Batches(data, data.parts.dev)) == max(scores)


def test_the_test_part_has_no_say(data):
    """With other trees in the test part, the same probe comes out."""
    other = list(data.words)
    for number in data.parts.test:
        n = len(other[number].governors)
        other[number] = replace(other[number], governors=np.append(np.arange(2, n + 1), 0))
    for make in PROBES:
        one, two = (
            train(make, d, learning_rate=0.05, n_epochs=2)
            for d in (data, replace(data, words=other))
        )
        assert one.history == two.history
        for a, b in zip(one.probe.parameters(), two.probe.parameters(), strict=True):
            assert torch.equal(a, b)


def test_training_is_seeded(data):
    runs = [
        train(WordsAndDistances, data, learning_rate=0.01, n_epochs=2, seed=s) for s in (3, 3, 4)
    ]
    assert runs[0].history == runs[1].history != runs[2].history


def test_training_leaves_the_callers_random_numbers_alone(data):
    torch.manual_seed(5)
    wanted = torch.rand(1)
    torch.manual_seed(5)
    train(WordsAndDistances, data, learning_rate=0.01, n_epochs=1)
    assert torch.equal(torch.rand(1), wanted)


def test_a_search_keeps_the_best_rate_in_development(data):
    found = search(AttentionOnly, data, [1e-6, 0.3], n_epochs=4)
    assert found.learning_rate == 0.3
    with pytest.raises(ValueError, match="wanted learning rates to try, got none"):
        search(AttentionOnly, data, [])


def test_of_equally_good_rates_the_first_is_kept(data):
    for rates in ([1e-9, 1e-8], [1e-8, 1e-9]):
        assert search(AttentionOnly, data, rates, n_epochs=1).learning_rate == rates[0]


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_maps_that_hold_no_number_name_the_sentence(data, part):
    maps = [np.array(data.maps[i]) for i in range(len(data.inputs))]
    bad = getattr(data.parts, part)[2]
    maps[bad][1, 1, 2] = np.nan  # also on the diagonal, which no score shows
    broken = replace(data, maps=probing.Listed(maps))
    with pytest.raises(ValueError, match=rf"sentence 's{bad}': its attention maps hold what is no"):
        probes.evaluated("x", AttentionOnly, broken, n_epochs=1)


def test_a_loss_that_is_no_number_names_the_sentence(data):
    """A word vector that is no number reaches the loss of the sentences that have the word."""
    matrix = data.vectors.matrix.copy()
    matrix[0, 3] = np.nan
    broken = replace(data, vectors=replace(data.vectors, matrix=matrix))
    with pytest.raises(
        TrainingError, match=r"epoch 1: the loss of sentence 's\d+' is nan"
    ) as caught:
        train(WordsAndDistances, broken, learning_rate=0.1)
    name = str(caught.value).partition("sentence 's")[2].partition("'")[0]
    assert probing.VOCABULARY[0] in data.inputs[int(name)].words


def test_a_learning_rate_that_explodes_is_told(data):
    with pytest.raises(TrainingError, match="take a smaller learning rate"):
        train(AttentionOnly, data, learning_rate=1e30, n_epochs=3)


@pytest.mark.parametrize("make", PROBES)
def test_a_single_sentence_can_be_learned(data, make):
    single = replace(data, parts=Parts([0], [1], [2]))
    trained = train(make, single, learning_rate=0.05, n_epochs=30)
    assert trained.history[-1].loss < trained.history[0].loss
    assert len(predict(trained.probe, single, [2])) == 1


@pytest.mark.parametrize("make", PROBES)
def test_where_every_relation_is_root_there_is_no_edge_and_no_fault(encoder, make):
    alone = [probing.sentence(f"s{i}", (None,), (w,)) for i, w in enumerate(probing.VOCABULARY)]
    data = probing.of_inputs(list(Trees(alone, encoder)), Parts([0, 1, 2, 3, 4, 5], [6, 7], [8, 9]))
    result = probes.evaluated("x", make, data, learning_rate=0.1, n_epochs=2)
    counts = result.runs[0].counts
    assert (counts.right.sum(), counts.total.sum(), counts.total_edges.sum()) == (2, 2, 0)


def test_a_development_part_with_nothing_to_ask_is_told(encoder):
    marks = [
        replace(probing.sentence(f"s{i}", (None,), (".",)), relations=("punct",)) for i in range(3)
    ]
    data = probing.of_inputs(list(Trees(marks, encoder)), Parts([0], [1], [2]))
    with pytest.raises(ValueError, match="the development part has no word to ask"):
        train(AttentionOnly, data, learning_rate=0.1)
    assert np.isnan(accuracy(AttentionOnly(data), Batches(data, [2])))


def test_no_epoch_is_no_training(data):
    with pytest.raises(ValueError, match="wanted at least one epoch, got 0"):
        train(AttentionOnly, data, learning_rate=0.1, n_epochs=0)
    with pytest.raises(ValueError, match="wanted a learning rate and at least one seed"):
        probes.evaluated("x", AttentionOnly, data, seeds=())
    with pytest.raises(ValueError, match="wanted a learning rate and at least one seed"):
        probes.evaluated("x", Constant, data)


def test_a_model_without_special_tokens_can_still_find_the_root(encoder):
    """No attention to [CLS] or [SEP]: what is left is one number that speaks for ROOT."""
    data = probing.planted_data(encoder)
    maps = [np.array(data.maps[i]) for i in range(len(data.inputs))]
    for one in maps:
        one[-2:], one[:, -2:] = 0, 0
    bare = replace(data, maps=probing.Listed(maps))
    trained = train(AttentionOnly, bare, learning_rate=0.3, n_epochs=25)
    assert trained.probe.root.item() > 0
    assert accuracy(trained.probe, Batches(bare, bare.parts.test)) == 1


# --- baselines and controls


def test_right_branching_is_the_next_word(encoder):
    chain = probing.sentence("chain", (1, 2, None))
    data = probing.of_inputs(list(Trees([chain], encoder)))
    (found,) = right_branching(data, [0])
    assert found.chosen.tolist() == found.tree.tolist() == [2, 3, 0]
    counts = count(data, [found])
    assert (counts.right.item(), counts.right_edges.item()) == (3, 2)


def test_edges_of_right_branching_step_over_punctuation(encoder):
    one = probing.sentence("a", (2, 0, None), ("it", ",", "fed"))
    one = replace(one, relations=("nsubj", "punct", "root"))
    data = probing.of_inputs(list(Trees([one], encoder)))
    (found,) = right_branching(data, [0])
    assert found.edges == {(0, 2)}
    assert count(data, [found]).right_edges.item() == 1


def test_the_best_offset_is_that_of_the_training_part(encoder):
    back = [probing.sentence(str(i), (None, 0, 1, 2)) for i in range(4)]
    ahead = [probing.sentence(str(i), (1, 2, 3, None)) for i in range(4, 8)]
    data = probing.of_inputs(
        list(Trees([*back, *ahead], encoder)), Parts([0, 1, 2], [3], [4, 5, 6, 7])
    )
    assert best_offset(data) == -1
    _, fixed = probes.baselines(data)
    assert (fixed.note, fixed.runs[0].counts.right.sum()) == ("-1", 0)
    assert at_offset(4, -1).tolist() == [-2, 1, 2, 3]


def test_the_control_task_deals_each_word_type_one_behaviour(encoder):
    inputs = list(Trees(probing.sentences(200), encoder))
    targets = control_targets(inputs, seed=1)
    behaviour: dict[str, set[str]] = {}
    for tokens, wanted in zip(inputs, targets, strict=True):
        n = len(tokens.words)
        for i, (word, target) in enumerate(zip(tokens.words, wanted.tolist(), strict=True)):
            kinds = {"self": i + 1, "first": 1, "last": n}
            could = {name for name, candidate in kinds.items() if candidate == target}
            behaviour[word] = behaviour.get(word, set(kinds)) & could
    assert all(len(left) == 1 for left in behaviour.values())
    assert set().union(*behaviour.values()) == {"self", "first", "last"}
    again = control_targets(inputs, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(targets, again, strict=True))


def test_words_alone_learn_the_control_task_and_attention_alone_does_not(encoder):
    data = probing.of_inputs(
        list(Trees(probing.sentences(200), encoder)),
        Parts(list(range(120)), list(range(120, 150)), list(range(150, 200))),
    )
    task = {"targets": control_targets(data.inputs), "allow_self": True, "n_epochs": 20}
    by_words = train(WordsAndDistances, data, learning_rate=0.01, **task)
    by_attention = train(AttentionOnly, data, learning_rate=0.1, **task)
    assert by_words.best.dev_uas > 0.9
    assert by_attention.best.dev_uas < 0.6


def test_a_result_with_a_control_reports_both(data):
    result = probes.evaluated("words", WordsAndDistances, data, n_epochs=2, control=True)
    assert result.control is not None
    assert result.control.counts.total.sum() == result.runs[0].counts.total.sum()
    assert str(result) == "words"


def test_a_probe_is_tested_on_the_task_that_it_learned(data):
    """Targets, and whether a word may be its own, reach the test part too."""
    itself = [np.arange(1, len(words.rows) + 1) for words in data.words]
    result = probes.evaluated(
        "x", WordsAndDistances, data, n_epochs=12, targets=itself, allow_self=True
    )
    counts = result.runs[0].counts
    assert counts.right.sum() / counts.total.sum() > 0.95


def test_random_models_share_the_rate_that_the_first_one_found(tiny_model, tmp_path, monkeypatch):
    monkeypatch.setenv("BERTATTN_CACHE", str(tmp_path))
    inputs = list(Trees(probing.sentences(24), tiny_model.encoder))
    parts = Parts(list(range(12)), list(range(12, 18)), list(range(18, 24)))
    data = probing.of_inputs(inputs, parts)
    result = probes.random_init(
        (AttentionModel(*tiny.module("Bert"), "tiny", device="cpu") for _ in range(3)),
        data,
        learning_rates=[1e-9, 0.05],
        n_epochs=3,
    )
    rates = [run.trained.learning_rate for run in result.runs]
    assert rates == [rates[0]] * 3
    assert [run.trained.seed for run in result.runs] == [0, 1, 2]
    assert not list(tmp_path.iterdir())  # maps of random layers are not kept
    with pytest.raises(ValueError, match="wanted at least one model with random layers, got none"):
        probes.random_init([], data)


def test_what_goes_wrong_with_the_first_random_model_stops_all(tiny_model, tmp_path, monkeypatch):
    """No model waits for a learning rate that will never come."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BERTATTN_CACHE", str(tmp_path / "file"))
    inputs = list(Trees(probing.sentences(6), tiny_model.encoder))
    data = probing.of_inputs(inputs, Parts([0, 1], [2, 3], [4, 5]))
    with pytest.raises(OSError, match="file"):
        probes.random_init([tiny_model, tiny_model, tiny_model], data)


def test_uniform_and_structural_run_on_a_model(tiny_model):
    inputs = list(Trees(probing.sentences(24), tiny_model.encoder))
    parts = Parts(list(range(12)), list(range(12, 18)), list(range(18, 24)))
    data = probing.of_inputs(inputs, parts)
    flat = probes.uniform(data, n_epochs=2)
    assert flat.runs[0].trained.learning_rate in (0.01, 0.1)
    probe = probes.structural(tiny_model, data, n_epochs=2, rank=4)
    assert not probe.directed
    assert probe.note in ("embeddings", "layer 1", "layer 2")
    assert probe.runs[0].counts.total_edges.sum() > 0
    with pytest.raises(ValueError, match="wanted at least one epoch"):
        probes.structural(tiny_model, data, n_epochs=0)


def test_spread_is_the_standard_deviation_over_candidates(data):
    found = probes.spread(data)
    wanted = np.zeros((2, data.n_heads))
    n_words = 0
    for number in data.parts.train:
        n = len(data.inputs[number].words)
        maps = data.maps[number][:n, :n].astype(float)
        for word in range(n):
            others = [j for j in range(n) if j != word]
            wanted += [maps[word, others].std(axis=0), maps[others, word].std(axis=0)]
            n_words += 1
    np.testing.assert_allclose(found, wanted / n_words, rtol=1e-4)


def test_uniform_attention_knows_nothing_of_order(encoder):
    """With the same weight everywhere a candidate's score depends on its word alone."""
    inputs = list(
        Trees([probing.sentence("a", (1, 2, None)), probing.sentence("b", (None, 0, 1))], encoder)
    )
    data = probing.of_inputs(inputs)
    flat = replace(data, maps=probes.Uniform(inputs))
    scores = drawn(AttentionAndWords, flat)(one_batch(flat, [0, 1])).detach()
    np.testing.assert_allclose(scores[0, :, 1:], scores[1, :, 1:], atol=1e-5)
    assert flat.maps[0][:, :, 0].sum(axis=1) == pytest.approx(1, abs=2e-3)


# --- on the sample


def test_the_order_of_probes_on_the_sample(minilm, tmp_path, monkeypatch):
    """Attention adds to words; both are better than a chain, and that than random layers."""
    monkeypatch.setenv("BERTATTN_CACHE", str(tmp_path))
    inputs = list(Trees(corpora.treebank("sample"), minilm.encoder))
    maps = probes.word_maps(minilm, inputs)
    data = ProbeData.of(inputs, maps, vectors.load(), probes.parts(inputs))
    assert data.vectors.unknown.total() < 0.01 * data.n_words
    results = [
        probes.evaluated("attention and words", AttentionAndWords, data, n_epochs=5),
        probes.evaluated("words and distances", WordsAndDistances, data, n_epochs=8),
        probes.evaluated("attention only", AttentionOnly, data, n_epochs=5),
        probes.baselines(data)[0],
        probes.random_init([random_init("minilm")], data, learning_rates=[0.01], n_epochs=5),
    ]
    counts = [result.runs[0].counts for result in results]
    both, distances, only, chain, at_random = [c.right.sum() / c.total.sum() for c in counts]
    assert both > max(distances, only) + 0.05
    assert min(distances, only) > chain > at_random


class Constant(nn.Module):
    """The same score for every candidate."""

    def __init__(self, data: ProbeData) -> None:
        super().__init__()

    def forward(self, batch):
        return torch.zeros(batch.candidates.shape)


def test_predictions_come_in_the_order_that_was_asked(data):
    asked = [5, 0, 3]
    found = predict(Constant(data), data, asked)
    assert [p.number for p in found] == asked
    assert all((p.tree == 0).sum() == 1 for p in found)
