"""How alike the features are that a method selects in several runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import jaccard_stability, nogueira_stability
from tests.reference.statistics import jaccard, nogueira


def random_runs(seed, runs=12, features=15):
    """Runs that favour some features, of different sizes."""
    rng = np.random.default_rng(seed)
    return rng.random((runs, features)) < rng.random(features)


def test_three_runs_are_worked_by_hand():
    # p = 1, 2/3, 1/3, 0; the variance of a feature is 3/2 p (1 - p) = 0, 1/3, 1/3, 0, in the
    # mean 1/6; half of the features are selected: q (1 - q) = 1/4.
    found = nogueira_stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    assert found.value == pytest.approx(1 - (1 / 6) / (1 / 4))
    # phi_i = 4 (mean(z p) - 1/4 + stability / 2 (1/2 - 1/2 - 1/2 + 1)); the last is the same for
    # all, as sizes are, and mean(z p) is 5/12, 5/12 and 4/12. Around the mean of 4 times these:
    # 1/9, 1/9 and -2/9.
    assert found.variance == pytest.approx(4 / 9 * (1 / 81 + 1 / 81 + 4 / 81))
    half = norm.ppf(0.975) * math.sqrt(found.variance)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))


@pytest.mark.parametrize("seed", range(5))
def test_it_is_one_minus_observed_over_expected_variance(seed):
    selected = random_runs(seed)
    assert nogueira_stability(selected).value == pytest.approx(nogueira(selected.tolist()))


@pytest.mark.parametrize("seed", range(5))
def test_with_equal_sizes_it_is_kunchevas_index(seed):
    rng = np.random.default_rng(seed)
    k, features, runs = 4, 11, 6
    selected = np.array([rng.permutation(features) < k for _ in range(runs)])
    common = [(a & b).sum() for i, a in enumerate(selected) for b in selected[:i]]
    index = (np.mean(common) - k * k / features) / (k - k * k / features)
    assert nogueira_stability(selected).value == pytest.approx(index)


@pytest.mark.parametrize("seed", range(4))
def test_the_variance_comes_from_how_each_run_moves_the_value(seed):
    selected = random_runs(seed).astype(float)
    runs = len(selected)

    def parts(weights):
        p = weights @ selected / weights.sum()
        return np.array([(p * (1.0 - p)).mean(), p.mean() * (1.0 - p.mean())])

    found = nogueira_stability(selected)
    observed_over_expected = 1.0 - found.value
    _, expected = parts(np.ones(runs))
    moves = []
    for run in range(runs):
        step = 1e-5 * (np.arange(runs) == run)
        observed_slope, expected_slope = (parts(1.0 + step) - parts(1.0 - step)) / 2e-5 * runs
        moves.append((observed_over_expected * expected_slope - observed_slope) / expected)
    assert found.variance == pytest.approx(np.var(moves) / runs, rel=1e-6)


def test_the_interval_covers_the_value_of_many_runs():
    rng = np.random.default_rng(7)
    chances = np.concatenate([np.full(8, 0.9), np.full(32, 0.1)])
    q = chances.mean()
    truth = 1.0 - (chances * (1.0 - chances)).mean() / (q * (1.0 - q))
    covered = 0
    for _ in range(400):
        found = nogueira_stability(rng.random((60, 40)) < chances, level=0.9)
        covered += found.low <= truth <= found.high
    assert 0.85 <= covered / 400 <= 0.95


def test_random_sets_have_a_stability_about_zero_whatever_their_size():
    rng = np.random.default_rng(8)
    for k in (1, 10, 19):
        values = [
            nogueira_stability([rng.permutation(20) < k for _ in range(5)]).value
            for _ in range(400)
        ]
        assert abs(np.mean(values)) <= 4.0 * np.std(values) / np.sqrt(400)


@pytest.mark.parametrize("seed", range(3))
def test_order_of_runs_and_features_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    selected = random_runs(seed)
    mixed = rng.permutation(rng.permutation(selected, axis=0), axis=1)
    one, other = nogueira_stability(selected), nogueira_stability(mixed)
    assert (one.value, one.variance) == pytest.approx((other.value, other.variance))
    assert jaccard_stability(selected) == pytest.approx(jaccard_stability(mixed))


def test_equal_sets_have_a_stability_of_one():
    selected = np.tile([True, False, True, False, False], (4, 1))
    found = nogueira_stability(selected)
    assert (found.value, found.variance, found.low, found.high) == (1.0, 0.0, 1.0, 1.0)
    assert jaccard_stability(selected) == 1.0


def test_two_opposite_sets_are_as_far_apart_as_can_be():
    selected = [[1, 0], [0, 1]]
    assert nogueira_stability(selected).value == pytest.approx(-1.0)
    assert jaccard_stability(selected) == 0.0


@pytest.mark.parametrize("value", [True, False])
def test_where_all_or_no_features_are_selected_chance_explains_everything(value):
    selected = np.full((3, 7), value)
    found = nogueira_stability(selected)
    assert np.isnan([found.value, found.variance, found.low, found.high]).all()
    assert jaccard_stability(selected) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_jaccard_is_the_mean_over_pairs_of_sets(seed):
    selected = random_runs(seed, runs=7, features=6)
    selected[:2] = False
    assert jaccard_stability(selected) == pytest.approx(jaccard(selected.tolist()))


def test_a_higher_level_is_a_wider_interval():
    selected = random_runs(1)
    narrow, wide = (nogueira_stability(selected, level=level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


@pytest.mark.parametrize("stability", [nogueira_stability, jaccard_stability])
def test_what_are_no_runs_is_said(stability):
    with pytest.raises(DataError, match="at least two runs and one feature, but selected has 1"):
        stability([[True, False]])
    with pytest.raises(DataError, match="at least two runs"):
        stability(np.empty((2, 0)))
    with pytest.raises(DataError, match="True or False"):
        stability([[1, 2], [0, 1]])
    with pytest.raises(DataError, match="True or False"):
        stability([[1, np.nan], [0, 1]])
    with pytest.raises(DataError, match=r"the shape \(runs, features\)"):
        stability([True, False])


def test_a_level_is_between_zero_and_one():
    with pytest.raises(ParameterError, match="level must be between 0 and 1"):
        nogueira_stability([[1, 0], [0, 1]], level=95)
