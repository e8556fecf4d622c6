from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.pairs.sums import grade_levels, order_by_level
from ranksieve.kernels.rankers.perceptron import orders_all_pairs, perceptron_steps
from tests.reference.boosting import perceptron
from tests.reference.cases import random_arrays
from tests.reference.pairs import preference_pairs


def levels_and_order(y, query_ptr):
    levels, order = np.empty(len(y), dtype=np.int32), np.empty(len(y), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    order_by_level(levels, query_ptr, order)
    return levels, order


def steps(X, y, query_ptr, visits, draws, rates, w):
    levels, order = levels_and_order(y, query_ptr)
    rows, w = np.ascontiguousarray(X), w.copy()
    visits = np.asarray(visits, dtype=np.int64)
    return w, perceptron_steps(rows, levels, order, query_ptr, visits, draws, rates, w)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_are_those_of_plain_python_with_the_same_draws(seed, dtype):
    rng = np.random.default_rng(seed)
    X, y, query_ptr = random_arrays(seed, dtype=dtype)
    visits, draws = rng.permutation(len(query_ptr) - 1), rng.random(len(y))
    rates, w = rng.uniform(0.5, 2.0, size=X.shape[1]), rng.normal(size=X.shape[1])
    expected, n_expected = perceptron(X, y, query_ptr, visits, draws, rates, w)
    found, mistakes = steps(X, y, query_ptr, visits, draws, rates, w)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert mistakes == n_expected


def test_a_mistake_adds_the_difference_and_an_ordered_pair_nothing():
    X, y, query_ptr = np.array([[1.0, 0.0], [3.0, 5.0]]), np.array([1.0, 0.0]), np.array([0, 2])
    draws, rates = np.zeros(2), np.array([1.0, 0.5])
    # Document 0 is better, and 0 > 0 fails: w = (1 - 3, (0 - 5) / 2). Then w . (-2, -5) > 0.
    w, mistakes = steps(X, y, query_ptr, [0], draws, rates, np.zeros(2))
    np.testing.assert_array_equal(w, [-2.0, -2.5])
    assert mistakes == 1
    again, mistakes = steps(X, y, query_ptr, [0], draws, rates, w)
    np.testing.assert_array_equal(again, w)
    assert mistakes == 0


def test_every_document_of_another_grade_is_drawn_by_an_equal_share_of_numbers():
    X, y, query_ptr = np.eye(4), np.array([1.0, 0.0, 0.0, 0.0]), np.array([0, 4])
    met = []
    for draw in (np.arange(300) + 0.5) / 300:
        # The one step is that of document 0, after which it is above all others.
        w, mistakes = steps(X, y, query_ptr, [0], np.full(4, draw), np.ones(4), np.zeros(4))
        assert (mistakes, w[0]) == (1, 1.0)
        met.append(int(np.argmin(w)))
    assert np.bincount(met).tolist() == [0, 100, 100, 100]


def test_queries_of_one_grade_and_queries_that_are_not_visited_change_nothing():
    X, y = np.arange(8.0).reshape(4, 2), np.array([1.0, 1.0, 0.0, 1.0])
    query_ptr, start = np.array([0, 2, 4]), np.array([-1.0, -1.0])
    w, mistakes = steps(X, y, query_ptr, [0], np.zeros(4), np.ones(2), start)
    np.testing.assert_array_equal(w, start)
    assert mistakes == 0


@pytest.mark.parametrize("seed", range(30))
def test_all_pairs_are_ordered_or_one_is_not(seed):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed, n_queries=4, largest=4)
    X = (y + rng.uniform(0, 2, size=len(y)))[:, None]
    levels, order = levels_and_order(y, query_ptr)
    expected = all(X[i, 0] > X[j, 0] for i, j in preference_pairs(y, query_ptr))
    assert orders_all_pairs(X, levels, order, query_ptr, np.ones(1)) == expected
    assert not preference_pairs(y, query_ptr) or not orders_all_pairs(
        X, levels, order, query_ptr, np.zeros(1)
    )
