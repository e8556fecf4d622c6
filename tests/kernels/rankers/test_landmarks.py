from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.rankers.landmarks import write_inner_products, write_squared_distances


@pytest.mark.parametrize("n_features", [1, 3, 4, 6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_and_products_equal_those_of_numpy(n_features, dtype):
    rng = np.random.default_rng(n_features)
    X = np.asfortranarray(rng.normal(size=(9, n_features)), dtype=dtype)
    landmarks = rng.normal(size=(4, n_features))
    out = np.full((5, 4), np.nan, order="F")
    write_squared_distances(X, 2, 7, landmarks, out)
    apart = X[2:7, None, :].astype(np.float64) - landmarks
    np.testing.assert_allclose(out, (apart**2).sum(axis=2), rtol=1e-13)
    write_inner_products(X, 2, 7, landmarks, out)
    np.testing.assert_allclose(out, X[2:7].astype(np.float64) @ landmarks.T, atol=1e-13)


def test_a_large_offset_eats_no_distance_and_a_document_is_at_none_from_itself():
    landmarks = 1e8 + np.arange(6.0).reshape(2, 3)
    X = np.asfortranarray(landmarks)
    out = np.empty((2, 2), order="F")
    write_squared_distances(X, 0, 2, landmarks, out)
    np.testing.assert_array_equal(out, [[0.0, 27.0], [27.0, 0.0]])


def test_a_row_has_the_same_value_whatever_rows_are_beside_it():
    rng = np.random.default_rng(0)
    X, landmarks = np.asfortranarray(rng.normal(size=(37, 7))), rng.normal(size=(3, 7))
    for write in (write_squared_distances, write_inner_products):
        whole, one = np.empty((37, 3), order="F"), np.empty((1, 3), order="F")
        write(X, 0, 37, landmarks, whole)
        for row in range(37):
            write(X, row, row + 1, landmarks, one)
            np.testing.assert_array_equal(one[0], whole[row])
