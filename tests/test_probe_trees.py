"""Trees from scores, what of them is counted, and the structural probe."""

import itertools
from dataclasses import replace
from importlib import import_module

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bertattn.model.states import word_states
from bertattn.probes import Parts
from bertattn.probes.decoding import arborescence, edges, undirected
from bertattn.probes.predictions import Prediction, count, decoded
from bertattn.probes.structural import (
    distances,
    predict_structural,
    states,
    train_structural,
    tree_distances,
)
from bertattn.probes.training import TrainingError
from bertattn.segments import Trees
from tests import probing


def every_tree(n_words):
    """All trees over so many words with one root, as candidates."""
    for candidates in itertools.product(range(n_words + 1), repeat=n_words):
        above = [c - 1 for c in candidates]
        if candidates.count(0) == 1 and all(reaches(above, w) for w in range(n_words)):
            yield np.array(candidates)


def reaches(above, word):
    for _ in range(len(above)):
        if above[word] < 0:
            return True
        word = above[word]
    return False


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 30.0]))
def test_the_tree_is_the_best_of_all_trees(n_words, seed, scale):
    rng = np.random.default_rng(seed)
    scores = scale * rng.normal(size=(n_words, n_words + 1))
    scores[np.arange(n_words), np.arange(n_words) + 1] = -np.inf
    found = arborescence(scores)
    rows = np.arange(n_words)
    best = max(scores[rows, tree].sum() for tree in every_tree(n_words))
    assert scores[rows, found].sum() == pytest.approx(best)
    assert any(np.array_equal(found, tree) for tree in every_tree(n_words))


def test_a_long_sentence_has_the_best_tree_too():
    """Against networkx, once for each word as the root."""
    rng = np.random.default_rng(0)
    for n_words in (9, 14):
        scores = rng.normal(size=(n_words, n_words + 1))
        scores[np.arange(n_words), np.arange(n_words) + 1] = -np.inf
        best = max(best_under(scores, root) for root in range(n_words))
        found = scores[np.arange(n_words), arborescence(scores)].sum()
        assert found == pytest.approx(best)


def best_under(scores, root):
    graph = nx.DiGraph()
    for word, governor in itertools.permutations(range(len(scores)), 2):
        if word != root:
            graph.add_edge(governor, word, weight=scores[word, governor + 1])
    tree = nx.maximum_spanning_arborescence(graph)
    return scores[root, 0] + sum(weight for *_, weight in tree.edges(data="weight"))


def test_what_is_no_candidate_is_in_no_tree_unless_nothing_else_is_left():
    scores = np.array([[-1.0, -np.inf, -9.0], [-9.0, -np.inf, -np.inf]])
    assert arborescence(scores).tolist() == [2, 0]


def test_ties_make_a_tree_too():
    found = arborescence(np.zeros((6, 7)))
    assert (found == 0).sum() == 1
    assert all(reaches([int(c) - 1 for c in found], word) for word in range(6))


def test_the_tree_without_direction_is_networkxs():
    rng = np.random.default_rng(1)
    far = rng.random((9, 9))
    kept = np.array([True, False, True, True, True, False, True, True, True])
    graph = nx.Graph()
    for a, b in itertools.combinations(np.flatnonzero(kept).tolist(), 2):
        graph.add_edge(a, b, weight=min(far[a, b], far[b, a]))
    wanted = {tuple(sorted(pair)) for pair in nx.minimum_spanning_edges(graph, data=False)}
    assert undirected(far, kept) == wanted


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(0, 10_000))
def test_ties_make_a_tree_without_direction_that_is_as_short(n_words, seed):
    far = np.random.default_rng(seed).integers(0, 3, size=(n_words, n_words)).astype(float)
    near = np.minimum(far, far.T)
    graph = nx.complete_graph(n_words)
    for a, b in graph.edges:
        graph[a][b]["weight"] = near[a, b]
    found = undirected(far, np.ones(n_words, dtype=bool))
    shortest = nx.minimum_spanning_tree(graph)
    assert sum(near[pair] for pair in found) == shortest.size(weight="weight")
    joined = nx.Graph(list(found))
    joined.add_nodes_from(range(n_words))
    assert nx.is_tree(joined)


def test_words_at_no_distance_are_joined():
    assert undirected(np.zeros((3, 3)), np.ones(3, dtype=bool)) == {(0, 1), (0, 2)}
    assert undirected(np.zeros((3, 3)), np.array([True, False, False])) == set()


def test_edges_forget_direction():
    assert edges(np.array([2, 0, 2])) == edges(np.array([0, 1, 2])) == {(0, 1), (1, 2)}


# --- what is counted


@pytest.fixture
def marked(encoder):
    """the keeper fed it. - with a full stop, which does not count."""
    one = probing.sentence("a", (1, 2, None, 2, 2), ("the", "keeper", "fed", "it", "."))
    one = replace(one, relations=("det", "nsubj", "root", "dobj", "punct"))
    return probing.of_inputs(list(Trees([one], encoder)))


def test_punctuation_is_not_counted(marked):
    chosen = np.array([2, 3, 0, 1, 1])  # three of four, and the mark wrong
    tree = np.array([2, 3, 0, 3, 3])
    counts = count(marked, [Prediction(0, chosen, tree, {(0, 1), (1, 2), (0, 3)})])
    rows = [counts.right, counts.right_tree, counts.total, counts.right_edges, counts.total_edges]
    assert [int(row.item()) for row in rows] == [3, 4, 4, 2, 3]


