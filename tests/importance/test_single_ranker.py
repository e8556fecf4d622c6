"""What a ranker makes of one feature: laws, a slow reference, planted features, the corners."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ranksieve import NDCG, RankSVM, TopK, make_ranking
from ranksieve.data import from_arrays
from ranksieve.data.canonical import in_own_order
from ranksieve.errors import DataError, ParameterError
from ranksieve.importance import MeasureImportance, SingleRankerImportance, as_importance
from ranksieve.importance._rankers import folds_of
from ranksieve.threads import threads
from tests.reference.cases import in_blocks, row_ids
from tests.reference.measures import ndcg_with_ties

FEW_TREES = "LightGBMRanker(5, num_leaves=4)"


class Nearest:
    """A ranker that scores by the grade of the nearest value that it has seen."""

    def fit(self, data):
        self.values, self.grades = data.X[:, 0].copy(), data.y.copy()
        return self

    def predict(self, data):
        nearest = np.abs(data.X[:, [0]] - self.values).argmin(axis=1)
        return self.grades[nearest]


class Wrong:
    """A ranker whose scores are no numbers."""

    def fit(self, data):
        return self

    def predict(self, data):
        return np.full(data.n_documents, np.nan)


def graded(seed, n_queries=20, n_documents=8):
    """A good feature, its mirror image, one whose middle is best, noise, and a constant."""
    rng = np.random.default_rng(seed)
    query_ptr = np.arange(n_queries + 1) * n_documents
    y = rng.integers(0, 3, size=query_ptr[-1]).astype(float)
    good = y + rng.normal(size=len(y))
    middle = np.where(rng.random(len(y)) < 0.5, -1.0, 1.0) * (3.0 - y + 0.3 * rng.random(len(y)))
    X = np.column_stack([good, -good, middle, rng.normal(size=len(y)), np.ones(len(y))])
    return X, y, query_ptr


def of(X, y, query_ptr):
    return from_arrays(X, y, row_ids(query_ptr))


def slow_scores(data, n_folds, k=10):
    """Mean NDCG of the nearest value's grade less that of a constant, query by query."""
    scores = []
    for feature in range(data.n_features):
        alone, _ = in_own_order(data.features([feature]).gathered())
        ends = list(zip(alone.query_ptr[:-1], alone.query_ptr[1:], strict=True))
        x, y = alone.X[:, 0], alone.y
        counting = np.array([len(set(y[a:b])) > 1 for a, b in ends])
        folds = folds_of(counting, n_folds, 0) if n_folds else None
        gains = []
        for query in np.flatnonzero(counting):
            seen = [
                row
                for other, (a, b) in enumerate(ends)
                if folds is None or folds[other] != folds[query]
                for row in range(a, b)
            ]
            a, b = ends[query]
            ranked = [y[min(seen, key=lambda row: abs(x[row] - x[i]))] for i in range(a, b)]
            if len(set(x)) == 1:
                ranked = [0.0] * (b - a)
            gains.append(
                ndcg_with_ties(y[a:b], ranked, k) - ndcg_with_ties(y[a:b], [0.0] * (b - a), k)
            )
        scores.append(np.mean(gains))
    return scores


