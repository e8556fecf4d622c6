"""Features that are linear in each other: of equal objectives the least weights are the answer."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import SparseRankSVM

PENALTIES = ["mcp", "scad", "mcp(units='sum')", "mcp(units='fixed')"]
DEPENDENT = {
    "mirror": lambda X: np.c_[X, 1 - X[:, 0]],
    "mirror in float32": lambda X: np.c_[X, 1 - X[:, 0]].astype(np.float32),
    "copies": lambda X: np.c_[X, X[:, 0], 1 - X[:, 1], X[:, 0]],
    "sum": lambda X: np.c_[X, X[:, 0] + X[:, 1]],
    "difference first": lambda X: np.c_[X[:, 0] - X[:, 2], X],
    "other units": lambda X: np.c_[X, 3 * X[:, 1] - 7],
}


def ranked(seed, n=200, n_features=3, per_query=10):
    rng = np.random.default_rng(seed)
    X = rng.random((n, n_features))
    y = np.clip(np.round(1 + X @ rng.normal(size=n_features) + 0.5 * rng.normal(size=n)), 0, 2)
    return X, y, np.repeat(np.arange(n // per_query), per_query)


def fitted(penalty, X, y, qid, **parameters):
    return SparseRankSVM(penalty, **parameters).fit(X, y, qid=qid)


@pytest.mark.parametrize("strength", [0.03, 0.003, 0.0003])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_feature_and_its_mirror_image_do_not_drift(penalty, strength):
    for seed in range(8):
        X, y, qid = ranked(seed)
        alone = fitted(penalty, X, y, qid, strength=strength)
        both = fitted(penalty, np.c_[X, 1 - X[:, 0]], y, qid, strength=strength)
        assert both.converged_
        assert both.n_iter_ <= 200
        assert np.abs(both.coef_).max() <= 3 * np.abs(alone.coef_).max()
        assert both.objective_ <= alone.objective_ * (1 + 1e-6)


@pytest.mark.parametrize("kind", DEPENDENT)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_tolerance_does_not_choose_among_equal_objectives(penalty, kind):
    for seed in range(3):
        X, y, qid = ranked(seed)
        X = DEPENDENT[kind](X)
        best, *others = (
            fitted(penalty, X, y, qid, strength=0.003, tol=tol) for tol in (1e-8, 1e-6, 1e-4)
        )
        near = 2e-3 * np.abs(best.coef_).max()
        for other in others:
            assert other.converged_
            assert other.n_iter_ <= 200
            assert other.objective_ == pytest.approx(best.objective_, rel=1e-4)
            np.testing.assert_allclose(other.coef_, best.coef_, atol=near)


@pytest.mark.parametrize("penalty", [*PENALTIES, "log", "lp"])
@pytest.mark.parametrize("seed", range(3))
def test_of_copies_and_mirror_images_the_first_has_the_weight(penalty, seed):
    X, y, qid = ranked(seed)
    alone = fitted(penalty, X, y, qid, strength=0.003, tol=1e-9)
    repeated = np.c_[X[:, [0]], 1 - X[:, [0]], X[:, 1:], X, 1 - X]
    found = fitted(penalty, repeated, y, qid, strength=0.003, tol=1e-9)
    np.testing.assert_allclose(found.coef_[[0, 2, 3]], alone.coef_, atol=1e-4)
    assert not found.coef_[1]
    assert not found.coef_[4:].any()


@pytest.mark.parametrize("kind", DEPENDENT)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_features_with_a_weight_do_not_depend_on_each_other(penalty, kind):
    for seed in range(3):
        X, y, qid = ranked(seed)
        X = DEPENDENT[kind](X)
        used = X[:, fitted(penalty, X, y, qid, strength=0.003).coef_ != 0].astype(np.float64)
        centred = used - np.array([used[qid == query].mean(axis=0) for query in qid])
        assert np.linalg.matrix_rank(centred, tol=1e-4) == used.shape[1]


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("seed", range(2))
def test_paths_are_those_without_the_mirror_image(penalty, seed):
    X, y, qid = ranked(seed)
    strengths = [0.1, 0.03, 0.01, 0.003, 0.001, 0.0003]
    svm = SparseRankSVM(penalty, tol=1e-8)
    alone = svm.path(X, y, qid=qid, strengths=strengths)
    both = svm.path(np.c_[X, 1 - X], y, qid=qid, strengths=strengths)
    assert both.converged.all()
    np.testing.assert_allclose(both.weights[:, :3], alone.weights, atol=1e-3)
    assert not both.weights[:, 3:].any()


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_so_many_features_are_found_beside_mirror_images(penalty, k):
    X, y, qid = ranked(1)
    alone = fitted(penalty, X, y, qid, n_features_to_select=k)
    both = fitted(penalty, np.c_[X, 1 - X[:, 0]], y, qid, n_features_to_select=k)
    assert np.count_nonzero(both.coef_) == k
    np.testing.assert_allclose(both.coef_[:3], alone.coef_, atol=1e-2)


def test_more_features_than_carry_weights_are_named():
    X, y, qid = ranked(1)
    with pytest.warns(UserWarning, match="only 3 of the 4 features that SparseRankSVM selected"):
        fitted("mcp", np.c_[X, 1 - X[:, 0]], y, qid, n_features_to_select=4)


@pytest.mark.parametrize("solver", ["fista", "accelerated-gradient"])
def test_other_solvers_end_at_the_same_weights(solver):
    X, y, qid = ranked(3)
    X = np.c_[X, 1 - X[:, 0]]
    best = fitted("mcp", X, y, qid, strength=0.003)
    other = fitted("mcp", X, y, qid, strength=0.003, solver=solver, max_iter=20_000)
    np.testing.assert_allclose(other.coef_, best.coef_, atol=1e-2)


def test_the_logistic_loss_does_not_drift_either():
    X, y, qid = ranked(3)
    alone = fitted("mcp", X, y, qid, strength=0.003, loss="logistic")
    both = fitted("mcp", np.c_[X, 1 - X[:, 0]], y, qid, strength=0.003, loss="logistic")
    np.testing.assert_allclose(both.coef_[:3], alone.coef_, atol=1e-3)
    assert both.coef_[3] == 0.0
