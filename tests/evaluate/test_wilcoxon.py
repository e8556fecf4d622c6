"""Wilcoxon's signed-rank test over queries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import wilcoxon

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import wilcoxon_test
from tests.reference.statistics import signed_rank_sum, wilcoxon_p

ALTERNATIVES = ("two-sided", "greater", "less")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("seed", "n"), [(0, 1), (1, 6), (2, 25), (3, 50)])
def test_without_ties_it_is_scipys_exact_test(seed, n, alternative):
    a, b = np.random.default_rng(seed).random((2, n))
    expected = wilcoxon(a, b, alternative=alternative, method="exact")
    found = wilcoxon_test(a, b, alternative=alternative)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    if alternative != "two-sided":  # where scipy gives the smaller of W+ and W-
        assert found.statistic == expected.statistic


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("seed", "n"), [(0, 2), (1, 5), (2, 9), (3, 12), (4, 13)])
def test_with_ties_and_zeros_it_counts_every_arrangement(seed, n, alternative):
    differences = np.random.default_rng(seed).integers(-3, 5, size=n)
    differences[0] = 3
    # In tenths, 0.1 + 0.2 and 0.3 are a tie all the same.
    for unit in (1.0, 0.1, 1e6 / 3.0):
        b = unit * np.arange(n)
        found = wilcoxon_test(b + unit * differences, b, alternative=alternative)
        assert found.p_value == pytest.approx(wilcoxon_p(differences.tolist(), alternative))
        assert found.statistic == signed_rank_sum(differences.tolist())[0]
        assert found.n == n


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("seed", "n"), [(0, 60), (1, 400)])
def test_many_queries_are_scipys_approximation_with_ties_and_zeros(seed, n, alternative):
    differences = np.random.default_rng(seed).integers(-15, 17, size=n).astype(float)
    expected = wilcoxon(differences, alternative=alternative, zero_method="wilcox", method="approx")
    found = wilcoxon_test(0.1 * differences, np.zeros(n), alternative=alternative)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.statistic == signed_rank_sum(differences.tolist())[0]


def test_counting_and_the_approximation_meet():
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.2, 1.0, size=51), np.zeros(51)
    assert wilcoxon_test(a[:50], b[:50]).p_value == pytest.approx(
        wilcoxon(a[:50], method="approx").pvalue, abs=0.01
    )
    assert wilcoxon_test(a, b).p_value == pytest.approx(
        wilcoxon(a, method="exact").pvalue, abs=0.01
    )


def test_three_queries_are_worked_by_hand():
    # Ranks 1, 2, 3 with W+ = 1 + 3 = 4; sums of subsets: 0 1 2 3 3 4 5 6.
    found = [wilcoxon_test([0.1, 0.0, 0.9], [0.0, 0.5, 0.0], alternative=a) for a in ALTERNATIVES]
    assert [one.statistic for one in found] == [4.0, 4.0, 4.0]
    assert [one.p_value for one in found] == [6 / 8, 3 / 8, 6 / 8]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_no_difference_is_no_evidence(alternative):
    found = wilcoxon_test([0.3, 0.1 + 0.2], [0.3, 0.3], alternative=alternative)
    assert (found.statistic, found.p_value, found.n) == (0.0, 1.0, 2)


def test_only_order_and_sign_count():
    a, b = np.random.default_rng(6).random((2, 40))
    differences = a - b
    stretched = np.sign(differences) * np.abs(differences) ** 3
    assert wilcoxon_test(stretched, np.zeros(40)).p_value == wilcoxon_test(a, b).p_value


def test_what_cannot_be_tested_is_said():
    with pytest.raises(DataError, match="Wilcoxon's test needs at least one query"):
        wilcoxon_test([], [])
    with pytest.raises(ParameterError, match="alternative must be one of"):
        wilcoxon_test([0.5], [0.4], alternative=None)
