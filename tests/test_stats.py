import numpy as np
import pytest
from scipy import stats as scipy_stats

from bertattn.stats import N_GROUPS, group_of, mean_by_group


def test_equal_groups_give_students_interval():
    values = np.array([1.0, 2.0, 4.0, 7.0])
    estimate = mean_by_group(values, np.ones(4, dtype=np.int64))
    half = scipy_stats.t.ppf(0.975, 3) * values.std(ddof=1) / np.sqrt(4)
    assert estimate.mean == 14 / 4
    np.testing.assert_allclose([estimate.low, estimate.high], [14 / 4 - half, 14 / 4 + half])
    assert estimate.n_groups == 4


def test_the_mean_is_over_units_not_over_groups():
    estimate = mean_by_group(np.array([10.0, 1.0]), np.array([10, 1]))
    assert estimate.mean == 11 / 11


def test_one_group_gives_no_interval_and_none_no_number():
    estimate = mean_by_group(np.array([3.0, 0.0]), np.array([2, 0]))
    assert estimate.mean == 3 / 2
    assert np.isnan(estimate.low)
    assert np.isnan(mean_by_group(np.zeros(3), np.zeros(3, dtype=np.int64)).mean)


def test_documents_are_groups_until_there_are_many():
    assert len(set(group_of(np.arange(N_GROUPS)).tolist())) == N_GROUPS
    assert group_of(np.arange(10_000)).max() == N_GROUPS - 1


@pytest.mark.parametrize("n_documents", [12, 300])
def test_coverage_on_documents_whose_segments_resemble_each_other(n_documents):
    rng = np.random.default_rng(0)
    hits, n_runs, truth = 0, 400, 0.3
    for _ in range(n_runs):
        level = truth + 0.1 * rng.standard_normal(n_documents)
        n_segments = rng.integers(1, 6, n_documents)
        sums, counts = np.zeros(N_GROUPS), np.zeros(N_GROUPS, dtype=np.int64)
        noise = 0.02 * rng.standard_normal(n_documents) * np.sqrt(n_segments)
        np.add.at(sums, group_of(np.arange(n_documents)), level * n_segments + noise)
        np.add.at(counts, group_of(np.arange(n_documents)), n_segments)
        estimate = mean_by_group(sums, counts)
        hits += estimate.low <= truth <= estimate.high
    assert 0.92 < hits / n_runs < 0.98
