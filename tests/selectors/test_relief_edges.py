"""Corners of the data and of the parameters of the Relief family."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import RankFilter, RankSVM, RankWrapper, ReliefF, RReliefF, load, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from tests.reference import relief as reference
from tests.reference.cases import random_arrays, row_ids

FOUR = [RankFilter, ReliefF, RankWrapper, RReliefF]
LEVELS = FOUR[:2]
SCORES = FOUR[2:]

four = pytest.mark.parametrize("selector", FOUR)
scopes = pytest.mark.parametrize("scope", ["query", "all"])


def arrays(seed=0):
    X, y, query_ptr = random_arrays(seed)
    return X, y, row_ids(query_ptr)


@four
@scopes
def test_constant_and_all_missing_features_weigh_nothing(selector, scope):
    X, y, qid = arrays()
    X = np.column_stack([X, np.full(len(X), np.nan)])
    for missing in (0.0, -3.5, "query-minimum"):
        fitted = selector(scope=scope).fit(load((X, y, qid), missing=missing))
        assert fitted.scores_[[4, 5]].tolist() == [0.0, 0.0]
        assert fitted.order_[-2:].tolist() == [4, 5]


@four
def test_missing_values_are_refused_at_the_door(selector):
    X, y, qid = arrays()
    X[3, 2] = np.nan
    with pytest.raises(DataError, match="NaN"):
        selector().fit(X, y, qid=qid)


@scopes
@pytest.mark.parametrize("selector", LEVELS)
def test_with_one_grade_weights_are_minus_the_hits(selector, scope):
    X, y, qid = arrays(1)
    one = selector(scope=scope).fit(X, np.full(len(y), 2), qid=qid)
    assert (one.scores_[:-1] < 0).all()
    expected = reference.rank_filter(
        X,
        np.zeros(len(y)),
        np.append(np.unique(qid, return_index=True)[1], len(y)),
        k=5,
        scope=scope,
        visited=range(len(y)),
    )
    np.testing.assert_allclose(one.scores_, expected, rtol=1e-11, atol=1e-15)


@scopes
@pytest.mark.parametrize("ranker", ["RankSVM", None])
def test_with_one_grade_there_is_nothing_to_learn_for_scores(scope, ranker):
    X, y, qid = arrays(1)
    wrapper = RankWrapper(scope=scope, ranker=ranker).fit(X, np.ones(len(y)), qid=qid)
    assert wrapper.ranker_ is None
    assert not wrapper.scores_.any()
    regression = RReliefF(scope=scope, ranker=ranker).fit(X, np.ones(len(y)), qid=qid)
    assert (regression.scores_[:-1] < 0).all()


@pytest.mark.parametrize("selector", SCORES)
def test_where_all_neighbours_are_as_far_as_can_be_the_zero_denominator_gives_zero(selector):
    X, y, qid = [[0.0], [1.0], [0.2], [0.9]], [0, 1, 0, 1], [1, 1, 2, 2]
    weights = selector(ranker=None).fit(X, y, qid=qid).scores_
    # RReliefF: the mean difference. RankWrapper: each distance is its own median.
    expected = (1.0 + 1.0 + 0.7 + 0.7) / 4 if selector is RReliefF else 0.0
    np.testing.assert_allclose(weights, [expected], rtol=1e-14)


@four
@scopes
def test_more_neighbours_than_there_are_take_all(selector, scope):
    X, y, qid = arrays(2)
    ranker = {} if selector in LEVELS else {"ranker": None}
    many = selector(n_neighbors=len(X), scope=scope, **ranker).fit(X, y, qid=qid)
    endless = selector(n_neighbors=10**12, scope=scope, **ranker).fit(X, y, qid=qid)
    np.testing.assert_allclose(endless.scores_, many.scores_, rtol=1e-12)


@four
@scopes
def test_one_document_alone(selector, scope):
    fitted = selector(scope=scope).fit(from_arrays([[1.0, 2.0]], [1], [1]))
    assert fitted.scores_.tolist() == [0.0, 0.0]


@four
@scopes
def test_all_documents_alike(selector, scope):
    X, y, qid = np.ones((40, 3)), np.arange(40) % 3, np.arange(40) // 8
    ranker = {} if selector in LEVELS else {"ranker": None}
    assert not selector(scope=scope, **ranker).fit(X, y, qid=qid).scores_.any()


@four
def test_values_near_the_largest_number_are_scaled(selector):
    X, y, qid = arrays(3)
    huge = np.where(X > 0.5, 1.5e308, -1.5e308)
    small = np.where(X > 0.5, 1.0, 0.0)
    ranker = {} if selector in LEVELS else {"ranker": None}
    np.testing.assert_array_equal(
        selector(**ranker).fit(huge, y, qid=qid).scores_,
        selector(**ranker).fit(small, y, qid=qid).scores_,
    )


@pytest.mark.parametrize("selector", LEVELS)
def test_real_grades_are_refused_where_levels_are_needed(selector):
    X, y, qid = arrays()
    with pytest.raises(DataError, match=f"{selector.__name__} needs whole grades"):
        selector().fit(X, y + 0.5, qid=qid)


@pytest.mark.parametrize("selector", SCORES)
def test_real_grades_are_scores(selector):
    X, y, qid = arrays()
    rng = np.random.default_rng(0)
    fitted = selector(ranker=None).fit(X, y + rng.random(len(y)), qid=qid)
    assert fitted.ranker_ is None
    assert fitted.scores_[:-1].all()


@four
@pytest.mark.parametrize("n_neighbors", [0, -1, 2.5, "five", None, True])
def test_impossible_neighbours_are_named(selector, n_neighbors):
    X, y, qid = arrays()
    with pytest.raises(ParameterError, match="n_neighbors must be a whole number of at least 1"):
        selector(n_neighbors=n_neighbors).fit(X, y, qid=qid)


@four
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scope": "queries"}, "unknown scope 'queries': did you mean 'query'"),
        ({"scope": None}, "unknown scope None.*'query' or 'all'"),
        ({"metric": "euclid"}, "unknown metric 'euclid': did you mean 'euclidean'"),
        ({"metric": ["manhattan"]}, "unknown metric"),
        ({"n_samples": 0}, "n_samples=0 must be between 1 and the number of documents"),
        ({"n_samples": 10**6}, "n_samples=1000000 must be between 1 and .*None visits all"),
        ({"n_samples": 1.5}, "n_samples must be a whole number of documents, a share"),
        ({"n_samples": "half"}, "n_samples must be a whole number of documents, a share"),
        ({"n_samples": True}, "n_samples must be a whole number of documents, a share"),
        ({"random_state": -1}, "random_state must be a whole number of at least 0"),
        ({"random_state": "x"}, "random_state must be a whole number of at least 0"),
        ({"n_features_to_select": 6}, "n_features_to_select=6 must be between 1 and .* 5"),
    ],
)
def test_impossible_parameters_are_named(selector, options, message):
    X, y, qid = arrays()
    with pytest.raises(ParameterError, match=message):
        selector(**options).fit(X, y, qid=qid)


@pytest.mark.parametrize("selector", SCORES)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sigma": 0}, "sigma must be a number above 0"),
        ({"ranker": "RankSVN"}, "unknown ranker 'RankSVN': did you mean 'RankSVM'"),
        ({"ranker": 3}, "ranker must be text such as"),
        ({"ranker": RankSVM}, "ranker must be text such as"),
    ],
)
def test_impossible_scores_are_named(selector, options, message):
    X, y, qid = arrays()
    with pytest.raises(ParameterError, match=message):
        selector(**options).fit(X, y, qid=qid)


class _Infinite(RankSVM):
    def predict(self, X):
        return super().predict(X) * np.inf


@pytest.mark.filterwarnings("ignore:invalid value")
def test_scores_that_are_not_finite_are_named():
    data, _ = make_ranking(5)
    with pytest.raises(DataError, match="gave scores that are not finite"):
        RankWrapper(ranker=_Infinite()).fit(data)


def test_a_ranker_object_is_copied_before_it_is_fitted():
    data, _ = make_ranking(20)
    ranker = RankSVM(C=0.01)
    fitted = RankWrapper(ranker=ranker).fit(data)
    assert not hasattr(ranker, "coef_")
    assert fitted.ranker_.C == 0.01
    assert fitted.ranker_.coef_.shape == (data.n_features,)
    by_text = RankWrapper(ranker="RankSVM(C=0.01)").fit(data)
    np.testing.assert_array_equal(by_text.scores_, fitted.scores_)


def test_a_small_sigma_looks_at_the_nearest_alone():
    X, y, qid = arrays(4)
    X[:, 0] = np.random.default_rng(4).normal(size=len(X))  # no two distances are equal
    nearest = RReliefF(n_neighbors=1, ranker=None).fit(X, y, qid=qid)
    for sigma in (1e-3, 1e-300):
        peaked = RReliefF(n_neighbors=5, sigma=sigma, ranker=None).fit(X, y, qid=qid)
        np.testing.assert_allclose(peaked.scores_, nearest.scores_, rtol=1e-12)


@pytest.mark.parametrize("selector", [RankFilter, ReliefF])
def test_more_levels_than_can_be_compared_are_refused_with_a_way_out(selector):
    n = 400
    X = np.random.default_rng(0).random((n, 2))
    with pytest.raises(DataError, match=r"400 different grades are too many.*RReliefF"):
        selector().fit(X, np.arange(n), qid=np.arange(n) // 20)


def test_the_smallest_share_visits_one_document():
    data, _ = make_ranking(10, 8, random_state=0)
    assert np.isfinite(RankFilter(n_samples=1e-11).fit(data).scores_).all()
