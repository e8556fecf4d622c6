from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.kernels.pairs.sums import (
    add_pair_spreads,
    add_spreads_by_levels,
    count_pairs,
    grade_levels,
    order_by_counting,
    order_by_level,
    order_queries,
    order_queries_by_radix,
    sums_over_violations,
)
from tests.reference.cases import random_arrays
from tests.reference.pairs import preference_pairs


@pytest.mark.parametrize("seed", range(5))
def test_levels_count_the_distinct_lower_grades_of_the_query(seed):
    _, y, query_ptr = random_arrays(seed)
    levels = np.empty(len(y), dtype=np.int32)
    n_pairs = grade_levels(y, query_ptr, levels)
    assert n_pairs == len(preference_pairs(y, query_ptr))
    by_query = np.empty(len(query_ptr) - 1, dtype=np.int64)
    count_pairs(levels, query_ptr, by_query)
    assert by_query.tolist() == [
        len(preference_pairs(y[start:stop], [0, stop - start]))
        for start, stop in itertools.pairwise(query_ptr)
    ]
    for start, stop in itertools.pairwise(query_ptr):
        expected = np.unique(y[start:stop], return_inverse=True)[1]
        np.testing.assert_array_equal(levels[start:stop], expected)


def sorted_by_python(keys, query_ptr):
    parts = [keys[start:stop].tolist() for start, stop in itertools.pairwise(query_ptr)]
    return [index for part in parts for index in sorted(range(len(part)), key=part.__getitem__)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("way", [order_queries, order_queries_by_radix])
def test_documents_are_ordered_by_falling_score_and_equal_ones_as_they_stand(way, seed):
    rng = np.random.default_rng(seed)
    query_ptr = np.concatenate([[0], np.cumsum(rng.integers(0, 60, size=12))])
    scores = rng.choice([*rng.normal(size=20), 0.0, -0.0, np.inf, -np.inf, 5e-324], query_ptr[-1])
    order = np.empty(len(scores), dtype=np.int32)
    way(scores, query_ptr, order)
    assert order.tolist() == sorted_by_python(-scores, query_ptr)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("way", [order_by_level, order_by_counting])
def test_documents_are_ordered_by_rising_level_and_equal_ones_as_they_stand(way, seed):
    _, y, query_ptr = random_arrays(seed)
    levels = np.empty(len(y), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    order = np.empty(len(y), dtype=np.int32)
    way(levels, query_ptr, order)
    assert order.tolist() == sorted_by_python(levels, query_ptr)


@pytest.mark.parametrize("n_queries", [64, 65])
def test_few_and_many_documents_are_ordered_alike(n_queries):
    query_ptr = np.arange(n_queries + 1) * 64
    y = np.random.default_rng(n_queries).integers(0, 4, size=query_ptr[-1]).astype(np.float64)
    levels, falling, rising = np.empty((3, len(y)), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    order_queries(y, query_ptr, falling)
    order_by_level(levels, query_ptr, rising)
    assert falling.tolist() == sorted_by_python(-y, query_ptr)
    assert rising.tolist() == sorted_by_python(y, query_ptr)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("real_valued", [False, True])
def test_sums_over_violations_equal_those_over_written_out_pairs(seed, real_valued):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed)
    if real_valued:
        y = rng.random(len(y))
    # Halves give margins of exactly one, which are not violated.
    scores = rng.integers(-4, 5, size=len(y)) / 2.0
    carried = rng.normal(size=len(y))
    levels = np.empty(len(y), dtype=np.int32)
    order = np.empty(len(y), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    order_queries(scores, query_ptr, order)
    worse, better = np.full((2, 2, len(y)), np.nan)
    weights = rng.choice([1.0, 0.3, 2.5], size=len(query_ptr) - 1)
    sums_over_violations(scores, levels, query_ptr, order, weights, carried, worse, better)

    expected_worse, expected_better = np.zeros((2, 2, len(y)))
    for i, j in preference_pairs(y, query_ptr):
        if scores[j] > scores[i] - 1.0:
            weight = weights[np.searchsorted(query_ptr, i, side="right") - 1]
            expected_worse[:, i] += weight, weight * (carried[j] - carried[i])
            expected_better[:, j] += weight, weight * (carried[i] - carried[j])
    np.testing.assert_allclose(worse, expected_worse, atol=1e-12)
    np.testing.assert_allclose(better, expected_better, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("way", [add_pair_spreads, add_spreads_by_levels])
@pytest.mark.parametrize("offset", [0.0, 2.0**30])
def test_spreads_equal_the_sums_of_squares_over_written_out_pairs(way, seed, offset):
    X, y, query_ptr = random_arrays(seed)
    X = np.round(X * 64) + offset
    levels = np.empty(len(y), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    padded = np.asfortranarray(np.vstack([X[:2], X]))
    spreads = np.zeros(X.shape[1])
    weights = np.random.default_rng(seed).choice([1.0, 0.25], size=len(query_ptr) - 1)
    way(padded, 2, levels, query_ptr, weights, spreads)
    query = np.repeat(np.arange(len(weights)), np.diff(query_ptr))
    expected = sum(
        weights[query[i]] * (X[i] - X[j]) ** 2 for i, j in preference_pairs(y, query_ptr)
    )
    np.testing.assert_allclose(spreads, expected, rtol=1e-12, atol=1e-9)
