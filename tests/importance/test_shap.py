"""SHAP importance: a closed form, laws, and what uses it."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import (
    GAS,
    CatBoostRanker,
    LightGBMRanker,
    RankRFE,
    RankSVM,
    TopK,
    XGBoostRanker,
    make_ranking,
)
from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
from ranksieve.importance import ShapImportance, as_importance
from ranksieve.importance.shap import mean_sizes

RANKERS = [LightGBMRanker(15), XGBoostRanker(15, max_depth=3), CatBoostRanker(15, depth=3)]


def some(seed, n_irrelevant=5):
    return make_ranking(
        50, 10, n_relevant=2, n_redundant=0, n_irrelevant=n_irrelevant, random_state=seed
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_linear_score_is_the_weight_times_the_mean_distance_from_the_query_mean(seed):
    data, _ = some(seed)
    weights = RankSVM(C=0.1).fit(data).coef_
    distances = np.zeros(data.n_features)
    for q in range(data.n_queries):
        X = data.X[data.query_ptr[q] : data.query_ptr[q + 1]].astype(np.float64)
        distances += np.abs(X - X.mean(axis=0)).sum(axis=0)
    expected = np.abs(weights) * distances / data.n_documents
    scores = ShapImportance("RankSVM(C=0.1)").scores(data)
    np.testing.assert_allclose(scores, expected, rtol=1e-3)


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_scores_are_the_mean_sizes_of_what_features_add(ranker):
    data, truth = some(0)
    scores = ShapImportance(ranker).scores(data)
    assert sorted(np.argsort(scores)[-2:].tolist()) == truth.relevant.tolist()
    assert (scores >= 0).all()
    plain = ShapImportance(ranker, within_queries=False).scores(data)
    # The mean of a query is the nearest number to its values in squares: not far from it.
    assert (scores <= 2 * plain + 1e-12).all()


def test_units_of_a_feature_do_not_matter_to_trees():
    data, _ = some(1)
    factors = np.array([1e-3, 1.0, 2.0, 64.0, 1e4, 1.0, 8.0])
    expected = ShapImportance("LightGBMRanker(15)").scores(data)
    scaled = from_arrays(data.X.astype(np.float64) * factors, data.y, data.qid)
    scores = ShapImportance("LightGBMRanker(15)").scores(scaled)
    assert sorted(np.argsort(scores)[-2:]) == sorted(np.argsort(expected)[-2:])


def test_a_lift_of_all_documents_of_a_query_counts_only_without_the_query_mean():
    values = np.array([[5.0], [5.0], [-2.0], [0.0]])
    query_ptr = np.array([0, 2, 4])
    assert mean_sizes(values, query_ptr).tolist() == [(0 + 0 + 1 + 1) / 4]
    assert mean_sizes(values, query_ptr, within_queries=False).tolist() == [(5 + 5 + 2 + 0) / 4]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
@pytest.mark.parametrize("importance", ["shap", "permutation"])
def test_elimination_by_shap_and_by_permutation_works_for_each_library(ranker, importance):
    data, truth = some(2, n_irrelevant=3)
    rfe = RankRFE(ranker, n_features_to_select=2, step=0.4, importance=importance).fit(data)
    assert rfe.get_support(indices=True).tolist() == truth.relevant.tolist()
    assert type(rfe.estimator_) is type(ranker)
    assert rfe.n_fits_ == 1
    assert rfe.predict(data).shape == (data.n_documents,)


def test_selectors_take_it_by_name():
    data, truth = some(3)
    for selector in (TopK("shap"), GAS(importance="shap(ranker='RankSVM(C=0.1)')", balance=0.001)):
        best = selector.set_params(n_features_to_select=2).fit(data)
        assert best.get_support(indices=True).tolist() == truth.relevant.tolist()
    spelled = as_importance("shap(ranker='RankSVM(C=0.1)', within_queries=False)")
    assert repr(spelled) == "ShapImportance(ranker='RankSVM(C=0.1)', within_queries=False)"


def test_a_copy_shares_what_a_linear_model_makes_of_the_feature():
    data, _ = some(4)
    doubled = from_arrays(np.column_stack([data.X, data.X[:, 0]]), data.y, data.qid)
    scores = ShapImportance("RankSVM(C=0.1)").scores(doubled)
    assert scores[-1] == pytest.approx(scores[0], rel=1e-2)


def test_noise_beside_strong_features_is_rarely_better_than_random():
    better = total = 0
    for seed in range(6):
        data, truth = some(seed, n_irrelevant=12)
        taken = ShapImportance("LightGBMRanker(15)").better_than_random(data)
        assert taken[truth.relevant].all()
        better, total = better + int(taken[truth.irrelevant].sum()), total + 12
    # 5 per cent of 72 with three standard deviations.
    assert better <= 0.05 * total + 3 * np.sqrt(0.05 * 0.95 * total)


def test_wrong_rankers_and_parameters_are_named():
    data, _ = some(0)
    with pytest.raises(ParameterError, match="contributions"):
        ShapImportance("RankNet()").scores(data)
    with pytest.raises(ParameterError, match="ranker must be a ranker"):
        ShapImportance(3).scores(data)
    with pytest.raises(ParameterError, match="within_queries"):
        ShapImportance(within_queries="yes").scores(data)
    with pytest.raises(ParameterError, match="n_folds"):
        ShapImportance(n_folds=1).scores(data)
    with pytest.raises(ParameterError, match="needs a ranker of ranksieve"):
        RankRFE(Outside(), importance="shap", n_features_to_select=2).fit(data)


class Outside:
    """An estimator in scikit-learn's manner, from outside."""

    def fit(self, X, y, qid=None):
        return self

    def predict(self, X):
        return np.zeros(len(X))
