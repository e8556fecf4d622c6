"""What features add to scores: sums, a closed form, and Shapley's definition."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import (
    CatBoostRanker,
    LightGBMRanker,
    PointwiseRanker,
    RankBoost,
    RankSVM,
    XGBoostRanker,
    make_ranking,
)
from ranksieve.data import scale
from ranksieve.errors import ParameterError
from ranksieve.rankers import load_ranker
from tests.reference.shap import lightgbm_nodes, shapley, xgboost_nodes

TREES = [
    LightGBMRanker(12, num_leaves=6),
    XGBoostRanker(12, max_depth=3),
    CatBoostRanker(12, depth=3),
]


def some(seed, n_features=5):
    return make_ranking(
        25, 8, n_relevant=2, n_redundant=1, n_irrelevant=n_features - 3, random_state=seed
    )[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "ranker",
    [*TREES, RankSVM(C=0.1), PointwiseRanker("Ridge")],
    ids=lambda ranker: type(ranker).__name__,
)
def test_contributions_of_a_document_and_the_base_sum_to_its_score(ranker, seed):
    data = some(seed)
    model = ranker.fit(data)
    contributions = model.contributions(data)
    assert contributions.shape == (data.n_documents, data.n_features + 1)
    assert np.ptp(contributions[:, -1]) == 0.0  # one base for all
    np.testing.assert_allclose(contributions.sum(axis=1), model.predict(data), atol=2e-6)
    np.testing.assert_array_equal(model.contributions(data.X), contributions)


@pytest.mark.parametrize("seed", range(3))
def test_a_linear_contribution_is_the_weight_times_the_distance_from_the_mean(seed):
    data = some(seed)
    model = RankSVM(C=0.1).fit(data)
    X = data.X.astype(np.float64)
    expected = model.coef_ * (X - X.mean(axis=0))
    np.testing.assert_allclose(model.contributions(data)[:, :-1], expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_tree_contributions_are_shapley_values_by_their_definition(seed):
    data = some(seed, n_features=4)
    light = LightGBMRanker(4, num_leaves=6).fit(data)
    extreme = XGBoostRanker(4, max_depth=3).fit(data)
    nodes = [lightgbm_nodes(light.booster_), xgboost_nodes(extreme.booster_)]
    for model, trees in zip((light, extreme), nodes, strict=True):
        assert len(trees) == 4
        assert any("feature" in node for tree in trees for node in tree.get("children", ()))
        contributions = model.contributions(data)
        for row in range(0, data.n_documents, 29):
            x = data.X[row].astype(np.float32)
            np.testing.assert_allclose(contributions[row], shapley(trees, x), atol=1e-5)


def test_a_feature_that_a_model_does_not_use_adds_nothing():
    data = some(0)
    for ranker in TREES:
        X = np.column_stack([data.X, np.zeros(data.n_documents)])
        model = ranker.fit(X, data.y, qid=data.qid)
        assert (model.contributions(X)[:, data.n_features] == 0).all()


def test_a_constant_shift_of_a_feature_leaves_linear_contributions_alone():
    data = some(1)
    model = RankSVM(C=0.1).fit(data)
    shifted = data.X + np.array([3.0, 0, 0, 0, 0])
    moved = model.contributions(shifted)
    np.testing.assert_allclose(moved[:, :-1], model.contributions(data)[:, :-1], atol=1e-6)


def test_models_of_scaled_data_explain_raw_data_alike_and_so_do_models_from_files(tmp_path):
    raw = some(2)
    data = scale(raw, "minmax")
    for ranker in (LightGBMRanker(5, num_leaves=4), RankSVM(C=0.1)):
        model = ranker.fit(data)
        expected = model.contributions(data)
        np.testing.assert_array_equal(model.contributions(raw), expected)
        model.save(tmp_path / "model")
        loaded = load_ranker(tmp_path / "model")
        np.testing.assert_allclose(loaded.contributions(raw), expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore::ranksieve.errors.ConvergenceWarning")
@pytest.mark.parametrize("ranker", [LightGBMRanker(3, min_leaf_documents=500), CatBoostRanker(1)])
def test_trees_without_a_split_have_a_base_alone(ranker):
    X = np.zeros((8, 2))
    X[:, 0] = [0, 1, 0, 1, 0, 1, 0, 1]
    model = ranker.fit(X, [0, 0, 1, 1, 0, 0, 1, 1], qid=[1, 1, 1, 1, 2, 2, 2, 2])
    contributions = model.contributions(X)
    np.testing.assert_allclose(contributions.sum(axis=1), model.predict(X), atol=1e-9)
    assert (contributions[:, 1] == 0).all()


def test_rankers_without_contributions_say_who_has_them():
    model = RankBoost(3).fit(some(0))
    with pytest.raises(ParameterError, match=r"RankBoost does not say.*LightGBMRanker"):
        model.contributions(some(0))
