"""Student's paired t-test over queries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import paired_t

ALTERNATIVES = ("two-sided", "greater", "less")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("seed", "n"), [(0, 2), (1, 7), (2, 100), (3, 784)])
def test_it_is_scipys(seed, n, alternative):
    a, b = np.random.default_rng(seed).random((2, n))
    found, expected = (
        paired_t(a, b, alternative=alternative),
        ttest_rel(a, b, alternative=alternative),
    )
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.mean_difference == pytest.approx(np.mean(a) - np.mean(b))
    assert found.n == n


def test_two_queries_are_worked_by_hand():
    # Differences 1 and 3: mean 2, s = sqrt 2, t = 2 / (sqrt 2 / sqrt 2) = 2; with one degree of
    # freedom Student's distribution is Cauchy's.
    found = paired_t([1.0, 3.0], [0.0, 0.0], alternative="greater")
    assert found.statistic == pytest.approx(2.0)
    assert found.p_value == pytest.approx(0.5 - math.atan(2.0) / math.pi)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_no_difference_is_no_evidence(alternative):
    a = np.array([0.3, 0.7, 0.1 + 0.2])
    found = paired_t(a, [0.3, 0.7, 0.3], alternative=alternative)
    assert (found.statistic, found.p_value, found.mean_difference) == (0.0, 1.0, 0.0)


def test_the_same_difference_everywhere_is_certain():
    b = np.random.default_rng(4).random(20)
    a = b + 0.1  # up to rounding
    p_values = [paired_t(a, b, alternative=alternative).p_value for alternative in ALTERNATIVES]
    assert p_values == [0.0, 0.0, 1.0]
    assert paired_t(a, b).statistic == math.inf
    p_values = [paired_t(b, a, alternative=alternative).p_value for alternative in ALTERNATIVES]
    assert p_values == [0.0, 1.0, 0.0]
    assert paired_t(b, a).statistic == -math.inf


@pytest.mark.parametrize("seed", range(3))
def test_exchanging_the_methods_turns_it_round(seed):
    a, b = np.random.default_rng(seed).random((2, 30))
    one, other = paired_t(a, b), paired_t(b, a)
    assert (one.statistic, one.p_value) == (-other.statistic, other.p_value)
    greater, less = (paired_t(a, b, alternative=side).p_value for side in ("greater", "less"))
    assert greater + less == pytest.approx(1.0)
    assert paired_t(b, a, alternative="less").p_value == greater


@pytest.mark.parametrize("unit", [1e-200, 1e-9, 1e200])
def test_units_do_not_matter(unit):
    a, b = np.random.default_rng(5).random((2, 20))
    found, plain = paired_t(unit * a, unit * b), paired_t(a, b)
    assert (found.statistic, found.p_value) == pytest.approx((plain.statistic, plain.p_value))


def test_queries_that_are_nan_in_both_do_not_count():
    a, b = [0.5, np.nan, 0.7, 0.9], [0.4, np.nan, 0.8, 0.2]
    assert paired_t(a, b) == paired_t([0.5, 0.7, 0.9], [0.4, 0.8, 0.2])


def test_a_query_that_is_nan_in_one_alone_is_an_error():
    with pytest.raises(DataError, match=r"1 of 3 are NaN for some alone \(first: query 1\)"):
        paired_t([0.5, np.nan, 0.7], [0.4, 0.3, 0.8])


def test_what_cannot_be_tested_is_said():
    with pytest.raises(DataError, match="at least two queries that count, but there is 1"):
        paired_t([0.5, np.nan], [0.4, np.nan])
    with pytest.raises(DataError, match=r"at least one query that counts .* none among 1"):
        paired_t([np.nan], [np.nan])
    with pytest.raises(DataError, match="none among 0"):
        paired_t([], [])
    with pytest.raises(DataError, match="a has 2 and b has 3"):
        paired_t([0.5, 0.4], [0.4, 0.3, 0.2])
    with pytest.raises(DataError, match="a must be numbers"):
        paired_t(["good", "bad"], [0.4, 0.3])
    with pytest.raises(DataError, match=r"b must be finite, but 1 .* \(first: at 1\)"):
        paired_t([0.5, 0.4], [0.4, np.inf])
    with pytest.raises(DataError, match=r"a must have the shape \(queries\), but has 2 axes"):
        paired_t([[0.5, 0.4]], [0.4, 0.3])
    with pytest.raises(ParameterError, match="did you mean 'greater'"):
        paired_t([0.5, 0.4], [0.4, 0.3], alternative="grater")
