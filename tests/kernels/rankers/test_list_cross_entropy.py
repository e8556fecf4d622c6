from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ranksieve.kernels.rankers.list_cross_entropy import add_list_cross_entropy, top_one_shares
from tests.reference.cases import random_arrays


def softmax(values):
    powers = np.exp(values - np.max(values))
    return powers / powers.sum()


def slow_cross_entropy(scores, y, query_ptr):
    """Loss and slopes, query by query, from the definition."""
    loss, slopes = 0.0, np.zeros(len(y))
    for start, stop in itertools.pairwise(query_ptr):
        grades, own = y[start:stop], scores[start:stop]
        if len(set(grades.tolist())) < 2:
            continue
        targets, found = softmax(grades), softmax(own)
        loss -= math.fsum(targets * np.log(found))
        slopes[start:stop] = found - targets
    return loss, slopes


def at(scores, y, query_ptr):
    shares, gradient = np.empty(len(y)), np.zeros(len(y))
    top_one_shares(y, query_ptr, shares)
    return add_list_cross_entropy(scores, shares, query_ptr, gradient), gradient


@pytest.mark.parametrize("seed", range(4))
def test_loss_and_slopes_equal_those_of_the_definition(seed):
    _, y, query_ptr = random_arrays(seed)
    scores = 3.0 * np.random.default_rng(seed).normal(size=len(y))
    loss, slopes = slow_cross_entropy(scores, y, query_ptr)
    value, gradient = at(scores, y, query_ptr)
    assert value == pytest.approx(loss, rel=1e-12)
    np.testing.assert_allclose(gradient, slopes, atol=1e-14)


def test_two_documents_have_the_loss_of_pencil_and_paper():
    # Chances e : 1 by grade and 1 : 1 by score: log 2, and slopes 1/2 - e / (1 + e).
    value, gradient = at(np.zeros(2), np.array([1.0, 0.0]), np.array([0, 2]))
    assert value == pytest.approx(math.log(2))
    np.testing.assert_allclose(gradient[0], 0.5 - math.e / (1 + math.e), rtol=1e-14)
    assert gradient.sum() == pytest.approx(0.0, abs=1e-15)


def test_shares_sum_to_one_where_there_are_two_grades_and_are_zero_elsewhere():
    y = np.array([0.0, 1.0, 2.0, 5.0, 5.0, 7.0])
    shares = np.empty(6)
    assert top_one_shares(y, np.array([0, 3, 5, 6]), shares) == 1
    np.testing.assert_allclose(shares[:3], softmax(y[:3]), rtol=1e-15)
    np.testing.assert_array_equal(shares[3:], 0.0)


def test_loss_is_least_where_scores_are_the_grades_and_an_offset_changes_nothing():
    _, y, query_ptr = random_arrays(1)
    least, gradient = at(y, y, query_ptr)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-15)
    assert at(y + 100.0, y, query_ptr)[0] == pytest.approx(least, rel=1e-12)
    for seed in range(5):
        other = y + 0.1 * np.random.default_rng(seed).normal(size=len(y))
        assert at(other, y, query_ptr)[0] > least


@pytest.mark.parametrize("scale", [1e3, 1e6, 1e300])
def test_large_scores_and_grades_stay_finite(scale):
    y = np.array([0.0, 1.0, 2.0])
    value, gradient = at(scale * np.array([1.0, -0.5, 0.25]), y, np.array([0, 3]))
    assert np.isfinite(value)
    # The first document is sure to be first by score.
    np.testing.assert_allclose(gradient, np.array([1.0, 0.0, 0.0]) - softmax(y), atol=1e-14)
    value, gradient = at(np.zeros(3), scale * y, np.array([0, 3]))
    assert value == pytest.approx(math.log(3))
    np.testing.assert_allclose(gradient, [1 / 3, 1 / 3, -2 / 3])


def test_slopes_are_added_and_no_documents_add_nothing():
    gradient = np.ones(2)
    add_list_cross_entropy(np.zeros(2), np.array([0.5, 0.5]), np.array([0, 2]), gradient)
    np.testing.assert_array_equal(gradient, 1.0)
    assert add_list_cross_entropy(np.empty(0), np.empty(0), np.array([0, 0]), np.empty(0)) == 0.0
