"""Section 6: layers, maps, trees and tests of distances whose answers are known."""

from math import log, sqrt

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import smacof
from sklearn.metrics import silhouette_score

from bertattn import clusters
from bertattn.clusters import Distances, Tree
from bertattn.heads import AttentionHead
from tests.test_clusters import summed


def distances_of(matrix, n_layers=1, n_groups=1):
    """Distances as if one row had been seen in each group of documents."""
    matrix = np.asarray(matrix, dtype=np.float64)
    sums = np.repeat(matrix[None], n_groups, axis=0)
    return Distances(sums, np.ones(n_groups, dtype=np.int64), n_layers)


def two_families(n_documents=6):
    """2 layers of 4 heads: two of each look back, two look at the last token, with noise."""
    rng = np.random.default_rng(0)
    maps = []
    for _ in range(n_documents):
        back = np.eye(8, k=-1)
        back[0, 0] = 1
        last = np.zeros((8, 8))
        last[:, -1] = 1
        noise = rng.dirichlet(np.ones(8), size=(2, 4, 8))
        maps.append(0.8 * np.stack([back, last, back, last]) + 0.2 * noise)
    return summed([[0] * 8] * n_documents, maps).result()


FAMILY = np.array([1, 2, 1, 2, 1, 2, 1, 2])


# distances --------------------------------------------------------------------------------------


def test_heads_and_layers_stand_in_order():
    found = distances_of(np.zeros((6, 6)), n_layers=2)
    assert [str(h) for h in found.heads] == ["1-1", "1-2", "1-3", "2-1", "2-2", "2-3"]
    assert found.layers.tolist() == [0, 0, 0, 1, 1, 1]
    assert clusters.layer_difference(found)[0].tolist() == [0, 0, 0, 1, 1, 1]


def test_within_and_between_are_means_over_pairs():
    matrix = squareform([1.0, 4.0, 5.0, 6.0, 7.0, 3.0])  # 12, 13, 14, 23, 24, 34
    found = clusters.within_and_between(distances_of(matrix / 10, n_layers=2))
    within, between = (1 + 3) / 2 / 10, (4 + 5 + 6 + 7) / 4 / 10
    np.testing.assert_allclose(found.mean, [within, between, between - within])
    assert np.isnan(found.low).all()


def test_an_interval_needs_groups_that_differ():
    one, other = np.full((2, 4, 4), 0.1)
    other[:2, :2] = 0.3
    for matrix in (one, other):
        np.fill_diagonal(matrix, 0)
    both = Distances(np.stack([one, other]), np.array([1, 1]), 2)
    found = clusters.within_and_between(both)
    np.testing.assert_allclose(found.mean[:2], [0.15, 0.1])  # 12: .2, 34: .1
    assert found.low[0] < 0.15 < found.high[0]
    assert found.low[1] == pytest.approx(0.1)
    assert found.n_groups == 2


def test_distances_by_difference_of_layers():
    matrix = squareform([0.1, 0.2, 0.3])  # three layers of one head: 1-2, 1-3, 2-3
    found = clusters.by_layer_difference(distances_of(matrix, n_layers=3))
    assert np.isnan(found.mean[0])  # one head a layer: none in the same
    np.testing.assert_allclose(found.mean[1:], [(0.1 + 0.3) / 2, 0.2])


def test_one_layer_has_nothing_between():
    found = clusters.within_and_between(distances_of(squareform([0.1, 0.2, 0.3])))
    assert found.mean[0] == pytest.approx(0.2)
    assert np.isnan(found.mean[1:]).all()


def test_the_nearest_heads_come_first_and_a_head_is_not_its_own():
    matrix = squareform([0.3, 0.1, 0.2, 0.4, 0.5, 0.6])
    found = distances_of(matrix, n_layers=2)
    assert [str(h) for h in found.nearest(AttentionHead(0, 0))] == ["2-1", "2-2", "1-2"]
    assert [str(h) for h in found.nearest(AttentionHead(0, 0), n=1)] == ["2-1"]


def test_parts_are_distances_of_some_groups():
    both = Distances(np.stack([np.zeros((2, 2)), [[0, 0.4], [0.4, 0]]]), np.array([1, 1]), 1)
    assert both.matrix[0, 1] == 0.4 / 2
    assert both.part(np.array([1])).matrix[0, 1] == 0.4


