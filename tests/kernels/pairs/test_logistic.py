from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.pairs.logistic import add_logistic, add_logistic_product
from ranksieve.kernels.pairs.sums import grade_levels
from tests.reference.cases import random_arrays
from tests.reference.pairs import logistic, logistic_hessian, preference_pairs


def levelled(y, query_ptr):
    levels = np.empty(len(y), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    return levels


@pytest.mark.parametrize("scale", [1.0, 60.0, 1000.0])
def test_sums_equal_those_over_written_out_pairs_and_are_added(scale):
    rng = np.random.default_rng(2)
    _, y, query_ptr = random_arrays(2, n_queries=6, largest=10)
    scores, direction = scale * rng.normal(size=len(y)), rng.normal(size=len(y))
    gradient, product = np.ones(len(y)), np.ones(len(y))
    weights = np.ones(len(query_ptr) - 1)
    value = add_logistic(scores, levelled(y, query_ptr), query_ptr, weights, gradient)
    add_logistic_product(scores, levelled(y, query_ptr), query_ptr, weights, direction, product)

    slopes = np.zeros(len(y))
    for i, j in preference_pairs(y, query_ptr):
        slope = np.exp(-np.logaddexp(0.0, scores[i] - scores[j]))
        slopes[i] -= slope
        slopes[j] += slope
    assert value == pytest.approx(logistic(scores, y, query_ptr), rel=1e-13)
    np.testing.assert_allclose(gradient, 1 + slopes, atol=1e-13)
    expected = logistic_hessian(scores, y, query_ptr) @ direction
    np.testing.assert_allclose(product, 1 + expected, atol=1e-13)


def test_no_documents_and_one_grade_add_nothing():
    query_ptr = np.array([0, 0, 2])
    out = np.zeros(2)
    levels = np.zeros(2, dtype=np.int32)
    weights = np.ones(2)
    assert add_logistic(np.array([1.0, 2.0]), levels, query_ptr, weights, out) == 0.0
    add_logistic_product(np.array([1.0, 2.0]), levels, query_ptr, weights, np.ones(2), out)
    assert not out.any()
