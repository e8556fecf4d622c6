from __future__ import annotations

import math

import numpy as np
import pytest

from ranksieve.kernels.pairs.sums import grade_levels, order_by_level
from ranksieve.kernels.rankers.potentials import pair_potentials
from tests.reference.cases import random_arrays
from tests.reference.pairs import preference_pairs


def potentials(scores, y, query_ptr, query_weights=None):
    levels, order = np.empty(len(y), dtype=np.int32), np.empty(len(y), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    order_by_level(levels, query_ptr, order)
    weights = np.ones(len(query_ptr) - 1) if query_weights is None else query_weights
    out = np.full(len(y), np.nan)
    total, shift = pair_potentials(scores, levels, order, query_ptr, weights, out)
    return out, total, shift


@pytest.mark.parametrize("seed", range(4))
def test_potentials_are_sums_over_explicit_pairs(seed):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed, n_grades=2 + seed)
    scores = rng.normal(size=len(y))
    weights = rng.uniform(0.5, 2.0, size=len(query_ptr) - 1)
    expected, total = np.zeros(len(y)), 0.0
    for i, j in preference_pairs(y, query_ptr):
        query = np.searchsorted(query_ptr, i, side="right") - 1
        weight = weights[query] * math.exp(scores[j] - scores[i])
        expected[i] += weight
        expected[j] -= weight
        total += weight
    out, found, shift = potentials(scores, y, query_ptr, weights)
    np.testing.assert_allclose(out * math.exp(shift), expected, rtol=1e-12, atol=1e-12)
    assert found * math.exp(shift) == pytest.approx(total, rel=1e-12)
    largest = max(scores[j] - scores[i] for i, j in preference_pairs(y, query_ptr))
    assert shift == pytest.approx(largest)


def test_every_document_may_have_a_grade_of_its_own():
    y, scores = np.array([0.5, 3.0, 1.25, 2.0]), np.zeros(4)
    out, total, shift = potentials(scores, y, np.array([0, 4]))
    # Documents below less documents above.
    np.testing.assert_allclose(out, [-3, 3, -1, 1])
    assert (total, shift) == (6, 0)


def test_scores_of_any_size_neither_overflow_nor_lose_the_heaviest_pair():
    # Query 1 is misordered by 5000, query 2 ordered by as much.
    scores = np.array([2500.0, -2500.0, 0.0, -2500.0, 2500.0])
    y, query_ptr = np.array([0.0, 1.0, 0.0, 0.0, 1.0]), np.array([0, 3, 5])
    out, total, shift = potentials(scores, y, query_ptr)
    assert shift == 5000
    np.testing.assert_array_equal(out, [-1, 1, 0, 0, 0])
    assert total == 1


def test_queries_without_pairs_have_no_potential():
    y, query_ptr = np.array([1.0, 2.0, 2.0, 0.0, 1.0]), np.array([0, 1, 3, 5])
    out, total, _ = potentials(np.zeros(5), y, query_ptr)
    np.testing.assert_array_equal(out, [0, 0, 0, -1, 1])
    assert total == 1
