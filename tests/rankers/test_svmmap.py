from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from ranksieve import MAP, SVMMAP
from ranksieve.data import letor_folds
from ranksieve.errors import ConvergenceWarning, DataError, ParameterError
from ranksieve.threads import threads
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.orderings import all_constraints, hinge, queries_with_both


def optimum_over_all_orderings(X, relevant, query_ptr, C):
    """The quadratic programme of the paper with every constraint, one slack a query."""
    parts = queries_with_both(relevant, query_ptr)
    w, slacks = cp.Variable(X.shape[1]), cp.Variable(len(parts))
    constraints = []
    for slack, part in zip(slacks, parts, strict=True):
        losses, changes = all_constraints(relevant[part], X[part])
        constraints.append(losses + changes @ w <= slack)
    target = cp.Minimize(0.5 * cp.sum_squares(w) + C / len(parts) * cp.sum(slacks))
    return cp.Problem(target, constraints).solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("C", [0.1, 3.0, 100.0])
@pytest.mark.parametrize(("seed", "threshold"), [(0, 1), (1, 2), (2, 3), (3, 2)])
def test_the_objective_is_that_of_all_orderings_on_tiny_data(seed, threshold, C):
    X, y, query_ptr = random_arrays(seed, n_queries=7, largest=5)
    svm = SVMMAP(C=C, threshold=threshold).fit(X, y, qid=row_ids(query_ptr))
    expected = optimum_over_all_orderings(X, y >= threshold, query_ptr, C)
    assert svm.converged_
    assert svm.gap_ <= 1e-6
    assert svm.objective_ == pytest.approx(expected, rel=3e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_that_of_the_definition_at_the_weights(seed):
    X, y, query_ptr = random_arrays(seed, largest=6)
    svm = SVMMAP(C=5.0).fit(X, y, qid=row_ids(query_ptr))
    n_queries = len(queries_with_both(y >= 1, query_ptr))
    total = hinge(svm.predict(X), y >= 1, query_ptr)
    expected = 0.5 * svm.coef_ @ svm.coef_ + 5.0 / n_queries * total
    assert svm.objective_ == pytest.approx(expected, rel=1e-12)


def test_the_weight_of_pencil_and_paper():
    # The wrong order loses 1/2 and 2 w of margin: w^2 / 2 + C max(0, 1/2 - 2 w), kink at 1/4.
    X, y, qid = [[0.0], [1.0]], [0, 1], [1, 1]
    assert SVMMAP(C=0.05).fit(X, y, qid=qid).coef_[0] == pytest.approx(0.1, abs=1e-5)
    assert SVMMAP(C=9.0).fit(X, y, qid=qid).coef_[0] == pytest.approx(0.25, abs=1e-5)


def test_the_objective_bounds_one_minus_map():
    X, y, query_ptr = random_arrays(4)
    qid = row_ids(query_ptr)
    svm = SVMMAP(C=10.0).fit(X, y, qid=qid)
    loss = (svm.objective_ - 0.5 * svm.coef_ @ svm.coef_) / 10.0
    parts = queries_with_both(y >= 1, query_ptr)
    rows = np.concatenate([np.arange(part.start, part.stop) for part in parts])
    assert loss >= 1.0 - MAP()(y[rows], svm.predict(X[rows]), qid=qid[rows])


def test_grades_count_by_the_threshold_alone():
    X, y, query_ptr = random_arrays(5)
    qid = row_ids(query_ptr)
    graded = SVMMAP(C=3.0, threshold=2).fit(X, y, qid=qid)
    binary = SVMMAP(C=3.0).fit(X, (y >= 2).astype(float), qid=qid)
    np.testing.assert_allclose(graded.coef_, binary.coef_, rtol=1e-9)


def test_queries_of_one_kind_do_not_count_in_the_mean():
    X, y, query_ptr = random_arrays(5)
    qid = row_ids(query_ptr)
    first = SVMMAP(C=3.0).fit(X, y, qid=qid)
    more = np.vstack([X, 9.0 + X[:6]])
    grades = np.concatenate([y, [1, 2, 3, 0, 0, 0]])
    second = SVMMAP(C=3.0).fit(more, grades, qid=np.concatenate([qid, [90, 90, 90, 91, 91, 92]]))
    np.testing.assert_allclose(second.coef_, first.coef_, rtol=1e-6, atol=1e-9)
    assert second.objective_ == pytest.approx(first.objective_, rel=1e-9)


def test_a_threshold_that_no_query_straddles_is_an_error_that_says_so():
    X, y, query_ptr = random_arrays(0)
    with pytest.raises(DataError, match=r"no query .* grade at least 4 .*from 0"):
        SVMMAP(threshold=4).fit(X, y, qid=row_ids(query_ptr))


@pytest.mark.usefixtures("always_threads")
def test_blocks_threads_and_rows_change_no_bit():
    X, y, query_ptr = random_arrays(3)
    qid = row_ids(query_ptr)
    whole = SVMMAP(C=30.0).fit(X, y, qid=qid)
    with threads(1):
        blocks = SVMMAP(C=30.0).fit(in_blocks(X, y, query_ptr, [1, 2, 5]))
    np.testing.assert_array_equal(blocks.coef_, whole.coef_)
    rng = np.random.default_rng(0)
    rows = np.concatenate(
        [rng.permutation(np.flatnonzero(qid == query)) for query in np.unique(qid)]
    )
    turned = SVMMAP(C=30.0).fit(X[rows], y[rows], qid=qid)
    np.testing.assert_array_equal(turned.coef_, whole.coef_)


def test_missing_the_tolerance_warns_with_the_numbers():
    X, y, query_ptr = random_arrays(1)
    with pytest.warns(ConvergenceWarning, match=r"SVMMAP ended after 1 iterations .*tol=1e-06"):
        svm = SVMMAP(C=1000.0, max_iter=1).fit(X, y, qid=row_ids(query_ptr))
    assert not svm.converged_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": -1}, "C must be a number above 0"),
        ({"threshold": 0}, "threshold must be a number above 0"),
        ({"threshold": "1"}, "threshold must be a number above 0, but is '1'"),
        ({"tol": np.nan}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        SVMMAP(**parameters).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


@pytest.mark.parametrize("C", [0.01, 1000.0])
@pytest.mark.parametrize("name", ["OHSUMED", "MQ2008"])
def test_letor_data_reach_the_tolerance_at_both_ends_of_the_range_of_c(real_data, name, C):
    svm = SVMMAP(C=C).fit(letor_folds(real_data / name)[0].train)
    assert svm.converged_
    assert svm.gap_ <= 1e-6
