"""What Vespa's importers and its evaluator of expressions do."""

import json

import numpy as np
import pytest

from tests.engines.engine import EngineError
from tests.engines.models import (
    above,
    below,
    column,
    lightgbm_model,
    lightgbm_split,
    xgboost_split,
)

THRESHOLDS = [0.5, 0.1, 0.0, 1e-7, -3.25, 3e38, 1e-45]


@pytest.mark.parametrize("missing", ["yes", "no"])
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_an_xgboost_split_is_rounded_to_float32_and_equality_goes_right(
    engines, threshold, missing
):
    model = json.dumps([xgboost_split(threshold, missing=missing)])
    X = column(below(threshold), np.float32(threshold), above(threshold))
    assert engines.scores("vespa/xgboost", model, ["a"], X).tolist() == [1, 2, 2]


def test_values_are_compared_as_doubles(engines):
    model = json.dumps([xgboost_split(0.1)])
    # 0.1 is below the float32 nearest to it.
    assert engines.scores("vespa/xgboost", model, ["a"], column(0.1)).tolist() == [1]


@pytest.mark.parametrize(("missing", "score"), [("yes", 1), ("no", 2)])
def test_a_missing_value_goes_where_xgboost_sends_it(engines, missing, score):
    for threshold in (-0.5, 0.5):
        model = json.dumps([xgboost_split(threshold, missing=missing)])
        assert engines.scores("vespa/xgboost", model, ["a"], column(np.nan)) == score


def test_an_xgboost_model_is_an_array_of_trees_without_other_keys(engines):
    with_keys = {"splits": [xgboost_split(0.5)], "base_score": 0.5}
    for model in (with_keys, [xgboost_split(0.5, gain=1.0)], [xgboost_split(0.5, cover=1.0)]):
        with pytest.raises(EngineError):
            engines.scores("vespa/xgboost", json.dumps(model), ["a"], column(0))


def test_a_tree_of_xgboost_may_be_a_single_leaf(engines):
    model = json.dumps([{"nodeid": 0, "leaf": 0.25}, xgboost_split(0.5)])
    assert engines.scores("vespa/xgboost", model, ["a"], column(0, 1)).tolist() == [1.25, 2.25]


@pytest.mark.parametrize("default_left", [True, False])
@pytest.mark.parametrize("threshold", [*THRESHOLDS, 0.30000000000000004])
def test_a_lightgbm_split_sends_equality_right_unlike_lightgbm(engines, threshold, default_left):
    model = lightgbm_split(threshold, default_left=default_left)
    X = column(np.nextafter(threshold, -np.inf), threshold, np.nextafter(threshold, np.inf))
    assert engines.scores("vespa/lightgbm", model, ["a"], X).tolist() == [1, 2, 2]
    # The next double above restores LightGBM's rule.
    model = lightgbm_split(np.nextafter(threshold, np.inf), default_left=default_left)
    assert engines.scores("vespa/lightgbm", model, ["a"], X).tolist() == [1, 1, 2]


@pytest.mark.parametrize("missing_type", ["None", "Zero", "NaN"])
@pytest.mark.parametrize("default_left", [True, False])
def test_lightgbms_kind_of_missing_is_ignored(engines, missing_type, default_left):
    for threshold in (-0.5, 0.5):
        model = lightgbm_split(threshold, default_left=default_left, missing_type=missing_type)
        scores = engines.scores("vespa/lightgbm", model, ["a"], column(np.nan, 0))
        assert scores.tolist() == [1 if default_left else 2, 1 if threshold > 0 else 2]


def test_a_tree_of_lightgbm_may_be_a_single_leaf_and_other_keys_are_ignored(engines):
    model = lightgbm_model({"leaf_value": 0.25}, {"leaf_value": 1.0, "leaf_weight": 3})
    assert engines.scores("vespa/lightgbm", model, ["a"], column(0)).tolist() == [1.25]


@pytest.mark.parametrize("key", ["objective", "feature_names", "tree_info", "pandas_categorical"])
def test_a_lightgbm_model_needs_its_keys(engines, key):
    model = json.loads(lightgbm_split(0.5, default_left=True))
    del model[key]
    with pytest.raises(EngineError):
        engines.scores("vespa/lightgbm", json.dumps(model), ["a"], column(0))


def test_objectives_of_lightgbm_that_change_the_sum(engines):
    for objective, change in (
        ("lambdarank", lambda x: x),
        ("rank_xendcg", lambda x: x),
        ("regression", lambda x: x),
        ("binary sigmoid:1", lambda x: 1 / (1 + np.exp(-x))),
        ("poisson", np.exp),
    ):
        model = lightgbm_model({"leaf_value": 0.25}, objective=objective)
        assert engines.scores("vespa/lightgbm", model, ["a"], column(0)) == pytest.approx(
            change(0.25)
        )


@pytest.mark.parametrize("kind", ["lightgbm", "xgboost"])
def test_leaves_are_summed_in_double(engines, kind):
    leaves = [1e8, 1.0, -1e8, 0.1]
    model = (
        lightgbm_model(*({"leaf_value": leaf} for leaf in leaves))
        if kind == "lightgbm"
        else json.dumps([{"nodeid": 0, "leaf": leaf} for leaf in leaves])
    )
    assert engines.scores(f"vespa/{kind}", model, ["a"], column(0)) == pytest.approx(1.1, abs=1e-7)


def test_an_expression_is_evaluated_in_double_and_a_missing_value_spoils_it(engines):
    X = np.array([[1.0, 2.0], [0.1, -3.0], [np.nan, 1.0]])
    scores = engines.scores("vespa/expression", "1e-7 + 0.5 * a + -2.0 * b", ["a", "b"], X)
    assert scores[:2].tolist() == pytest.approx((1e-7 + X[:2] @ [0.5, -2]).tolist(), rel=1e-15)
    assert np.isnan(scores[2])
    expression = "0.5 * if (isNan(a) == 1, 0, a) - 2.0 * b"
    assert engines.scores("vespa/expression", expression, ["a", "b"], X)[2] == -2


def test_names_of_rank_features_are_used_as_they_are(engines):
    model = json.dumps([xgboost_split(0.5, split="fieldMatch(title)")])
    scores = engines.scores("vespa/xgboost", model, ["fieldMatch(title)"], column(0, 1))
    assert scores.tolist() == [1, 2]