def test_rounding_beyond_the_range_is_cut_off():
    found = distances_of([[0.1, 0.7], [0.7, 0.0]])
    assert found.matrix.tolist() == [[0, log(2)], [log(2), 0]]


# two planted families ---------------------------------------------------------------------------


def test_two_families_of_heads_are_found_and_no_others():
    found = two_families()
    tree = Tree.of(found.matrix)
    assert tree.cut(2).tolist() in (FAMILY.tolist(), (3 - FAMILY).tolist())
    assert clusters.silhouette(found.matrix, FAMILY) > 0.8
    kin = clusters.within_and_between(found, FAMILY)
    assert kin.high[0] < kin.low[1]
    assert kin.mean[2] == pytest.approx(kin.mean[1] - kin.mean[0])
    assert kin.low[2] > 0


def test_families_are_apart_on_the_map():
    x = clusters.layout(two_families().matrix).coordinates[:, 0]
    assert (
        x[FAMILY == 1].max() < x[FAMILY == 2].min() or x[FAMILY == 2].max() < x[FAMILY == 1].min()
    )


def test_a_nearest_head_is_of_the_same_family():
    found = two_families()
    for place, attn_head in enumerate(found.heads):
        near = [found.heads.index(h) for h in found.nearest(attn_head)]
        assert (FAMILY[near] == FAMILY[place]).all()


def test_halves_of_the_data_agree_on_families():
    splits = clusters.over_halves(two_families(), n_splits=3)
    assert len(splits) == 3
    for split in splits:
        assert split.distances > 0.99
        assert split.procrustes < 0.05
        assert 0 < split.largest < 0.1


# all heads equal, one head, two -----------------------------------------------------------------


@pytest.fixture(scope="module")
def equal():
    weights = np.random.default_rng(0).dirichlet(np.ones(6), size=6)
    return summed([[0] * 6] * 2, [np.tile(weights, (2, 3, 1, 1))] * 2).result()


def test_equal_heads_are_at_no_distance_and_on_one_point(equal):
    assert equal.all_equal
    assert equal.matrix.max() < 1e-6
    found = clusters.layout(equal.matrix)
    assert not found.coordinates.any()
    assert (found.stress, found.verdict) == (0, "perfect")
    assert np.isnan(found.rank_correlation)


def test_equal_heads_make_one_cluster(equal):
    tree = Tree.of(equal.matrix)
    assert set(tree.cut(3)) == {1}
    assert np.isnan(clusters.silhouette(equal.matrix, tree.cut(3)))
    assert np.isnan(tree.faithfulness)
    assert clusters.over_seeds(equal.matrix, clusters.layout(equal.matrix)) == []
    [split] = clusters.over_halves(equal, n_splits=1)
    assert np.isnan(split.procrustes)


def test_one_head_is_a_map_of_one_point():
    found = summed([[0] * 4], [np.full((1, 1, 4, 4), 0.25)]).result()
    assert found.matrix.tolist() == [[0]]
    assert clusters.layout(found.matrix).coordinates.tolist() == [[0, 0]]
    tree = Tree.of(found.matrix)
    assert (tree.order.tolist(), tree.cut(1).tolist()) == ([0], [1])
    assert np.isnan(tree.faithfulness)
    assert found.nearest(AttentionHead(0, 0)) == []
    assert np.isnan(clusters.within_and_between(found).mean).all()
    assert np.isnan(clusters.mantel(found.matrix, clusters.layer_difference(found)).p)


def test_two_heads_are_as_far_apart_as_they_are():
    matrix = np.array([[0, 0.3], [0.3, 0]])
    found = clusters.layout(matrix)
    assert found.between.tolist() == pytest.approx([0.3])
    assert found.stress == pytest.approx(0, abs=1e-6)
    assert np.isnan(found.rank_correlation)
    assert Tree.of(matrix).cut(2).tolist() == [1, 2]
    assert np.isnan(clusters.mantel(matrix, matrix).correlation)


