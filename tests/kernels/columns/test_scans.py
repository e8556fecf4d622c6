from itertools import pairwise

import numpy as np
import pytest

from ranksieve.kernels.columns.scans import (
    fill_missing,
    fill_missing_with_query_minimum,
    first_infinite,
    first_missing,
    mark_varying,
)

NAN, INF = np.nan, np.inf


def columns(*values, dtype=np.float64):
    return np.asfortranarray(np.array(values, dtype=dtype).T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_first_infinite_value_is_found_in_column_order(dtype):
    X = columns([1, 2, -INF], [INF, 0, 0], dtype=dtype)
    assert first_infinite(X) == (2, 0)
    assert first_infinite(X[:, 1:]) == (0, 1 - 1)


def test_finite_values_and_nan_are_not_infinite():
    assert first_infinite(columns([1, NAN, -3])) == (-1, -1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_first_nan_is_found_in_column_order(dtype):
    assert first_missing(columns([1, 2, 3], [4, NAN, NAN], dtype=dtype)) == (1, 1)


def test_infinities_are_not_missing():
    assert first_missing(columns([INF, -INF])) == (-1, -1)


def test_a_constant_fills_holes_and_nothing_else():
    X = columns([1, NAN], [NAN, -0.5])
    fill_missing(X, 7.0)
    np.testing.assert_array_equal(X, columns([1, 7], [7, -0.5]))


def test_the_query_minimum_is_taken_of_the_query_and_the_column():
    X = columns([3, NAN, 1, NAN, 9], [NAN, NAN, NAN, -4, -5])
    fill_missing_with_query_minimum(X, np.array([0, 3, 5]))
    np.testing.assert_array_equal(X, columns([3, 1, 1, 9, 9], [0, 0, 0, -4, -5]))


def test_filling_leaves_complete_queries_alone():
    X = columns([3, 2, 1])
    fill_missing_with_query_minimum(X, np.array([0, 2, 3]))
    np.testing.assert_array_equal(X, columns([3, 2, 1]))


@pytest.mark.parametrize("seed", range(5))
def test_the_query_minimum_equals_numpy_nanmin(seed):
    rng = np.random.default_rng(seed)
    ptr = np.array([0, 1, 4, 9, 10])
    X = np.asfortranarray(rng.normal(size=(10, 3)))
    X[rng.random(X.shape) < 0.4] = NAN
    expected = X.copy()
    for start, stop in pairwise(ptr):
        part = expected[start:stop]
        least = np.where(np.isnan(part), INF, part).min(axis=0)
        part[:] = np.where(np.isnan(part), np.where(np.isinf(least), 0, least), part)
    fill_missing_with_query_minimum(X, ptr)
    np.testing.assert_array_equal(X, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_column_varies_if_it_does_within_one_query(dtype):
    # The queries are rows 1:3 and 3:5; the first row and the last belong to none.
    X = columns([9, 2, 2, 3, 3, 9], [1, 1, 1, 1, 2, 1], [0, 1, 2, 3, 4, 5], dtype=dtype)
    varies = np.zeros(3, dtype=bool)
    mark_varying(X, np.array([1, 3, 5]), varies)
    assert varies.tolist() == [False, True, True]
