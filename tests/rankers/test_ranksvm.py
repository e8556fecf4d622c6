from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from ranksieve import NDCG, RankSVM, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import ConvergenceWarning, DataError, ParameterError
from ranksieve.threads import threads
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.pairs import pair_differences


def test_two_documents_give_the_weight_of_pencil_and_paper():
    # minimise w^2 / 2 + 2 (1 - w)^2: w = 4 / 5.
    svm = RankSVM(C=1.0).fit([[0.0], [1.0], [3.0], [4.0]], [0, 1, 0, 1], qid=[1, 1, 2, 2])
    assert svm.coef_[0] == pytest.approx(0.8, abs=1e-9)
    assert svm.objective_ == pytest.approx(0.8**2 / 2 + 2 * 0.2**2)


@pytest.mark.parametrize("seed", range(4))
def test_gradient_over_explicit_pairs_vanishes_at_the_solution(seed):
    X, y, query_ptr = random_arrays(seed)
    C = 10.0 ** (seed - 2)
    svm = RankSVM(C=C, tol=1e-12).fit(X, y, qid=row_ids(query_ptr))
    differences = pair_differences(X, y, query_ptr)
    slack = np.maximum(0, 1 - differences @ svm.coef_)
    gradient = svm.coef_ - 2 * C * differences.T @ slack
    scale = np.abs(svm.coef_) + 2 * C * np.abs(differences).T @ slack
    assert np.linalg.norm(gradient) <= 1e-5 * np.linalg.norm(scale)
    assert svm.converged_
    assert svm.coef_[-1] == pytest.approx(0.0, abs=1e-12)  # a constant feature


@pytest.mark.usefixtures("always_threads")
@pytest.mark.parametrize("borders", [[3], [1, 2, 5, 9]])
def test_solution_does_not_depend_on_blocks_or_threads(borders):
    X, y, query_ptr = random_arrays(3)
    whole = RankSVM().fit(X, y, qid=row_ids(query_ptr))
    with threads(1):
        blocks = RankSVM().fit(in_blocks(X, y, query_ptr, borders))
    np.testing.assert_allclose(blocks.coef_, whole.coef_, rtol=1e-9, atol=1e-12)


def test_solution_does_not_depend_on_row_and_query_order():
    rng = np.random.default_rng(0)
    X, y, query_ptr = random_arrays(5)
    qid = row_ids(query_ptr)
    rows = np.concatenate(
        [rng.permutation(np.flatnonzero(qid == query)) for query in rng.permutation(np.unique(qid))]
    )
    for C in (1.0, None):
        first = RankSVM(C).fit(X, y, qid=qid)
        second = RankSVM(C).fit(X[rows], y[rows], qid=qid[rows])
        assert second.C_ == first.C_
        np.testing.assert_allclose(second.coef_, first.coef_, rtol=1e-9, atol=1e-12)


def test_float32_features_give_the_solution_of_their_values_in_float64():
    X, y, query_ptr = random_arrays(6, dtype=np.float32)
    single = RankSVM().fit(X, y, qid=row_ids(query_ptr))
    double = RankSVM().fit(X.astype(np.float64), y, qid=row_ids(query_ptr))
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_raw_features_of_any_range_reach_the_optimum_of_scaled_variables(seed):
    rng = np.random.default_rng(seed)
    X, y, query_ptr = random_arrays(seed, n_features=12)
    X = X[:, :-1] * 10.0 ** rng.uniform(-3, 5, size=11)
    svm = RankSVM(C=1e-2).fit(X, y, qid=row_ids(query_ptr))
    differences = pair_differences(X, y, query_ptr)
    slack = np.maximum(0, 1 - differences @ svm.coef_)
    # A Newton step on explicit pairs, in the scaled variables, finds nothing more to gain.
    active = differences[slack > 0]
    hessian = np.eye(11) + 2e-2 * active.T @ active
    gradient = svm.coef_ - 2e-2 * differences.T @ slack
    assert svm.converged_
    assert 0.5 * gradient @ np.linalg.solve(hessian, gradient) <= 1e-6 * svm.objective_


def test_tiny_units_do_not_pass_for_an_optimum_at_zero():
    X = np.random.default_rng(0).random((40, 3)) * 1e-6
    y, qid = (X[:, 0] > 5e-7).astype(float), np.arange(40) // 10
    svm = RankSVM().fit(X, y, qid=qid)
    assert svm.score(X, y, qid=qid) > 0.95