def test_a_probe_without_direction_has_no_governors(marked):
    counts = count(marked, [Prediction(0, None, None, {(0, 1)})])
    assert (counts.right.item(), counts.right_tree.item(), counts.right_edges.item()) == (0, 0, 1)


def test_probabilities_are_decoded_three_ways(marked):
    scores = np.full((5, 6), -9.0)
    scores[[0, 1, 2, 3, 4], [2, 1, 3, 3, 3]] = -0.1  # "the" and "keeper" choose one another
    scores[[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]] = -np.inf
    scores[1, 1], scores[1, 3], scores[2, 0] = -0.1, -0.5, -1.0
    found = decoded(marked.words[0], 0, scores)
    assert found.chosen.tolist() == [2, 1, 0, 3, 3]
    assert found.tree.tolist() == [2, 3, 0, 3, 3]
    assert found.edges == {(0, 1), (1, 2), (2, 3)}  # the mark is in no edge


# --- the structural probe


def hidden_paths(tokens):
    """States in which the squared distance of two words is their distance in the tree.

    Each word has a dimension of its own; its state is 1 in those on its way to the root.
    """
    n = len(tokens.words)
    found = np.zeros((2, n, 12), dtype=np.float16)
    for word in range(n):
        above = word
        while above is not None:
            found[1, word, above] = 1
            above = tokens.source.governors[above]
    found[0] = np.random.default_rng(n).normal(size=(n, 12))
    return found


def test_distances_in_a_tree_are_shortest_paths(encoder):
    for tokens in Trees(probing.sentences(20), encoder):
        graph = nx.Graph([(w, g) for w, g in enumerate(tokens.source.governors) if g is not None])
        graph.add_nodes_from(range(len(tokens.words)))
        paths = dict(nx.all_pairs_shortest_path_length(graph))
        n = len(tokens.words)
        wanted = [[paths[a][b] for b in range(n)] for a in range(n)]
        assert tree_distances(tokens).tolist() == wanted


def test_distances_of_vectors_are_squared_differences():
    moved = torch.tensor(np.random.default_rng(0).normal(size=(2, 4, 3)), dtype=torch.float32)
    wanted = ((moved[:, :, None] - moved[:, None]) ** 2).sum(-1)
    torch.testing.assert_close(distances(moved), wanted, atol=1e-5, rtol=1e-4)


def test_trees_that_are_in_the_vectors_are_found_in_the_layer_that_has_them(encoder):
    inputs = list(Trees(probing.sentences(60), encoder))
    data = probing.of_inputs(
        inputs, Parts(list(range(40)), list(range(40, 50)), list(range(50, 60)))
    )
    hidden = [hidden_paths(tokens) for tokens in inputs]
    probe = train_structural(data, hidden, rank=12, n_epochs=60, learning_rate=0.02)
    assert probe.layer == 1
    assert probe.dev_uuas[1] > 0.95 > 0.7 > probe.dev_uuas[0]
    counts = count(data, predict_structural(probe, data, hidden, data.parts.test))
    assert counts.right_edges.sum() / counts.total_edges.sum() > 0.95


def test_the_structural_probe_is_seeded_and_names_a_bad_sentence(encoder):
    inputs = list(Trees(probing.sentences(6), encoder))
    data = probing.of_inputs(inputs, Parts([0, 1, 2], [3], [4, 5]))
    hidden = [hidden_paths(tokens) for tokens in inputs]
    one, two = (train_structural(data, hidden, [1], rank=4, n_epochs=2, seed=3) for _ in range(2))
    assert torch.equal(one.matrix, two.matrix)
    hidden[1][1, 0, 0] = np.nan
    with pytest.raises(TrainingError, match="loss of sentence 's1' is no number"):
        train_structural(data, hidden, rank=4, n_epochs=1)


def test_layers_are_trained_alike_alone_and_beside_others(encoder, monkeypatch):
    """First numbers are drawn for all layers at once, so these get the same ones."""
    inputs = list(Trees(probing.sentences(12), encoder))
    data = probing.of_inputs(inputs, Parts(list(range(8)), [8, 9], [10, 11]))
    hidden = [hidden_paths(tokens)[[1, 1, 1]] for tokens in inputs]
    module, found = import_module("bertattn.probes.structural"), []
    for n_threads in (1, 2, 3):
        monkeypatch.setattr(module, "N_THREADS", n_threads)
        found.append(train_structural(data, hidden, rank=4, n_epochs=3))
    for other in found[1:]:
        assert other.dev_uuas == found[0].dev_uuas
        torch.testing.assert_close(other.matrix, found[0].matrix)


def test_states_of_words_are_means_over_their_pieces(tiny_model):
    one = probing.sentence("x", (1, None, 1), ("crab", "it", "\u200b"))
    tokens = next(iter(Trees([one], tiny_model.encoder)))
    (found,) = word_states(tiny_model, [tokens])
    with torch.inference_mode():
        output = tiny_model.module(
            **tiny_model._arguments([tokens]), output_hidden_states=True
        ).hidden_states
    for layer, hidden in enumerate(output):
        for word in range(2):
            wanted = hidden[0, torch.tensor(tokens.unit_of == word)].mean(dim=0)
            np.testing.assert_allclose(found[layer, word], wanted.numpy(), atol=4e-3)
    assert not found[:, 2].any()


def test_states_come_in_the_order_of_the_inputs(tiny_model):
    inputs = list(Trees(probing.sentences(40), tiny_model.encoder))
    found = states(tiny_model, inputs)
    assert [f.shape[1] for f in found] == [len(t.words) for t in inputs]
    np.testing.assert_allclose(found[7], word_states(tiny_model, [inputs[7]])[0], atol=4e-3)
