from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.kernels.compile import INTERPRETED
from ranksieve.kernels.pairs import squared_hinge as module
from ranksieve.kernels.pairs.squared_hinge import squared_hinge
from ranksieve.kernels.pairs.sums import grade_levels, order_by_level
from tests.reference.cases import random_arrays
from tests.reference.pairs import preference_pairs


def evaluated(scores, y, query_ptr):
    levels, by_level = np.empty((2, len(y)), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    order_by_level(levels, query_ptr, by_level)
    gradient = np.full(len(y), np.nan)
    weights = np.ones(len(query_ptr) - 1)
    return squared_hinge(scores, levels, query_ptr, by_level, weights, gradient), gradient


def from_pairs(scores, y, query_ptr):
    value, gradient = 0.0, np.zeros(len(scores))
    for i, j in preference_pairs(y, query_ptr):
        d = max(0.0, 1.0 - (scores[i] - scores[j]))
        value += d * d
        gradient[i] -= 2.0 * d
        gradient[j] += 2.0 * d
    return value, gradient


def long_query(seed, m, n_grades):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_grades, size=m).astype(np.float64) if n_grades else rng.random(m)
    return rng, y, np.array([0, m])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("grades", ["two", "four", "real"])
# At 0.05 every pair is violated, at 3 few are.
@pytest.mark.parametrize("spread", [0.0, 0.05, 0.6, 3.0])
def test_value_and_gradient_equal_those_of_written_out_pairs(seed, grades, spread):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed, n_grades=2 if grades == "two" else 4)
    if grades == "real":
        y = rng.random(len(y))
    scores = spread * rng.normal(size=len(y))
    value, gradient = evaluated(scores, y, query_ptr)
    expected, expected_gradient = from_pairs(scores, y, query_ptr)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, atol=1e-11)


@pytest.mark.parametrize("n_grades", [2, 5, 12, None])
def test_many_pairs_a_document_give_the_same_by_order(n_grades, monkeypatch):
    m = 1200
    if INTERPRETED:
        m = 40
        monkeypatch.setattr(module, "_FEW_PAIRS", 1)
    rng, y, query_ptr = long_query(0, m, n_grades)
    scores = rng.integers(-8, 9, size=m) / 4.0  # ties, and margins of exactly one
    value, gradient = evaluated(scores, y, query_ptr)
    above = y[:, None] > y[None, :]
    d = np.where(above, np.maximum(0.0, 1.0 - (scores[:, None] - scores[None, :])), 0.0)
    assert value == pytest.approx((d**2).sum(), rel=1e-12)
    np.testing.assert_allclose(gradient, 2.0 * (d.sum(axis=0) - d.sum(axis=1)), atol=1e-9)


@pytest.mark.parametrize("spread", [0.05, 1.0])
@pytest.mark.parametrize("m", [20, 900])
def test_a_large_offset_of_scores_costs_no_digits(spread, m):
    m = 20 if INTERPRETED else m
    rng, y, query_ptr = long_query(1, m, 3)
    scores = np.round(spread * rng.normal(size=m) * 1024) / 1024
    value, gradient = evaluated(scores, y, query_ptr)
    moved, moved_gradient = evaluated(scores + 2.0**30, y, query_ptr)
    assert moved == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(moved_gradient, gradient, atol=1e-9)


def test_documents_by_level_are_those_of_a_stable_sort():
    _, y, query_ptr = random_arrays(3)
    levels, by_level = np.empty((2, len(y)), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    order_by_level(levels, query_ptr, by_level)
    for start, stop in itertools.pairwise(query_ptr):
        expected = np.argsort(y[start:stop], kind="stable")
        np.testing.assert_array_equal(by_level[start:stop], expected)
