from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.kernels.pairs import curvature as curvature_module
from ranksieve.kernels.pairs.curvature import add_curvature
from ranksieve.kernels.pairs.curvature_few import is_few
from ranksieve.kernels.pairs.sums import grade_levels, order_queries
from tests.reference.cases import random_arrays
from tests.reference.pairs import preference_pairs


@pytest.fixture(autouse=True, params=["numpy", "sweeps"])
def way(request, monkeypatch):
    """Both ways must give what is asked for here, whatever the number of documents."""
    monkeypatch.setattr(curvature_module, "is_few", lambda *_: request.param == "numpy")


def prepared(y, query_ptr, scores):
    levels, order = np.empty((2, len(y)), dtype=np.int32)
    n_pairs = grade_levels(y, query_ptr, levels)
    order_queries(scores, query_ptr, order)
    return levels, order, n_pairs


def curvature(X, y, query_ptr, scores, *, features=None, stride=1, start=0, weights=None):
    features = np.arange(X.shape[1]) if features is None else np.array(features, dtype=np.int64)
    levels, order, _ = prepared(y, query_ptr, scores)
    total = np.zeros((len(features), len(features)))
    n_pairs = add_curvature(
        X,
        start,
        features,
        scores,
        levels,
        query_ptr,
        order,
        np.ones(len(query_ptr) - 1) if weights is None else weights,
        np.int64(stride),
        total,
    )
    return np.triu(total), n_pairs


def from_pairs(X, y, query_ptr, scores):
    """X' M X from the pairs with a margin below one, written out."""
    pairs = preference_pairs(y, query_ptr)
    rows = [X[i] - X[j] for i, j in pairs if scores[j] > scores[i] - 1.0]
    differences = np.array(rows, dtype=np.float64).reshape(len(rows), X.shape[1])
    return np.triu(differences.T @ differences), len(pairs)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("grades", ["two", "four", "real"])
@pytest.mark.parametrize("n_features", [1, 2, 5, 8])
def test_curvature_equals_that_of_written_out_pairs(seed, grades, n_features):
    rng = np.random.default_rng(seed)
    X, y, query_ptr = random_arrays(seed, n_features=n_features, n_grades=2 + 2 * (grades != "two"))
    if grades == "real":
        y = rng.random(len(y))
    # Halves give margins of exactly one, which are not violated.
    scores = rng.integers(-4, 5, size=len(y)) / 2.0
    total, n_pairs = curvature(X, y, query_ptr, scores)
    expected, expected_pairs = from_pairs(X, y, query_ptr, scores)
    np.testing.assert_allclose(total, expected, atol=1e-10)
    assert n_pairs == expected_pairs


def test_more_rows_than_a_tile_are_added_up():
    X, y, query_ptr = random_arrays(4, n_queries=40, largest=20, n_features=3)
    scores = np.random.default_rng(4).normal(size=len(y))
    assert len(y) > 256
    total, _ = curvature(X, y, query_ptr, scores)
    np.testing.assert_allclose(total, from_pairs(X, y, query_ptr, scores)[0], rtol=1e-10)


def test_a_large_offset_of_a_feature_costs_no_digits():
    X, y, query_ptr = random_arrays(1)
    scores = np.random.default_rng(1).normal(size=len(y))
    X = np.asfortranarray(np.round(64 * X))
    expected, _ = curvature(X, y, query_ptr, scores)
    total, _ = curvature(np.asfortranarray(X + 2.0**40), y, query_ptr, scores)
    np.testing.assert_allclose(total, expected, rtol=1e-12)


def test_chosen_features_give_their_rows_and_columns_whatever_the_first_row():
    X, y, query_ptr = random_arrays(2)
    scores = np.random.default_rng(2).normal(size=len(y))
    whole, _ = from_pairs(X, y, query_ptr, scores)
    lower = np.asfortranarray(np.vstack([np.full((7, 5), np.nan), X]))
    total, _ = curvature(lower, y, query_ptr, scores, features=[0, 2, 3], start=7)
    np.testing.assert_allclose(total, whole[np.ix_([0, 2, 3], [0, 2, 3])], atol=1e-10)


def test_a_float32_matrix_is_read_as_it_is():
    X, y, query_ptr = random_arrays(3, dtype=np.float32)
    scores = np.random.default_rng(3).normal(size=len(y))
    expected, _ = from_pairs(X.astype(np.float64), y, query_ptr, scores)
    np.testing.assert_allclose(curvature(X, y, query_ptr, scores)[0], expected, rtol=1e-9)


@pytest.mark.parametrize("stride", [2, 3, 50])
def test_a_stride_looks_at_every_so_many_queries(stride):
    X, y, query_ptr = random_arrays(5)
    scores = np.random.default_rng(5).normal(size=len(y))
    total, n_pairs = curvature(X, y, query_ptr, scores, stride=stride)
    taken = list(itertools.pairwise(query_ptr))[::stride]
    parts = [from_pairs(X[a:b], y[a:b], np.array([0, b - a]), scores[a:b]) for a, b in taken]
    np.testing.assert_allclose(total, sum(part[0] for part in parts), atol=1e-10)
    assert n_pairs == sum(part[1] for part in parts)


@pytest.mark.parametrize("stride", [1, 3])
def test_pairs_count_with_the_weights_of_their_queries(stride):
    X, y, query_ptr = random_arrays(6)
    rng = np.random.default_rng(6)
    scores, weights = rng.normal(size=len(y)), rng.random(len(query_ptr) - 1)
    total, n_pairs = curvature(X, y, query_ptr, scores, stride=stride, weights=weights)
    taken = list(itertools.pairwise(query_ptr))[::stride]
    parts = [from_pairs(X[a:b], y[a:b], np.array([0, b - a]), scores[a:b]) for a, b in taken]
    used = weights[::stride]
    expected = sum(weight * part[0] for weight, part in zip(used, parts, strict=True))
    np.testing.assert_allclose(total, expected, atol=1e-10)
    assert n_pairs == pytest.approx(used @ [part[1] for part in parts])


def test_queries_of_one_grade_add_nothing():
    X, y, query_ptr = random_arrays(0)
    total, n_pairs = curvature(X, np.zeros_like(y), query_ptr, np.zeros(len(y)))
    assert not total.any()
    assert n_pairs == 0


def test_few_short_queries_of_few_features_are_for_numpy():
    of_twenty = np.arange(61) * 20
    assert is_few(20, of_twenty)
    assert not is_few(65, of_twenty)
    assert not is_few(20, np.arange(661) * 20)
    assert not is_few(20, np.array([0, 2, 67]))
    assert is_few(1, np.array([0]))