def test_one_group_of_documents_has_no_halves():
    assert clusters.over_halves(distances_of(squareform([0.1, 0.2, 0.3]))) == []


# maps -------------------------------------------------------------------------------------------


def test_points_of_a_plane_are_found_again():
    points = np.random.default_rng(0).normal(size=(12, 2))
    found = clusters.layout(squareform(pdist(points)))
    np.testing.assert_allclose(found.between, pdist(points), atol=0.01)
    assert found.stress < 0.01
    assert found.verdict == ("perfect" if round(found.stress, 3) == 0 else "excellent")
    assert found.rank_correlation > 0.999


def random_distances(n, seed=0):
    return squareform(pdist(np.random.default_rng(seed).normal(size=(n, 5))))


def test_stress_is_what_scikit_learn_calls_normalized_stress():
    given = random_distances(15)
    start = np.random.default_rng(1).normal(size=(15, 2))
    points, stress = smacof(given, init=start, n_init=1, normalized_stress=True)
    assert clusters.stress_1(pdist(points), clusters.pairs(given)) == pytest.approx(stress)


def test_stress_has_its_known_values():
    assert clusters.stress_1(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == 0
    expected = sqrt((1 + 4) / (4 + 9))
    assert clusters.stress_1(np.array([2.0, 3.0]), np.array([1.0, 1.0])) == pytest.approx(expected)
    assert clusters.stress_1(np.zeros(3), np.zeros(3)) == 0


def test_kruskals_words():
    words = ["perfect", "excellent", "good", "fair", "poor", "worse than poor"]
    assert [clusters.verdict(s) for s in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)] == words


def test_more_starts_never_make_a_worse_map():
    given = random_distances(15)
    stresses = [clusters.layout(given, n_starts=n).stress for n in (1, 3, 6)]
    assert stresses == sorted(stresses, reverse=True)


def test_a_map_repeats_and_lies_with_its_longest_axis_across():
    given = random_distances(15)
    one, again = clusters.layout(given, seed=3), clusters.layout(given, seed=3)
    assert np.array_equal(one.coordinates, again.coordinates)
    np.testing.assert_allclose(one.coordinates.mean(axis=0), 0, atol=1e-12)
    assert np.ptp(one.coordinates[:, 0]) > np.ptp(one.coordinates[:, 1])
    np.testing.assert_allclose(one.coordinates[:, 0] @ one.coordinates[:, 1], 0, atol=1e-9)


def test_maps_are_compared_by_distances_so_turning_and_mirroring_change_nothing():
    found = clusters.layout(random_distances(10))
    turned = clusters.Layout(found.coordinates[:, ::-1] * [1, -1], found.stress, 1.0)
    same = clusters.agreement(found, turned)
    assert same.maps == pytest.approx(1)
    assert same.procrustes == pytest.approx(0, abs=1e-12)


def test_other_seeds_give_maps_of_like_stress():
    given = random_distances(15)
    found = clusters.over_seeds(given, clusters.layout(given, n_starts=10), n_seeds=4)
    assert len(found) == 4
    assert len({a.stress for a in found}) > 1
    assert all(clusters.layout(given, n_starts=10).stress <= a.stress + 1e-3 for a in found)
    assert all(0 <= a.procrustes < 1 for a in found)


# trees ------------------------------------------------------------------------------------------


def test_average_linkage_joins_at_mean_distances():
    line = np.array([0.0, 1.0, 5.0])
    tree = Tree.of(abs(np.subtract.outer(line, line)))
    assert tree.links[:, 2].tolist() == [1, (5 + 4) / 2]
    assert tree.cut(2).tolist() in ([1, 1, 2], [2, 2, 1])
    assert tree.cut(1).tolist() == [1, 1, 1]


def test_clusters_are_numbered_as_the_leaves_stand():
    matrix = random_distances(12)
    tree = Tree.of(matrix)
    in_order = tree.cut(4)[tree.order]
    assert in_order.tolist() == sorted(in_order.tolist())
    assert set(in_order) == {1, 2, 3, 4}


def test_more_clusters_than_heads_are_refused():
    with pytest.raises(ValueError, match="wanted 1 to 3 clusters, got 4"):
        Tree.of(squareform([0.1, 0.2, 0.3])).cut(4)