def test_views_are_fitted_like_copies():
    X, y, query_ptr = random_arrays(7)
    data = in_blocks(X, y, query_ptr, [5]).features([2, 0]).queries([1, 3, 4, 6, 7, 8])
    view = RankSVM().fit(data)
    copy = RankSVM().fit(from_arrays(data.X, data.y, data.qid))
    np.testing.assert_allclose(view.coef_, copy.coef_, rtol=1e-12)
    np.testing.assert_allclose(view.predict(data), copy.predict(data.X), rtol=1e-12)


def test_score_is_the_mean_ndcg_at_10():
    data, _ = make_ranking(n_queries=30, random_state=0)
    svm = RankSVM(C=0.01).fit(data)
    expected = NDCG(10)(data.y, svm.predict(data), qid=data.qid)
    assert svm.score(data) == expected
    assert svm.score(data.X, data.y, qid=data.qid) == pytest.approx(expected, abs=1e-12)


def test_missing_values_at_predict_get_our_remedy():
    data, _ = make_ranking(n_queries=5)
    X = data.X.copy()
    svm = RankSVM().fit(X, data.y, qid=data.qid)
    X[3, 1] = np.nan
    with pytest.raises(DataError, match=r"contains NaN\. Fill missing values first"):
        svm.predict(X)


def test_missing_the_tolerance_warns_with_the_numbers():
    X, y, query_ptr = random_arrays(1)
    with pytest.warns(
        ConvergenceWarning, match=r"after 1 iterations with a relative gap of .*tol=1e-15"
    ):
        svm = RankSVM(C=100.0, tol=1e-15, max_iter=1).fit(X, y, qid=row_ids(query_ptr))
    assert not svm.converged_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be a number above 0"),
        ({"C": np.nan}, "C must be"),
        ({"C": "1"}, "C must be a number above 0, but is '1'"),
        ({"C": True}, "C must be"),
        ({"tol": 0}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        RankSVM(**parameters).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


def test_bad_data_is_named():
    with pytest.raises(DataError, match="qid is required"):
        RankSVM().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="no query has documents with different grades"):
        RankSVM().fit([[0.0], [1.0]], [1, 1], qid=[1, 1])
    with pytest.raises(DataError, match="no query has documents with different grades"):
        RankSVM().fit([[0.0], [1.0]], [0, 1], qid=[1, 2])
    with pytest.raises(DataError, match="X contains NaN"):
        RankSVM().fit([[0.0], [np.nan]], [0, 1], qid=[1, 1])
    svm = RankSVM().fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    with pytest.raises(DataError, match="1 features"):
        svm.predict([[1.0, 2.0]])
    data, _ = make_ranking(n_queries=3)
    with pytest.raises(ParameterError, match="its own grades"):
        RankSVM().fit(data, data.y)
    with pytest.raises(DataError, match="was fitted on 1"):
        svm.predict(data)


def test_weighted_score_counts_queries_by_the_mean_weight_of_their_documents():
    X, y, qid = [[0.0], [1.0], [0.0], [1.0]], [0, 1, 1, 0], [1, 1, 2, 2]
    svm = RankSVM().fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    wrong = 1 / np.log2(3)  # the relevant document of query 2 comes second
    assert svm.score(X, y, qid=qid) == pytest.approx((1 + wrong) / 2)
    assert svm.score(X, y, [2, 4, 1, 1], qid=qid) == pytest.approx((3 * 1 + wrong) / 4)


def named(X, y, qid, names):
    return from_arrays(X, y, qid, feature_names=names)


def test_features_are_matched_by_name():
    X, y, query_ptr = random_arrays(2)
    qid = row_ids(query_ptr)
    data = named(X, y, qid, list("abcde"))
    turned = data.features(list("edcba"))
    svm = RankSVM().fit(data)
    np.testing.assert_array_equal(svm.predict(turned), svm.predict(data))
    frame = pd.DataFrame(X, columns=list("abcde"))
    np.testing.assert_array_equal(svm.predict(frame[list("cabed")]), svm.predict(data))
    from_frame = RankSVM().fit(frame, y, qid=qid)
    np.testing.assert_array_equal(from_frame.predict(turned), from_frame.predict(frame))
    with pytest.raises(DataError, match=r"fitted on a feature 'a' that the data does not have"):
        svm.predict(named(X, y, qid, list("vwxyz")))
    np.testing.assert_array_equal(svm.predict(from_arrays(X, y, qid)), svm.predict(data))


def test_a_failed_fit_leaves_nothing_behind():
    X, y, query_ptr = random_arrays(2)
    svm = RankSVM().fit(X, y, qid=row_ids(query_ptr))
    with pytest.raises(DataError, match="nothing to rank by"):
        svm.fit(np.ones((4, 9)), [0, 0, 0, 0], qid=[1, 1, 1, 1])
    with pytest.raises(NotFittedError):
        svm.predict(np.ones((2, 9)))
    assert not hasattr(svm, "coef_")
