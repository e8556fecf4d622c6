from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.products import gradient_of_weights, scores_of_rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_products_are_those_of_the_rows_in_double_precision(dtype, seed):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.normal(size=(37, 4)), dtype=dtype)
    w = rng.normal(size=4)
    w[1] = 0.0
    scores, gradient = np.empty(25), np.empty(4)
    scores_of_rows(X, 5, 30, w, scores)
    gradient_of_weights(X, 5, 30, scores, gradient)
    rows = X[5:30].astype(np.float64)
    np.testing.assert_allclose(scores, rows @ w, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(gradient, rows.T @ scores, rtol=1e-12)
