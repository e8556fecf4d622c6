from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.relief.rows import add_differences, scale_rows, widen_ranges


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_scaled_by_ranges_over_all_pieces(dtype):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(70, 3)), dtype=dtype)
    X[:, 1] = 4.0
    least, most = np.full(3, np.inf), np.full(3, -np.inf)
    widen_ranges(X, 10, 40, least, most)
    widen_ranges(X, 40, 60, least, most)
    inside = X[10:60].astype(np.float64)
    np.testing.assert_array_equal(least, inside.min(axis=0))
    np.testing.assert_array_equal(most, inside.max(axis=0))
    rows = np.arange(10, 60)[::-1].copy()
    out = np.empty((50, 3))
    scale_rows(X, rows, least, most, out)
    expected = (inside - least) / np.where(most > least, most - least, 1.0)
    np.testing.assert_array_equal(out, expected[::-1])
    assert out.min() == 0.0
    assert out.max() == 1.0
    assert not out[:, 1].any()


def test_ranges_wider_than_the_largest_number_are_no_problem():
    X = np.asfortranarray([[-1.5e308], [0.0], [1.5e308]])
    out = np.empty((3, 1))
    scale_rows(X, np.arange(3), X[0], X[2], out)
    assert out.ravel().tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("n_sums", [1, 2])
def test_differences_are_added_with_their_factors(n_sums):
    rng = np.random.default_rng(n_sums)
    rows, visited = rng.random((9, 4)), rng.random((3, 4))
    owners, neighbours = rng.integers(0, 3, 20), rng.integers(100, 109, 20)
    factors = rng.normal(size=(n_sums, 20))
    sums = np.ones((n_sums, 4))
    add_differences(rows, np.int64(100), visited, owners, neighbours, factors, sums)
    sizes = np.abs(visited[owners] - rows[neighbours - 100])
    np.testing.assert_allclose(sums, 1.0 + factors @ sizes, rtol=1e-13)
