"""Kendall's tau by hand, from the RankFilter paper, and against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from ranksieve.errors import ParameterError
from ranksieve.measures import KendallTau

# Five documents, of which the scores put three pairs in the wrong order.
OPTIMAL = [5, 4, 3, 2, 1]
SCORED = [3, 5, 4, 1, 2]


def test_three_discordant_pairs_of_ten_give_seven_tenths_as_in_the_rankfilter_paper():
    assert KendallTau()(OPTIMAL, SCORED, qid=[1] * 5) == 0.7
    assert KendallTau(variant="b")(OPTIMAL, SCORED, qid=[1] * 5) == pytest.approx(0.4, rel=1e-15)


def test_only_pairs_with_different_grades_count_and_ties_count_half():
    # Pairs 1-0: alike, tied; pair 0-0 does not count.
    y, scores, qid = [1, 0, 0, 3, 3], [2, 1, 2, 1, 2], [1, 1, 1, 2, 2]
    assert KendallTau().per_query(y, scores, qid=qid).tolist() == [(1 + 0.5) / 2, 0.0]
    assert KendallTau(ties="input").per_query(y, scores, qid=qid).tolist() == [1.0, 0.0]
    assert KendallTau(ties="worst").per_query(y, scores, qid=qid).tolist() == [1 / 2, 0.0]


def test_real_grades_are_ordered_as_numbers():
    assert KendallTau()([0.1, 0.30001, 0.3], [1, 3, 2], qid=[1] * 3) == 1.0


def test_a_constant_score_is_worth_a_random_order():
    assert KendallTau()([2, 1, 0], [1, 1, 1], qid=[1] * 3) == 0.5
    assert KendallTau(variant="b")([2, 1, 0], [1, 1, 1], qid=[1] * 3) == 0.0


@pytest.mark.parametrize("n", [2, 10, 50, 300])
def test_tau_b_equals_scipy(n):
    rng = np.random.default_rng(n)
    y = rng.integers(0, 5, 4 * n) / 2
    scores = rng.integers(0, max(2, n // 2), 4 * n).astype(float)
    y[::n], scores[::n] = 9.0, -1.0
    qid = np.repeat(np.arange(4), n)
    expected = [kendalltau(scores[qid == q], y[qid == q]).statistic for q in range(4)]
    values = KendallTau(variant="b").per_query(y, scores, qid=qid)
    np.testing.assert_allclose(values, expected, atol=1e-14)


def test_share_and_tau_a_agree_without_ties():
    rng = np.random.default_rng(0)
    y, scores = rng.permutation(30), rng.permutation(30)
    share = KendallTau()(y, scores, qid=np.zeros(30, int))
    assert 2 * share - 1 == pytest.approx(kendalltau(scores, y).statistic, abs=1e-15)


def test_spelling():
    assert str(KendallTau()) == "kendall-tau"
    assert repr(KendallTau()) == "KendallTau()"
    assert repr(KendallTau(ties="input")) == 'KendallTau(ties="input")'
    assert str(KendallTau(variant="b")) == 'KendallTau(variant="b")'


def test_wrong_variants_are_an_error():
    with pytest.raises(ParameterError, match="variant must be one of 'share', 'b', but is 'tau-c'"):
        KendallTau(variant="tau-c")


def test_many_documents_do_not_overflow_the_count_of_pairs():
    n = 100_000
    y = np.arange(n, dtype=float)
    assert KendallTau()(y, -y, qid=np.zeros(n, int)) == 0.0
    assert math.isclose(KendallTau(variant="b")(y, y, qid=np.zeros(n, int)), 1.0, rel_tol=1e-12)
