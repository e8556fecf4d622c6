"""Bootstrap intervals of means over queries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import bootstrap as scipy_bootstrap
from scipy.stats import norm

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import (
    Interval,
    bootstrap,
    bootstrap_difference,
    bootstrap_interval,
    bootstrap_intervals,
)
from tests.reference.statistics import all_resampled_means


def skewed(seed, n):
    return np.random.default_rng(seed).exponential(size=n)


@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize(("seed", "n", "level"), [(0, 12, 0.95), (1, 50, 0.9), (2, 300, 0.99)])
def test_it_is_scipys_within_the_error_of_drawing(seed, n, level, ours, theirs):
    values = skewed(seed, n)
    found = bootstrap_interval(values, level=level, method=ours, n_resamples=20_000)
    expected = scipy_bootstrap(
        (values,), np.mean, confidence_level=level, method=theirs, n_resamples=20_000,
        rng=np.random.default_rng(seed), batch=1000,
    ).confidence_interval  # fmt: skip
    # A quantile q of n draws from about a normal distribution has the error
    # sqrt(q (1 - q) / n) / density; the bias of BCa adds some of its own.
    q = (1.0 - level) / 2.0
    error = np.sqrt(q * (1.0 - q) / 20_000) / norm.pdf(norm.ppf(q)) * values.std() / np.sqrt(n)
    np.testing.assert_allclose([found.low, found.high], expected, atol=8.0 * error)
    assert found.mean == pytest.approx(values.mean())
    assert (found.level, found.n) == (level, n)


def test_resampled_means_have_the_distribution_of_all_resamples():
    values = np.array([0.0, 1.0, 5.0, 25.0])
    exact = all_resampled_means(values)
    drawn = bootstrap._resampled_means(values[np.newaxis], 40_000, 0)[0]
    for mean, times in zip(*np.unique(exact, return_counts=True), strict=True):
        p = times / len(exact)
        share = np.isclose(drawn, mean).mean()
        assert abs(share - p) < 4.5 * np.sqrt(p * (1.0 - p) / 40_000)
    assert np.isclose(drawn[:, np.newaxis], np.unique(exact)).any(axis=1).all()


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_with_four_queries_the_ends_are_quantiles_of_all_resamples(level):
    values = np.array([0.0, 1.0, 5.0, 25.0])
    found = bootstrap_interval(values, level=level, n_resamples=40_000)
    exact = np.sort(all_resampled_means(values))
    for end, q in ((found.low, (1.0 - level) / 2.0), (found.high, (1.0 + level) / 2.0)):
        # The end is one of the means near the exact quantile: within four errors of a share.
        slack = 4.0 * np.sqrt(q * (1.0 - q) / 40_000)
        low, high = np.quantile(exact, [q - slack, q + slack])
        assert low - 1e-9 <= end <= high + 1e-9


def test_bca_moves_quantiles_as_its_formula_says(monkeypatch):
    values = np.array([0.0, 1.0, 5.0, 25.0])
    exact = all_resampled_means(values) - values.mean()
    monkeypatch.setattr(bootstrap, "_resampled_means", lambda *_: exact[np.newaxis])
    found = bootstrap_interval(values, level=0.8, method="bca")
    # By leaving one out: the jackknife that the formula comes from.
    left_out = np.array([np.delete(values, place).mean() for place in range(4)])
    spread = left_out.mean() - left_out
    s = (spread**3).sum() / 6.0 / (spread**2).sum() ** 1.5
    z = norm.ppf((np.sum(exact < -1e-9) + np.sum(np.abs(exact) < 1e-9) / 2) / 256)
    ends = []
    for q in (0.1, 0.9):
        moved = norm.cdf(z + (z + norm.ppf(q)) / (1.0 - s * (z + norm.ppf(q))))
        ends.append(np.quantile(exact, moved) + values.mean())
    np.testing.assert_allclose([found.low, found.high], ends)
    assert s > 0.0
    plain = bootstrap_interval(values, level=0.8)
    assert found.low > plain.low  # the long tail is above
    assert found.high > plain.high


def test_bca_at_a_level_beyond_its_pole_ends_at_the_largest_mean():
    values = np.zeros(200)
    values[0] = 1.0
    found = bootstrap_interval(values, level=1.0 - 1e-12, method="bca", n_resamples=500)
    resampled = bootstrap._resampled_means((values - values.mean())[np.newaxis], 500, 0)
    assert found.high == pytest.approx(values.mean() + resampled.max())


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_rows_share_the_resamples_and_have_the_interval_that_they_have_alone(method):
    rows = np.random.default_rng(3).random((5, 40))
    rows[2] = 0.4
    together = bootstrap_intervals(rows, method=method, n_resamples=500)
    for row, interval in zip(rows, together, strict=True):
        alone = bootstrap_interval(row, method=method, n_resamples=500)
        np.testing.assert_allclose([interval.low, interval.high], [alone.low, alone.high])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_shifting_and_stretching_values_does_so_to_the_interval(method):
    values = skewed(4, 30)
    one = bootstrap_interval(values, method=method, n_resamples=500)
    other = bootstrap_interval(100.0 + 3.0 * values, method=method, n_resamples=500)
    np.testing.assert_allclose([other.low, other.high], [100 + 3 * one.low, 100 + 3 * one.high])


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_units_do_not_matter(unit):
    values = skewed(4, 30)
    one = bootstrap_interval(values, method="bca", n_resamples=500)
    other = bootstrap_interval(unit * values, method="bca", n_resamples=500)
    assert (other.low / unit, other.high / unit) == pytest.approx((one.low, one.high))


def test_a_difference_is_bootstrapped_by_pairs():
    a, b = np.random.default_rng(5).random((2, 60))
    found = bootstrap_difference(a, b, n_resamples=700, random_state=2, level=0.9, method="bca")
    alone = bootstrap_interval(a - b, n_resamples=700, random_state=2, level=0.9, method="bca")
    assert found == alone
    shifted = bootstrap_difference(b + 0.25, b)
    assert shifted.low == pytest.approx(0.25)
    assert shifted.low == shifted.high


def test_the_interval_of_many_queries_is_the_normal_one():
    values = np.random.default_rng(6).random(2000)
    found = bootstrap_interval(values)
    half = norm.ppf(0.975) * values.std() / np.sqrt(2000)
    assert found.low == pytest.approx(values.mean() - half, abs=0.05 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.05 * half)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_equal_values_have_an_interval_of_no_width(method):
    found = bootstrap_interval([0.3, 0.1 + 0.2, 0.3], method=method)
    assert found.low == found.high == found.mean == pytest.approx(0.3)
    zeros = bootstrap_interval([0.0, 0.0], method=method)
    assert zeros == Interval(0.0, 0.0, 0.0, 0.95, 2)


def test_one_query_has_a_mean_and_no_ends():
    found = bootstrap_interval([0.3, np.nan])
    assert np.isnan([found.low, found.high]).all()
    assert (found.mean, found.n) == (0.3, 1)


@pytest.mark.parametrize("n_resamples", [1, 2, 3])
def test_few_resamples_give_finite_ends(n_resamples):
    for seed in range(5):
        found = bootstrap_interval(
            skewed(seed, 10), method="bca", n_resamples=n_resamples, random_state=seed
        )
        assert np.isfinite([found.low, found.high]).all()


def test_blocks_of_draws_do_not_change_the_resamples(monkeypatch):
    rows = np.random.default_rng(7).random((2, 30))
    whole = bootstrap._resampled_means(rows, 100, 0)
    monkeypatch.setattr(bootstrap, "_DRAWN_AT_ONCE", 7 * 30)
    np.testing.assert_allclose(bootstrap._resampled_means(rows, 100, 0), whole)


def test_seeds_repeat_and_differ():
    values = skewed(8, 30)
    found = [bootstrap_interval(values, n_resamples=200, random_state=s) for s in (0, 0, 1)]
    assert found[0] == found[1] != found[2]


def test_queries_that_do_not_count_are_left_out():
    rows = np.array([[0.1, np.nan, 0.5], [0.2, np.nan, 0.9]])
    assert bootstrap_intervals(rows) == bootstrap_intervals(rows[:, [0, 2]])
    rows[1, 1] = 0.5
    with pytest.raises(DataError, match="a bootstrap: a query that does not count"):
        bootstrap_intervals(rows)


def test_levels_order_the_widths():
    values = skewed(9, 40)
    widths = [
        found.high - found.low
        for found in (bootstrap_interval(values, level=level) for level in (0.5, 0.8, 0.95, 0.99))
    ]
    assert all(narrow < wide for narrow, wide in itertools.pairwise(widths))


def test_wrong_parameters_are_said():
    for level in (0.0, 1.0, 95, "0.9", True, np.nan):
        with pytest.raises(ParameterError, match="level must be between 0 and 1"):
            bootstrap_interval([0.5, 0.4], level=level)
    with pytest.raises(ParameterError, match="method must be one of 'percentile', 'bca'"):
        bootstrap_interval([0.5, 0.4], method="BC")
    with pytest.raises(ParameterError, match="n_resamples"):
        bootstrap_interval([0.5, 0.4], n_resamples=1.5)
    with pytest.raises(DataError, match="at least one query that counts"):
        bootstrap_interval([])
    with pytest.raises(DataError, match=r"values must have the shape \(methods, queries\)"):
        bootstrap_intervals([0.5, 0.4])