@pytest.mark.parametrize("n_folds", [None, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_scores_are_those_of_a_loop_over_features_folds_and_queries(seed, n_folds):
    X, y, query_ptr = graded(seed)
    y[:8] = 1.0  # a query that no order changes
    data = of(X, y, query_ptr)
    scores = SingleRankerImportance(Nearest(), n_folds=n_folds).scores(data)
    np.testing.assert_allclose(scores, slow_scores(data, n_folds), atol=1e-13)


def test_of_a_straight_line_it_is_the_measure_of_the_feature_above_that_of_a_constant():
    X, y, query_ptr = graded(3)
    data = of(X[:, [0, 1, 4]], y, query_ptr)
    by_measure = MeasureImportance("ndcg@10").scores(data)
    scores = SingleRankerImportance("RankSVM(C=1.0)").scores(data)
    np.testing.assert_allclose(scores, by_measure - by_measure[2], atol=1e-12)


def test_queries_are_judged_by_rankers_that_have_not_seen_them():
    X, y, query_ptr = graded(1)
    noise = of(X[:, [3]], y, query_ptr)
    by_heart = SingleRankerImportance(Nearest(), n_folds=None)
    assert by_heart.scores(noise)[0] > 0.2  # every document is its own nearest one
    assert abs(SingleRankerImportance(Nearest()).scores(noise)[0]) < 0.1
    assert not by_heart.better_than_random(noise).any()  # the test has folds all the same


@pytest.mark.parametrize("seed", range(2))
def test_trees_see_that_middle_values_are_best_and_ranking_by_the_feature_does_not(seed):
    pytest.importorskip("lightgbm")
    X, y, query_ptr = graded(seed, n_queries=40)
    data = of(X, y, query_ptr)
    rating = SingleRankerImportance().rating(data)
    assert rating.scores[2] > max(rating.scores[0], 0.2)
    assert rating.better_than_random.tolist() == [True, True, True, False, False]
    assert not MeasureImportance("ndcg@10").better_than_random(data)[2]


@pytest.mark.parametrize("ranker", [None, FEW_TREES])
def test_rows_queries_columns_blocks_and_threads_decide_nothing(ranker):
    pytest.importorskip("lightgbm")
    X, y, query_ptr = graded(2)
    X[:, 0] = np.round(X[:, 0])  # ties
    importance = SingleRankerImportance(ranker)
    straight = importance.scores(of(X, y, query_ptr))
    rng = np.random.default_rng(0)
    qid = row_ids(query_ptr)
    rows = np.concatenate([rng.permutation(np.flatnonzero(qid == q)) for q in rng.permutation(20)])
    moved = importance.scores(from_arrays(X[rows][:, ::-1], y[rows], qid[rows]))
    np.testing.assert_allclose(moved[::-1], straight, rtol=1e-12)
    with threads(1):
        in_parts = importance.scores(in_blocks(X, y, query_ptr, [3, 9]))
    np.testing.assert_allclose(in_parts, straight, rtol=1e-12)
    alone = importance.scores(of(X[:, [3]], y, query_ptr))
    np.testing.assert_allclose(alone, straight[[3]], rtol=1e-12)


def test_a_value_in_one_document_scores_nothing_and_warns_of_nothing():
    pytest.importorskip("lightgbm")
    _, y, query_ptr = graded(0)
    rare = np.zeros((len(y), 1))
    rare[np.argmax(y)] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rating = SingleRankerImportance(FEW_TREES).rating(of(rare, y, query_ptr))
    assert rating.scores.tolist() == [0.0]
    assert not rating.better_than_random.any()


def test_a_constant_feature_is_never_given_to_the_ranker():
    _, y, query_ptr = graded(0)
    constant = of(np.repeat(np.arange(20.0), 8)[:, None], y, query_ptr)
    assert SingleRankerImportance(Wrong()).scores(constant).tolist() == [0.0]


def test_it_selects_and_goes_by_its_text():
    data, truth = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=3, random_state=0)
    text = "single-ranker('RankSVM(C=0.1)', 'ndcg@5', n_folds=3)"
    assert as_importance(text) == SingleRankerImportance("RankSVM(C=0.1)", "ndcg@5", n_folds=3)
    assert as_importance(repr(as_importance(text))) == as_importance(text)
    assert repr(SingleRankerImportance()) == "SingleRankerImportance()"
    chosen = TopK(text, n_features_to_select=2).fit(data).get_support(indices=True)
    assert chosen.tolist() == truth.relevant.tolist()
    by_object = SingleRankerImportance(RankSVM(C=0.1), NDCG(5), n_folds=3)
    np.testing.assert_array_equal(by_object.scores(data), as_importance(text).scores(data))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_folds": 1}, "n_folds"),
        ({"random_state": -1}, "random_state"),
        ({"ranker": RankSVM}, "ranker must be a ranker such as LightGBMRanker"),
        ({"ranker": 7}, "its text form, or None, but is 7"),
        ({"ranker": "GAS"}, "GAS selects features and does not rank documents"),
        ({"measure": "ndgc@10"}, "did you mean"),
    ],
)
def test_wrong_parameters_are_refused_before_any_training(parameters, message):
    with pytest.raises(ParameterError, match=message):
        SingleRankerImportance(**parameters).scores(of(*graded(0)))


def test_scores_that_are_no_numbers_are_refused_with_the_ranker():
    with pytest.raises(
        DataError, match=r"Wrong.* must give one finite score per document, 80 here"
    ):
        SingleRankerImportance(Wrong()).scores(of(*graded(0)))