@pytest.mark.parametrize("labels", [[1, 1, 2, 2, 3, 3], [1, 1, 1, 1, 1, 2], [1, 2, 2, 2, 3, 3]])
def test_a_silhouette_is_scikit_learns(labels):
    matrix, labels = random_distances(6), np.array(labels)
    expected = silhouette_score(matrix, labels, metric="precomputed")
    assert clusters.silhouette(matrix, labels) == pytest.approx(expected)


def test_a_silhouette_needs_from_two_groups_to_one_fewer_than_heads():
    matrix = random_distances(4)
    assert np.isnan(clusters.silhouette(matrix, np.array([1, 1, 1, 1])))
    assert np.isnan(clusters.silhouette(matrix, np.array([1, 2, 3, 4])))
    assert np.isnan(clusters.silhouette_test(matrix, np.array([1, 2, 3, 4])).p)


def test_planted_groups_beat_shuffled_ones_and_random_groups_do_not():
    planted = clusters.silhouette_test(two_families().matrix, FAMILY, n_shuffles=199)
    assert planted.score > 0.8
    assert planted.by_chance < 0.1
    assert planted.p == pytest.approx(2 / 70, abs=0.04)  # of 70 ways to deal, 2 are the families
    assert planted.n_groups == 2
    dealt = clusters.silhouette_test(random_distances(20), np.arange(20) % 4, n_shuffles=199)
    assert dealt.p > 0.05


def test_strings_are_labels_too():
    found = clusters.silhouette_test(two_families().matrix, np.array(["a", "b"] * 4), 9)
    assert found.score > 0.8


# the Mantel test --------------------------------------------------------------------------------


def test_a_planted_gradient_over_layers_is_found():
    layers = np.repeat(np.arange(6), 3)
    rng = np.random.default_rng(0)
    apart = abs(np.subtract.outer(layers, layers))
    noisy = apart + squareform(pdist(rng.normal(size=(18, 3))))
    found = clusters.mantel(noisy, apart, n_permutations=999)
    assert found.correlation > 0.5
    assert found.p == 1 / 1000


def test_the_correlation_is_pearsons_over_pairs():
    a, b = random_distances(8), random_distances(8, seed=1)
    expected = np.corrcoef(clusters.pairs(a), clusters.pairs(b))[0, 1]
    assert clusters.mantel(a, b, n_permutations=9).correlation == pytest.approx(expected)


def test_p_equals_a_slow_loop_over_the_same_permutations():
    a, b = random_distances(7), random_distances(7, seed=1)
    rng = np.random.default_rng(5)
    orders = rng.permuted(np.tile(np.arange(7), (99, 1)), axis=1)
    observed = np.corrcoef(clusters.pairs(a), clusters.pairs(b))[0, 1]
    reached = [
        np.corrcoef(clusters.pairs(a), clusters.pairs(b[order][:, order]))[0, 1] >= observed
        for order in orders
    ]
    found = clusters.mantel(a, b, n_permutations=99, seed=5)
    assert found.p == (1 + sum(reached)) / 100


def test_p_is_uniform_where_there_is_nothing():
    layers = np.repeat(np.arange(4), 3)
    apart = abs(np.subtract.outer(layers, layers))
    p = np.array(
        [clusters.mantel(random_distances(12, s), apart, n_permutations=99, seed=s).p
         for s in range(200)]
    )  # fmt: skip
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.045)
    assert np.mean(p <= 0.5) == pytest.approx(0.5, abs=0.1)


def test_chunks_change_nothing(monkeypatch):
    a, b = random_distances(9), random_distances(9, seed=1)
    whole = clusters.mantel(a, b, n_permutations=50)
    monkeypatch.setattr("bertattn.clusters.permuting.CHUNK", 36 * 7)
    parts = clusters.mantel(a, b, n_permutations=50)
    assert parts.correlation == whole.correlation
    assert parts.n_permutations == 50


def test_one_layer_is_no_gradient():
    found = distances_of(random_distances(5) / 10)
    tested = clusters.mantel(found.matrix, clusters.layer_difference(found))
    assert np.isnan(tested.correlation)
    assert np.isnan(tested.p)
