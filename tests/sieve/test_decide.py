"""Choice and claim: laws, and error rates on generated differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ranksieve.errors import ParameterError
from ranksieve.sieve.decide.betting import bet_above
from ranksieve.sieve.decide.choice import choose
from ranksieve.sieve.decide.claim import difference, fixed_sequence, is_supported, queries_needed
from ranksieve.sieve.margin import Margin, as_margin

LEVEL = 0.05


def rare_losses(rng, n_queries, margin):
    """Differences whose mean is exactly the margin below 0: mostly none, sometimes a large one."""
    loss = 0.5
    return np.where(rng.random(n_queries) < margin / loss, -loss, 0.0)


@pytest.mark.parametrize("n_queries", [50, 300])
def test_betting_is_wrong_no_more_often_than_the_level_where_t_is(n_queries):
    rng = np.random.default_rng(n_queries)
    margin, runs = 0.01, 2000
    by_betting = by_t = 0
    for _ in range(runs):
        excess = rare_losses(rng, n_queries, margin) + margin
        by_betting += bet_above(
            excess, low=margin - 1, high=1 + margin, variance=0.005, level=LEVEL
        ).proven
        error = excess.std(ddof=1) / np.sqrt(n_queries)
        by_t += excess.mean() > stats.t.ppf(1 - LEVEL, n_queries - 1) * error
    limit = LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / runs)
    assert by_betting / runs <= limit
    assert by_t / runs > limit


def test_betting_proves_what_is_true_given_enough_queries():
    rng = np.random.default_rng(0)
    margin, proven = 0.01, 0
    for _ in range(100):
        excess = rng.normal(scale=0.05, size=800).clip(-1, 1) + margin
        proven += bet_above(
            excess, low=margin - 1, high=1 + margin, variance=0.0025, level=LEVEL
        ).proven
    assert proven > 90


@pytest.mark.parametrize("seed", range(5))
def test_a_bet_never_loses_everything(seed):
    rng = np.random.default_rng(seed)
    worst = np.where(rng.random(200) < 0.5, -0.99, 1.01)
    bet = bet_above(worst, low=-0.99, high=1.01, variance=1e-9, level=LEVEL)
    assert np.isfinite(bet.wealth)


@pytest.mark.parametrize("seed", range(5))
def test_support_is_scipy_s_one_sided_t_test(seed):
    rng = np.random.default_rng(seed)
    reference = rng.uniform(0.2, 1.0, size=60)
    values = (reference + rng.normal(scale=0.05, size=60)).clip(0, 1)
    for margin in (Margin(0.01), Margin(0.03), Margin(0.02, relative=False)):
        excess = margin.excess(values, reference)
        expected = stats.ttest_1samp(excess, 0, alternative="greater").pvalue < LEVEL
        assert is_supported(values, reference, margin=margin, level=LEVEL) == expected


@pytest.mark.parametrize("seed", range(5))
def test_the_provable_margin_is_where_support_begins(seed):
    rng = np.random.default_rng(seed)
    reference = rng.uniform(0.2, 0.8, size=40)
    values = reference + rng.normal(loc=-0.01, scale=0.05, size=40)
    provable = difference(values, reference, level=LEVEL).provable
    for factor, supported in ((0.99, False), (1.01, True)):
        margin = Margin(provable * factor, relative=False)
        assert is_supported(values, reference, margin=margin, level=LEVEL) == supported


def test_the_number_of_queries_is_that_of_a_power_of_four_fifths():
    rng = np.random.default_rng(0)
    deviation, amount = 0.05, 0.01
    n_queries = queries_needed(deviation, amount, level=LEVEL)
    margin = Margin(amount, relative=False)
    passes = [
        is_supported(
            rng.normal(scale=deviation, size=n_queries),
            np.zeros(n_queries),
            margin=margin,
            level=LEVEL,
        )
        for _ in range(2000)
    ]
    assert np.mean(passes) == pytest.approx(0.8, abs=0.03)


def test_a_sequence_stops_at_its_first_failure():
    assert fixed_sequence([]) == 0
    assert fixed_sequence([False, True]) == 0
    assert fixed_sequence([True, True]) == 2


def test_the_choice_is_beside_the_best_and_not_beside_all_features():
    means = [0.500, 0.520, 0.516, 0.501]
    assert choose(means, [40, 20, 10, 5], amount=0.01) == 2
    assert choose(means, [40, 20, 10, 5], amount=0.1) == 3
    assert choose([0.5, 0.5], [3, 3], amount=0.01) == 0


def test_margins_are_shares_or_amounts():
    reference, values = np.array([0.5, 1.0]), np.array([0.5, 0.9])
    np.testing.assert_allclose(as_margin(0.1).excess(values, reference), [0.05, 0.0], atol=1e-12)
    np.testing.assert_allclose(
        as_margin("0.1 ndcg").excess(values, reference), [0.1, 0.0], atol=1e-12
    )
    assert as_margin("0.005 ndcg@10") == Margin(0.005, relative=False)


@pytest.mark.parametrize("margin", [0, -0.1, 1, 2, "a lot", "1e", None, True, "0 %", float("nan")])
def test_margins_that_are_none_are_refused(margin):
    with pytest.raises(ParameterError, match="margin must be between 0 and 1"):
        as_margin(margin)
