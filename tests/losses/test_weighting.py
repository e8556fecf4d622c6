"""Equal weight for each query, against pairs that are written out."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import (
    FenchelRank,
    FSMRank,
    KernelRankSVM,
    RankNet,
    RankSVM,
    RankSVMStruct,
    SparseRankSVM,
    catalog,
)
from ranksieve.errors import ParameterError
from ranksieve.losses import HingeLoss, LogisticLoss, SquaredHingeLoss, Targets
from ranksieve.problems import PairRisk, RidgePairs, RidgeScores
from tests.reference import pairs
from tests.reference.cases import in_blocks, row_ids, uneven_arrays

SLOW = {
    HingeLoss: pairs.hinge,
    SquaredHingeLoss: pairs.squared_hinge,
    LogisticLoss: pairs.logistic,
}
every_loss = pytest.mark.parametrize("loss", SLOW)
smooth = pytest.mark.parametrize("loss", [SquaredHingeLoss, LogisticLoss])
some_seeds = pytest.mark.parametrize("seed", range(3))
in_pieces = pytest.mark.parametrize("small", [0, 1 << 20])


@every_loss
@pytest.mark.parametrize("seed", range(6))
def test_the_value_is_the_mean_over_queries_of_their_means(loss, seed):
    _, y, query_ptr = uneven_arrays(seed)
    scores = np.random.default_rng(seed).normal(size=len(y))
    value, _ = loss("queries").value_and_grad(scores, Targets.from_grades(y, query_ptr))
    expected = pairs.with_equal_queries(SLOW[loss], scores, y, query_ptr)
    assert value == pytest.approx(expected, rel=1e-12)
    plain, _ = loss().value_and_grad(scores, Targets.from_grades(y, query_ptr))
    assert plain == pytest.approx(SLOW[loss](scores, y, query_ptr), rel=1e-12)


@every_loss
def test_weights_sum_up_to_the_pairs_and_queries_without_any_have_none(loss):
    _, y, query_ptr = uneven_arrays(1)
    targets = Targets.from_grades(y, query_ptr)
    weights = loss("queries").query_weights(targets)
    assert weights @ targets.pairs_by_query == pytest.approx(targets.n_pairs)
    assert targets.weighted_pairs("queries") == pytest.approx(targets.n_pairs)
    assert not weights[targets.pairs_by_query == 0].any()
    assert weights[4] == 0.0


def written_out(loss, w, arrays, weighting):
    """Mean, gradient and Hessian by weights, from all pairs."""
    differences = pairs.pair_differences(*arrays)
    shares, margins = pairs.shares_of_pairs(*arrays[1:], weighting), differences @ w
    if loss is SquaredHingeLoss:
        slack = np.maximum(0, 1 - margins)
        values, slopes, curvatures = slack**2, -2 * slack, 2.0 * (slack > 0)
    else:
        values = np.logaddexp(0, -margins)
        slopes = -np.exp(-np.logaddexp(0, margins))
        curvatures = -slopes * (1 + slopes)
    hessian = differences.T @ ((shares * curvatures)[:, None] * differences)
    return shares @ values, differences.T @ (shares * slopes), hessian


@smooth
@some_seeds
@in_pieces
def test_risk_gradient_and_curvature_are_those_of_written_out_pairs(loss, seed, small, monkeypatch):
    monkeypatch.setattr("ranksieve.problems.pair_risk._SMALL_DATA", small)
    arrays = uneven_arrays(seed)
    risk = PairRisk(in_blocks(*arrays, [2, 5]), loss("queries"))
    w = 0.5 * np.random.default_rng(seed).normal(size=4)
    expected, slopes, hessian = written_out(loss, w, arrays, "queries")
    value, gradient = risk.value_and_grad(w)
    risk.accept()
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, slopes, atol=1e-12)
    np.testing.assert_allclose(risk.hessian(np.arange(4)), hessian, atol=1e-12)
    np.testing.assert_allclose(risk.hessian(np.array([1, 3])), hessian[1::2, 1::2], atol=1e-12)
    np.testing.assert_allclose(risk.product(np.arange(4.0)), hessian @ np.arange(4), atol=1e-12)
    at_zero = written_out(SquaredHingeLoss, np.zeros(4), arrays, "queries")[2]
    np.testing.assert_allclose(risk.curvatures, np.diag(at_zero), rtol=1e-12)


@some_seeds
@pytest.mark.parametrize("stride", [2, 3])
def test_a_sampled_hessian_is_the_weighted_mean_over_the_sample(seed, stride):
    X, y, query_ptr = arrays = uneven_arrays(seed)
    risk = PairRisk(in_blocks(*arrays, []), SquaredHingeLoss("queries"))
    w = 0.5 * np.random.default_rng(seed).normal(size=4)
    risk.value_and_grad(w)
    risk.accept()
    queries = np.arange(0, len(query_ptr) - 1, stride)
    rows = np.concatenate([np.arange(query_ptr[q], query_ptr[q + 1]) for q in queries])
    sample_ptr = np.concatenate([[0], np.cumsum(np.diff(query_ptr)[queries])])
    sample = X[rows], y[rows], sample_ptr
    expected = written_out(SquaredHingeLoss, w, sample, "queries")[2]
    np.testing.assert_allclose(risk.hessian(np.arange(4), stride), expected, atol=1e-12)


@some_seeds
@in_pieces
def test_sums_keep_their_total_in_ridge_problems(seed, small, monkeypatch):
    monkeypatch.setattr("ranksieve.problems.ridge_scores._SMALL_DATA", small)
    monkeypatch.setattr("ranksieve.problems.pair_risk._SMALL_DATA", small)
    X, y, query_ptr = uneven_arrays(seed)
    data, w = in_blocks(X, y, query_ptr, [2, 5]), np.random.default_rng(seed).normal(size=4)
    ridge = 0.5 * w @ w
    loss = pairs.with_equal_queries(pairs.squared_hinge, X @ w, y, query_ptr)
    value, gradient = RidgePairs(data, SquaredHingeLoss("queries"), 0.1).value_and_grad(w)
    assert value == pytest.approx(ridge + 0.1 * loss, rel=1e-12)
    problem = RidgeScores(data, SquaredHingeLoss("queries"), 0.1)
    other, slopes = problem.value_and_grad(w)
    assert other == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(slopes, gradient, rtol=1e-9)
    direction = np.ones(4)
    along, slope = problem.along(w, direction)(0.5)
    there, slopes = problem.value_and_grad(w + 0.5 * direction)
    assert along == pytest.approx(there, rel=1e-12)
    assert slope == pytest.approx(slopes @ direction, rel=1e-9)


def outside(arrays, of_margins, charge, weighting="queries", within=()):
    differences = pairs.pair_differences(*arrays)
    shares = pairs.shares_of_pairs(*arrays[1:], weighting)
    w = cp.Variable(differences.shape[1])
    loss = shares @ of_margins(differences @ w)
    problem = cp.Problem(cp.Minimize(loss + charge(w)), [limit(w) for limit in within])
    problem.solve(solver=cp.CLARABEL)
    return np.asarray(w.value), float(problem.value)


def squared_hinge(margins):
    return cp.square(cp.pos(1 - margins))


@some_seeds
def test_sparse_ranksvm_reaches_the_optimum_of_equal_queries(seed):
    arrays = uneven_arrays(seed)
    text = 'squared-hinge(weighting="queries")'
    svm = SparseRankSVM(strength=0.05, loss=text, tol=1e-10)
    assert repr(catalog.parse(repr(svm), "selectors")) == repr(svm)
    svm.fit(arrays[0], arrays[1], qid=row_ids(arrays[2]))
    best, optimum = outside(arrays, squared_hinge, lambda w: 0.05 * cp.norm1(w))
    np.testing.assert_allclose(svm.coef_, best, atol=1e-4)
    assert svm.objective_ == pytest.approx(optimum, rel=1e-6)
    plain = SparseRankSVM(strength=0.05).fit(arrays[0], arrays[1], qid=row_ids(arrays[2]))
    assert np.abs(plain.coef_ - svm.coef_).max() > 0.01


def test_a_penalty_that_is_not_convex_takes_equal_queries_on_a_path():
    X, y, query_ptr = arrays = uneven_arrays(0)
    svm = SparseRankSVM("mcp", loss=SquaredHingeLoss("queries"), tol=1e-9)
    path = svm.path(X, y, qid=row_ids(query_ptr), n_strengths=6)
    assert path.converged.all()
    w = path.weights[3]
    value, gradient, _ = written_out(SquaredHingeLoss, w, arrays, "queries")
    penalty = catalog.parse("mcp", "penalties")
    slopes = penalty.derivative(w, path.strengths[3])
    assert path.objectives[3] == pytest.approx(value + penalty.value(w, path.strengths[3]))
    used = w != 0
    assert np.abs(gradient[used] + np.sign(w[used]) * slopes[used]).max() < 1e-4


@some_seeds
def test_fenchelrank_reaches_the_optimum_of_equal_queries(seed):
    arrays = uneven_arrays(seed)
    fenchel = FenchelRank(radius=0.5, weighting="queries")
    assert repr(catalog.parse(repr(fenchel), "selectors")) == repr(fenchel)
    fenchel.fit(arrays[0], arrays[1], qid=row_ids(arrays[2]))
    best, optimum = outside(
        arrays, squared_hinge, lambda w: 0.0, within=[lambda w: cp.norm1(w) <= 0.5]
    )
    assert fenchel.objective_ == pytest.approx(optimum, rel=1e-6)
    np.testing.assert_allclose(fenchel.coef_, best, atol=1e-3)


@some_seeds
@pytest.mark.parametrize(
    ("ranker", "of_margins"),
    [
        (RankSVM(C=0.3, tol=1e-10, weighting="queries"), squared_hinge),
        (RankSVMStruct(C=0.3, tol=1e-7, weighting="queries"), lambda m: cp.pos(1 - m)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_ranking_svms_reach_the_optimum_of_equal_queries(ranker, of_margins, seed):
    arrays = uneven_arrays(seed)
    factor = 1 / (0.3 * len(pairs.preference_pairs(*arrays[1:])))
    best, _ = outside(arrays, of_margins, lambda w: 0.5 * factor * cp.sum_squares(w))
    # Blocks and the order of queries must not change the totals that weights depend on.
    found = ranker.fit(in_blocks(*arrays, [2, 5]))
    np.testing.assert_allclose(found.coef_, best, atol=2e-3)
    assert repr(catalog.parse(repr(ranker), "rankers")) == repr(ranker)


@some_seeds
def test_a_linear_ranknet_reaches_the_optimum_of_equal_queries(seed):
    X, y, query_ptr = uneven_arrays(seed)
    X = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0))
    best, optimum = outside(
        (X, y, query_ptr), lambda m: cp.logistic(-m), lambda w: 0.015 * cp.sum_squares(w)
    )
    net = RankNet(tol=1e-9, weighting="queries").fit(X, y, qid=row_ids(query_ptr))
    assert net.objective_ == pytest.approx(optimum, rel=1e-6)
    np.testing.assert_allclose(net.coef_, best, atol=1e-3)


def test_a_linear_kernel_is_the_linear_machine_of_equal_queries():
    X, y, query_ptr = uneven_arrays(2)
    qid = row_ids(query_ptr)
    linear = RankSVM(C=0.3, tol=1e-10, weighting="queries").fit(X, y, qid=qid)
    kernel = KernelRankSVM("linear", C=0.3, tol=1e-10, weighting="queries").fit(X, y, qid=qid)
    np.testing.assert_allclose(np.ptp(kernel.predict(X) - linear.predict(X)), 0, atol=1e-4)


EQUAL = 'squared-hinge(weighting="queries")'


@pytest.mark.parametrize(
    "model",
    [
        SparseRankSVM("l1", 0.05, loss=EQUAL, tol=1e-10),
        SparseRankSVM("mcp", 0.05, loss=EQUAL, tol=1e-9),
        SparseRankSVM("l1", 0.02, loss='logistic(weighting="queries")', tol=1e-9),
        FSMRank(
            0.05, 0.02, loss=EQUAL, importance=[0.9, 0.5, 0.3, 0.2], similarity=np.eye(4), tol=1e-10
        ),
        FenchelRank(0.4, weighting="queries"),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("query", [1, 6])
def test_copies_of_all_documents_of_a_query_leave_the_model_as_it_was(model, query):
    X, y, query_ptr = uneven_arrays(3)
    start, stop = query_ptr[query], query_ptr[query + 1]
    assert len(np.unique(y[start:stop])) > 1
    rows = np.repeat(np.arange(len(y)), np.where(row_ids(query_ptr) == query, 3, 1))
    qid = row_ids(query_ptr)
    alone = clone(model).fit(X, y, qid=qid)
    more = clone(model).fit(X[rows], y[rows], qid=qid[rows])
    np.testing.assert_allclose(more.coef_, alone.coef_, atol=2e-3)
    assert more.objective_ == pytest.approx(alone.objective_, rel=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        RankSVM(weighting="q"),
        RankSVMStruct(weighting="q"),
        FenchelRank(1.0, weighting="q"),
        RankNet(weighting="q"),
    ],
)
def test_an_unknown_weighting_is_named_at_the_fit(model):
    X, y, query_ptr = uneven_arrays(0)
    with pytest.raises(ParameterError, match="weighting must be one of 'pairs', 'queries'"):
        model.fit(X, y, qid=row_ids(query_ptr))


def test_data_without_pairs_is_no_trouble():
    X, y, query_ptr = uneven_arrays(0)
    svm = SparseRankSVM(strength=0.1, loss=SquaredHingeLoss("queries"))
    svm.fit(X, 0 * y, qid=row_ids(query_ptr))
    assert not svm.coef_.any()
