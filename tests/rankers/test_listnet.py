from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import log_softmax, softmax

from ranksieve import ListNet
from tests.reference.cases import random_arrays, row_ids


def test_two_documents_give_the_weight_of_pencil_and_paper():
    # Standardised, the documents are -1 and 1, so the second is first with chance
    # 1 / (1 + exp(-2 v)) by score and e / (1 + e) by grade; the slope by v is twice the
    # difference, plus 0.5 v. A standard deviation is a half, so w = 2 v.
    model = ListNet(strength=0.5, tol=1e-12).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    chance = np.e / (1 + np.e)
    v = brentq(lambda v: 2 * (1 / (1 + np.exp(-2 * v)) - chance) + 0.5 * v, 0, 5, xtol=1e-14)
    assert model.coef_[0] == pytest.approx(2 * v, rel=1e-6)
    loss = -chance * np.log(1 / (1 + np.exp(-2 * v))) - (1 - chance) * np.log(
        1 / (1 + np.exp(2 * v))
    )
    assert model.objective_ == pytest.approx(loss + 0.25 * v**2, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strength", [1e-3, 1e-1])
def test_linear_model_is_the_optimum_of_the_definition(seed, strength):
    X, y, query_ptr = random_arrays(seed)
    model = ListNet(strength=strength, tol=1e-12).fit(X, y, qid=row_ids(query_ptr))
    Z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), np.inf)
    queries = [slice(a, b) for a, b in itertools.pairwise(query_ptr) if np.ptp(y[a:b]) > 0]

    def objective(w):
        losses = [-softmax(y[q]) @ log_softmax(Z[q] @ w) for q in queries]
        slopes = [Z[q].T @ (softmax(Z[q] @ w) - softmax(y[q])) for q in queries]
        return np.mean(losses) + strength / 2 * w @ w, np.mean(slopes, axis=0) + strength * w

    found = minimize(objective, np.zeros(Z.shape[1]), jac=True, method="BFGS", tol=1e-10)
    assert model.objective_ == pytest.approx(found.fun, rel=1e-10)
    np.testing.assert_allclose(model.coef_ * X.std(axis=0), found.x, atol=1e-5)
    assert model.coef_[-1] == 0.0  # a constant feature
