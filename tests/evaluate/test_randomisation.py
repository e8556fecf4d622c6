"""Fisher's randomisation test over queries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import permutation_test

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import paired_t, randomisation, randomisation_test
from tests.reference.statistics import randomisation_p

ALTERNATIVES = ("two-sided", "greater", "less")


def whole_differences(seed, n):
    """Whole numbers, with ties among their sums, and zeros."""
    return np.random.default_rng(seed).integers(-4, 6, size=n)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("seed", "n"), [(0, 1), (1, 2), (2, 5), (3, 8), (4, 11), (5, 12)])
def test_exact_p_values_count_every_arrangement(seed, n, alternative):
    differences = whole_differences(seed, n)
    expected = randomisation_p(differences.tolist(), alternative)
    # In tenths sums that are equal differ by rounding, and the p-value must not notice.
    for unit in (1.0, 0.1, 1e-7):
        a = unit * (differences + 3.0)
        found = randomisation_test(a, np.full(n, 3.0 * unit), alternative=alternative)
        assert found.exact
        assert found.p_value == expected
        assert found.n_arrangements == 2 ** np.count_nonzero(differences)
        assert found.n == n


def test_four_queries_are_worked_by_hand():
    a, b = [0.1, 0.2, 0.3, 0.5], [0.0, 0.0, 0.0, 0.0]
    # All of 16 arrangements have sums in tenths of -11, -9, ... 11; two are as far as 11 is.
    assert randomisation_test(a, b).p_value == 2 / 16
    assert randomisation_test(a, b, alternative="greater").p_value == 1 / 16
    assert randomisation_test(a, b, alternative="less").p_value == 1.0
    # -1 + 2 + 3 + 5 = 9: above it are 9 itself and 11.
    assert randomisation_test([-0.1, 0.2, 0.3, 0.5], b, alternative="greater").p_value == 2 / 16


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(3))
def test_exact_p_values_are_scipys(seed, alternative):
    a, b = np.random.default_rng(seed).random((2, 10))
    expected = permutation_test(
        (a - b,), np.mean, permutation_type="samples", alternative=alternative, n_resamples=np.inf
    ).pvalue
    assert randomisation_test(a, b, alternative=alternative).p_value == pytest.approx(expected)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(3))
def test_random_arrangements_come_near_the_exact_p_value(seed, alternative):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.3, 1.0, size=30), np.zeros(30)
    exact = randomisation_test(a, b, alternative=alternative, n_resamples=2**30)
    drawn = randomisation_test(a, b, alternative=alternative, n_resamples=20_000)
    assert (exact.exact, exact.n_arrangements) == (True, 2**30)
    assert (drawn.exact, drawn.n_arrangements) == (False, 20_000)
    # Four standard errors of a share.
    p = exact.p_value
    assert abs(drawn.p_value - p) <= 4.0 * np.sqrt(p * (1.0 - p) / 20_000) + 1 / 20_000


def test_a_p_value_from_random_arrangements_is_never_zero():
    found = randomisation_test(np.full(100, 0.9), np.zeros(100), n_resamples=999)
    assert found.p_value == 1 / 1000


def test_arrangements_with_the_observed_sum_count_though_rounding_moves_them():
    # With equal differences every arrangement with one minus has the same sum.
    a, b = np.full(40, 0.1), np.zeros(40)
    a[0] = -0.1
    found = randomisation_test(a, b, alternative="greater", n_resamples=2**40)
    assert found.p_value == 41 / 2**40


def test_many_queries_agree_with_the_t_test():
    rng = np.random.default_rng(8)
    a, b = rng.random((2, 784))
    a += 0.03
    found, student = randomisation_test(a, b), paired_t(a, b)
    assert found.p_value == pytest.approx(student.p_value, abs=0.01)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_no_difference_is_no_evidence(alternative):
    found = randomisation_test([0.3, 0.7], [0.3, 0.7], alternative=alternative)
    assert (found.p_value, found.exact, found.n, found.n_arrangements) == (1.0, True, 2, 1)


def test_queries_without_a_difference_change_the_mean_alone():
    a, b = np.random.default_rng(9).random((2, 50))
    longer = randomisation_test(np.append(a, 0.5), np.append(b, 0.5))
    shorter = randomisation_test(a, b)
    assert longer.p_value == shorter.p_value
    assert longer.mean_difference == pytest.approx(50 / 51 * shorter.mean_difference)
    assert longer.n == 51


def test_seeds_repeat_and_differ():
    a, b = np.random.default_rng(10).random((2, 60))
    one, same, other = (randomisation_test(a, b, random_state=seed) for seed in (0, 0, 1))
    assert one == same
    assert one.p_value != other.p_value


def test_blocks_hold_few_signs_at_a_time(monkeypatch):
    monkeypatch.setattr(randomisation, "_SIGNS_AT_ONCE", 1000)
    swings = np.random.default_rng(11).normal(size=61)
    blocks = [len(sums) for sums in randomisation._drawn_sums(swings, 500, 0)]
    assert sum(blocks) == 500
    assert max(blocks) == 1000 // 61


def test_drawn_sums_are_arrangements_and_every_sign_is_drawn_as_often():
    swings = np.array([1.0, 10.0, 100.0])
    sums = np.concatenate(list(randomisation._drawn_sums(swings, 8000, 0)))
    found, times = np.unique(sums, return_counts=True)
    assert found.tolist() == [-111, -109, -91, -89, 89, 91, 109, 111]
    assert np.abs(times - 1000).max() < 4.0 * np.sqrt(8000 * 7 / 64)


def test_what_cannot_be_tested_is_said():
    with pytest.raises(ParameterError, match="n_resamples must be a whole number of at least 1"):
        randomisation_test([0.5], [0.4], n_resamples=0)
    with pytest.raises(ParameterError, match="random_state"):
        randomisation_test([0.5], [0.4], random_state=-1)
    with pytest.raises(ParameterError, match="alternative must be one of"):
        randomisation_test([0.5], [0.4], alternative="more")
    with pytest.raises(DataError, match="a randomisation test needs at least one query"):
        randomisation_test([np.nan], [np.nan])
