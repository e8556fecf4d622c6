from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.linear.products import gradient_of_weights, scores_of_rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
# Columns are taken four at a time: with some left over, none, and none whole.
@pytest.mark.parametrize("n_features", [3, 4, 8, 11])
def test_products_are_those_of_the_rows_in_double_precision(dtype, seed, n_features):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.normal(size=(37, n_features)), dtype=dtype)
    w = rng.normal(size=n_features)
    w[1] = 0.0
    scores, gradient = np.empty(25), np.empty(n_features)
    scores_of_rows(X, 5, 30, w, scores)
    gradient_of_weights(X, 5, 30, scores, gradient)
    rows = X[5:30].astype(np.float64)
    np.testing.assert_allclose(scores, rows @ w, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(gradient, rows.T @ scores, rtol=1e-12, atol=1e-12)
