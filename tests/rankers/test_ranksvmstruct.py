from __future__ import annotations

import itertools

import cvxpy as cp
import numpy as np
import pytest
from sklearn.svm import LinearSVC

from ranksieve import RankSVMStruct
from ranksieve.data import letor_folds
from ranksieve.errors import ConvergenceWarning, ParameterError
from ranksieve.threads import threads
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.pairs import pair_differences


def objective(w, differences, C):
    return 0.5 * w @ w + C * np.maximum(0.0, 1.0 - differences @ w).sum()


def explicit_optimum(differences, C):
    w = cp.Variable(differences.shape[1])
    loss = 0.5 * cp.sum_squares(w) + C * cp.sum(cp.pos(1 - differences @ w))
    return cp.Problem(cp.Minimize(loss)).solve(solver=cp.CLARABEL)


def one_slack_optimum(differences, C):
    """|w|^2 / 2 + C xi over ALL constraints of the one-slack formulation: each subset of pairs."""
    chosen = np.array(list(itertools.product([0.0, 1.0], repeat=len(differences))))
    w, slack = cp.Variable(differences.shape[1]), cp.Variable()
    constraints = [chosen @ differences @ w >= chosen.sum(axis=1) - slack]
    target = cp.Minimize(0.5 * cp.sum_squares(w) + C * slack)
    return cp.Problem(target, constraints).solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_objective_is_that_of_all_constraints_on_tiny_data(seed, C):
    rng = np.random.default_rng(seed)
    X, y, qid = rng.normal(size=(7, 3)), np.array([2.0, 0, 1, 1, 1, 0, 0]), [1, 1, 1, 2, 2, 2, 2]
    differences = pair_differences(X, y, [0, 3, 7])
    assert len(differences) == 7
    svm = RankSVMStruct(C=C, tol=1e-8).fit(X, y, qid=qid)
    assert svm.objective_ == pytest.approx(one_slack_optimum(differences, C), rel=1e-6)


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_that_of_explicit_pairs(seed, C):
    X, y, query_ptr = random_arrays(seed)
    differences = pair_differences(X, y, query_ptr)
    svm = RankSVMStruct(C=C).fit(X, y, qid=row_ids(query_ptr))
    assert svm.converged_
    assert svm.gap_ <= 1e-6
    assert svm.objective_ == pytest.approx(explicit_optimum(differences, C), rel=2e-6)
    assert svm.objective_ == pytest.approx(objective(svm.coef_, differences, C), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_a_linear_svm_on_differences(seed):
    X, y, query_ptr = random_arrays(seed)
    differences = pair_differences(X, y, query_ptr)
    # Every second pair turned round, for scikit-learn wants two classes.
    signs = np.where(np.arange(len(differences)) % 2, 1.0, -1.0)
    outside = LinearSVC(
        loss="hinge", C=0.05, fit_intercept=False, tol=1e-7, max_iter=1_000_000, random_state=0
    ).fit(differences * signs[:, None], signs)
    svm = RankSVMStruct(C=0.05).fit(X, y, qid=row_ids(query_ptr))
    assert svm.objective_ == pytest.approx(objective(outside.coef_[0], differences, 0.05), rel=1e-5)
    assert svm.objective_ <= objective(outside.coef_[0], differences, 0.05) * (1 + 1e-6)


def test_the_weight_of_pencil_and_paper():
    # Differences 1 and 2: w^2 / 2 + 0.1 (1 - w) + 0.1 (1 - 2 w), w = 0.3 on both slopes.
    svm = RankSVMStruct(C=0.1, tol=1e-12).fit(
        [[0.0], [1.0], [2.0], [4.0]], [0, 1, 0, 1], qid=[1, 1, 2, 2]
    )
    assert svm.coef_[0] == pytest.approx(0.3, abs=1e-9)
    assert svm.objective_ == pytest.approx(0.3**2 / 2 + 0.1 * 0.7 + 0.1 * 0.4)


def test_C_is_that_of_svm_rank_over_the_number_of_queries():
    # SVM-struct: |w|^2 / 2 + C_rank / q * sum of slacks; a query's slack sums its pairs' hinges.
    X, y, query_ptr = random_arrays(4)
    C_rank, n_queries = 2.4, len(query_ptr) - 1
    w = cp.Variable(5)
    slacks = [
        cp.sum(cp.pos(1 - pair_differences(X[a:b], y[a:b], [0, b - a]) @ w))
        for a, b in itertools.pairwise(query_ptr)
        if len(np.unique(y[a:b])) > 1
    ]
    target = 0.5 * cp.sum_squares(w) + C_rank / n_queries * sum(slacks)
    expected = cp.Problem(cp.Minimize(target)).solve(solver=cp.CLARABEL)
    svm = RankSVMStruct(C=C_rank / n_queries).fit(X, y, qid=row_ids(query_ptr))
    assert svm.objective_ == pytest.approx(expected, rel=2e-6)


@pytest.mark.usefixtures("always_threads")
@pytest.mark.parametrize("borders", [[3], [1, 2, 5, 9]])
def test_blocks_and_threads_change_no_bit(borders):
    X, y, query_ptr = random_arrays(3)
    whole = RankSVMStruct().fit(X, y, qid=row_ids(query_ptr))
    with threads(1):
        blocks = RankSVMStruct().fit(in_blocks(X, y, query_ptr, borders))
    np.testing.assert_array_equal(blocks.coef_, whole.coef_)


def test_rows_in_another_order_change_no_bit():
    X, y, query_ptr = random_arrays(5)
    qid = row_ids(query_ptr)
    rng = np.random.default_rng(0)
    rows = np.concatenate(
        [rng.permutation(np.flatnonzero(qid == query)) for query in np.unique(qid)]
    )
    first = RankSVMStruct(C=10.0).fit(X, y, qid=qid)
    second = RankSVMStruct(C=10.0).fit(X[rows], y[rows], qid=qid)
    np.testing.assert_array_equal(second.coef_, first.coef_)


def test_a_constant_feature_gets_no_weight():
    X, y, query_ptr = random_arrays(6)
    svm = RankSVMStruct().fit(X, y, qid=row_ids(query_ptr))
    assert svm.coef_[-1] == pytest.approx(0.0, abs=1e-9)


def test_tiny_units_do_not_pass_for_an_optimum_at_zero():
    X = np.random.default_rng(0).random((40, 3)) * 1e-6
    y, qid = (X[:, 0] > 5e-7).astype(float), np.arange(40) // 10
    svm = RankSVMStruct().fit(X, y, qid=qid)
    assert svm.score(X, y, qid=qid) > 0.95


def test_missing_the_tolerance_warns_with_the_numbers():
    X, y, query_ptr = random_arrays(1)
    with pytest.warns(
        ConvergenceWarning, match=r"RankSVMStruct ended after 1 iterations .* gap of .*tol=1e-06"
    ):
        svm = RankSVMStruct(C=100.0, max_iter=1).fit(X, y, qid=row_ids(query_ptr))
    assert not svm.converged_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be a number above 0"),
        ({"C": np.inf}, "C must be"),
        ({"tol": 0}, "tol must be a number above 0"),
        ({"max_iter": 1.5}, "max_iter must be a whole number of at least 1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        RankSVMStruct(**parameters).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


@pytest.mark.parametrize("C", [1e-6, 1.0])
@pytest.mark.parametrize("name", ["OHSUMED", "MQ2008"])
def test_letor_data_reach_the_tolerance_at_both_ends_of_the_range_of_c(real_data, name, C):
    svm = RankSVMStruct(C=C).fit(letor_folds(real_data / name)[0].train)
    assert svm.converged_
    assert svm.gap_ <= 1e-6
