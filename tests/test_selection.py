"""Choosing as part of the procedure, on simulated data of which the truth is known."""

import numpy as np
import pytest

from bertattn import stats


def simulated(rates, n_groups=40, n=25, seed=0, spread=0.0):
    """Right answers of candidates of known rates, groups differing by ``spread``."""
    rng = np.random.default_rng(seed)
    shift = rng.normal(0, spread, (n_groups, 1)) if spread else 0.0
    chance = np.clip(np.asarray(rates) + shift, 0, 1)
    return rng.binomial(n, np.broadcast_to(chance, (n_groups, len(rates)))), np.full(
        (n_groups, 1), n
    )


def test_the_interval_of_one_candidate_covers_its_rate():
    """95 % intervals hold the truth in about 95 of 100 simulations, groups differing or not."""
    for spread in (0.0, 0.15):
        covered = 0
        for seed in range(200):
            right, total = simulated([0.6], seed=seed, spread=spread)
            weights = stats.resamples(len(right), 300, seed)
            low, high = stats.interval(stats.scores_of_best(right, total, weights))
            covered += low <= 0.6 <= high
        assert 0.88 <= covered / 200 <= 0.99


def test_the_best_of_many_equals_is_biased_and_held_out_it_is_not():
    chosen, held_out = [], []
    for seed in range(30):
        right, total = simulated([0.3] * 100, n_groups=20, n=10, seed=seed)
        chosen.append(right[:, stats.best(right, total)].sum() / total.sum())
        held_out.append(stats.held_out(right, total, seed=seed).mean)
    assert np.mean(chosen) > 0.3 + 0.05
    assert abs(np.mean(held_out) - 0.3) < 0.01


def test_the_held_out_interval_covers_the_rate_of_what_is_chosen():
    covered = 0
    for seed in range(100):
        right, total = simulated([0.3] * 20 + [0.7], seed=seed, spread=0.1)
        found = stats.held_out(right, total, seed=seed)
        low, high = stats.interval(found.resampled.ravel())
        covered += low <= 0.7 <= high
        assert found.most_chosen == (20, 1.0)
    assert covered >= 88


@pytest.mark.parametrize("rates", [[0.3] * 144, list(np.linspace(0.1, 0.5, 144))])
def test_choosing_anew_in_resamples_flatters_and_held_out_intervals_do_not(rates):
    """With many candidates the truth of what is chosen lies below the resampled bests."""
    rechosen = held_out = 0
    for seed in range(40):
        right, total = simulated(rates, n_groups=30, n=10, seed=seed)
        truth = np.array(rates)
        weights = stats.resamples(len(right), 200, seed)
        low, high = stats.interval(stats.scores_of_best(right, total, weights))
        rechosen += low <= truth[stats.best(right, total)] <= high
        found = stats.held_out(right, total, seed=seed)
        low, high = stats.interval(found.resampled.ravel())
        held_out += low <= truth[found.winners].mean() <= high
    assert rechosen < 10
    assert held_out >= 36


def test_a_clear_winner_always_wins_and_equals_share():
    right, total = simulated([0.3, 0.9, 0.3])
    assert stats.held_out(right, total).most_chosen == (1, 1.0)
    right, total = simulated([0.5, 0.5, 0.5, 0.5], seed=3)
    assert stats.held_out(right, total).most_chosen[1] < 0.9


def test_two_kinds_of_candidates_are_split_alike():
    right, total = simulated([0.5, 0.6])
    more = np.concatenate([right, np.zeros((len(right), 9), dtype=np.int64)], axis=1)
    one, two = stats.held_out(right, total), stats.held_out(more, total)
    assert np.array_equal(one.scores, two.scores)  # those that were added never win
    assert np.nanmax(abs(one.resampled - two.resampled)) == 0
    assert not np.array_equal(one.scores, stats.held_out(right, total, seed=1).scores)


def test_choosing_and_scoring_never_see_the_same_group():
    """Each group has a candidate of its own that is right there alone: useless elsewhere."""
    right, total = 10 * np.eye(12, dtype=np.int64), np.full((12, 1), 10)
    found = stats.held_out(right, total)
    assert found.mean == 0
    assert right[:, stats.best(right, total)].sum() == 10


def test_a_group_alone_cannot_be_held_out():
    found = stats.held_out(np.array([[3, 1]]), np.array([[4]]))
    assert np.isnan(found.mean)
    assert found.most_chosen == (-1, 0.0)
    assert np.isnan(stats.interval(found.resampled.ravel()).low)


def test_halves_are_halves():
    right, total = simulated([0.5], n_groups=7)
    assert np.isfinite(stats.held_out(right, total, n_splits=5).scores).all()


def test_a_resample_is_as_large_as_the_whole():
    drawn = stats.resamples(9, 50)
    assert drawn.shape == (50, 9)
    assert (drawn.sum(axis=1) == 9).all()
    alone = stats.scores_of_best(np.array([[3, 1]]), np.array([[4]]), stats.resamples(1, 5))
    assert np.isnan(alone).all()


def test_candidates_may_have_questions_of_their_own():
    right, total = np.array([[1, 3], [1, 3]]), np.array([[1, 9], [1, 9]])
    assert stats.best(right, total) == 0  # 2 of 2 against 6 of 18
    assert stats.scores_of_best(right, total, np.array([[2, 0]])).tolist() == [1.0]


def test_nothing_asked_is_not_chosen():
    assert stats.best(np.array([[0, 1]]), np.array([[0, 3]])) == 1


def test_wilson_holds_at_the_edges():
    low, high = stats.wilson(0, 30)
    assert low == 0
    assert 0.1 < high < 0.13
    assert np.isnan(stats.wilson(0, 0).low)


def test_holm_keeps_order_and_stops_at_one():
    found = stats.holm(np.array([0.5, 0.01, 0.4]))
    np.testing.assert_allclose(found, [0.8, 0.03, 0.8])
    assert stats.holm(np.array([0.6, 0.7])).tolist() == [1.0, 1.0]


def test_silver_is_put_right_by_its_checked_part():
    """Silver answers are wrong in one of five; the checked part brings the truth back."""
    rng = np.random.default_rng(0)
    estimates, covered = [], 0
    for seed in range(60):
        truth = rng.random((40, 30)) < 0.7
        silver = truth ^ (rng.random(truth.shape) < 0.2)
        part = np.arange(30) < 8
        sums = [
            np.stack([x.sum(axis=1), np.full(40, n)], axis=1)
            for x, n in ((silver, 30), (silver[:, part], 8), (truth[:, part], 8))
        ]
        rate, (low, high) = stats.corrected_rate(*sums, stats.resamples(40, 200, seed))
        estimates.append(rate)
        covered += low <= 0.7 <= high
    assert abs(np.mean(estimates) - 0.7) < 0.01
    assert covered >= 0.85 * 60
