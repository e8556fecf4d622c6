from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from ranksieve import RankNet
from tests.reference.cases import random_arrays, row_ids
from tests.reference.pairs import pair_differences


def test_two_documents_give_the_weight_of_pencil_and_paper():
    # Standardised, the documents are -1 and 1: log(1 + exp(-2 v)) + v^2 / 2 * 0.5 is least where
    # 0.5 v = 2 / (1 + exp(2 v)). A standard deviation is a half, so w = 2 v.
    model = RankNet(strength=0.5, tol=1e-12).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    v = brentq(lambda v: 0.5 * v - 2 / (1 + np.exp(2 * v)), 0, 5, xtol=1e-14)
    assert model.coef_[0] == pytest.approx(2 * v, rel=1e-6)
    assert model.objective_ == pytest.approx(np.log1p(np.exp(-2 * v)) + 0.25 * v**2, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strength", [1e-3, 1e-1])
def test_linear_model_is_the_optimum_over_written_out_pairs(seed, strength):
    X, y, query_ptr = random_arrays(seed)
    model = RankNet(strength=strength, tol=1e-12).fit(X, y, qid=row_ids(query_ptr))
    deviation = np.where(X.std(axis=0) > 0, X.std(axis=0), np.inf)
    D = pair_differences(X, y, query_ptr) / deviation

    def objective(w):
        margins = D @ w
        value = np.logaddexp(0, -margins).mean() + strength / 2 * w @ w
        return value, strength * w - D.T @ (1 / (1 + np.exp(margins))) / len(D)

    def hessian(w):
        curvature = 1 / (4 * np.cosh(D @ w / 2) ** 2)
        return D.T @ (curvature[:, None] * D) / len(D) + strength * np.eye(D.shape[1])

    found = minimize(
        objective, np.zeros(D.shape[1]), jac=True, hess=hessian, method="trust-exact", tol=1e-12
    )
    assert model.objective_ == pytest.approx(found.fun, rel=1e-10)
    np.testing.assert_allclose(model.coef_ * X.std(axis=0), found.x, atol=1e-5)
    assert model.coef_[-1] == 0.0  # a constant feature
