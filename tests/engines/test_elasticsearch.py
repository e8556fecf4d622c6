"""What the plugins of Elasticsearch and OpenSearch do with a model, by version."""

import json

import numpy as np
import pytest

from tests.engines.engine import EngineError
from tests.engines.models import above, below, column, xgboost_split

NOW = ["elasticsearch", "opensearch-2.19", "opensearch-3.2", "opensearch-3.8"]
THRESHOLDS = [0.5, 0.1, 0.0, 1e-7, -3.25, 3e38, 1e-45]


@pytest.mark.parametrize("engine", NOW)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_a_value_goes_left_where_the_float32_threshold_is_above_it(engines, engine, threshold):
    model = json.dumps([xgboost_split(threshold)])
    X = column(below(threshold), np.float32(threshold), above(threshold))
    assert engines.scores(f"{engine}/xgboost+json", model, ["a"], X).tolist() == [1, 2, 2]


def test_a_double_value_is_rounded_to_float32_before_it_is_compared(engines):
    model = json.dumps([xgboost_split(0.1)])
    X = column(0.1, np.nextafter(0.1, 0))
    assert engines.scores("elasticsearch/xgboost+json", model, ["a"], X).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        # One split for each direction at 0.5 and at -0.5: as 0 a missing value goes left and right.
        ("elasticsearch", [1, 2, 1, 2]),
        ("elasticsearch-8.9.2", [1, 1, 2, 2]),
        ("elasticsearch-8.11.4", [1, 2, 1, 2]),
        ("opensearch-2.19", [1, 1, 2, 2]),
        ("opensearch-3.1", [1, 1, 2, 2]),
        ("opensearch-3.2", [2, 2, 2, 2]),
        ("opensearch-3.7", [2, 2, 2, 2]),
        ("opensearch-3.8", [1, 2, 1, 2]),
    ],
)
def test_a_missing_value_goes_where_the_version_sends_it(engines, engine, expected):
    splits = [
        xgboost_split(threshold, missing=side)
        for threshold in (0.5, -0.5)
        for side in ("yes", "no")
    ]
    directions = [
        engines.scores(f"{engine}/xgboost+json", json.dumps([split]), ["a"], column(np.nan))[0]
        for split in splits
    ]
    assert directions == expected


def test_elasticsearch_refuses_a_split_that_does_not_say_where_missing_values_go(engines):
    split = xgboost_split(0.5)
    del split["missing"]
    model = json.dumps([split])
    with pytest.raises(EngineError, match="missing"):
        engines.scores("elasticsearch/xgboost+json", model, ["a"], column(0))
    for engine in ("opensearch-3.7", "opensearch-3.8"):
        scores = engines.scores(f"{engine}/xgboost+json", model, ["a"], column(0, np.nan))
        assert scores.tolist() == [1, 2]


def test_opensearch_from_3_8_refuses_a_direction_that_is_no_child(engines):
    model = json.dumps([{**xgboost_split(0.5), "missing": 7}])
    with pytest.raises(EngineError, match="structure is invalid"):
        engines.scores("opensearch-3.8/xgboost+json", model, ["a"], column(0))
    assert engines.scores("opensearch-3.7/xgboost+json", model, ["a"], column(0)).tolist() == [1]


@pytest.mark.parametrize("engine", NOW)
@pytest.mark.parametrize("key", ["nodeid", "depth", "split", "split_condition", "yes", "no"])
def test_a_split_without_a_required_key_is_refused(engines, engine, key):
    split = xgboost_split(0.5)
    del split[key]
    with pytest.raises(EngineError, match="required fields"):
        engines.scores(f"{engine}/xgboost+json", json.dumps([split]), ["a"], column(0))


@pytest.mark.parametrize("engine", NOW)
def test_unknown_keys_are_refused_in_nodes_and_around_trees(engines, engine):
    for model in (
        [xgboost_split(0.5, gain=3.0)],
        [xgboost_split(0.5, cover=3.0)],
        {"splits": [xgboost_split(0.5)], "base_score": 0.5},
        {"splits": [xgboost_split(0.5)], "learner": {}},
    ):
        with pytest.raises(EngineError, match="unknown field"):
            engines.scores(f"{engine}/xgboost+json", json.dumps(model), ["a"], column(0))


@pytest.mark.parametrize("engine", NOW)
def test_children_must_be_in_the_order_yes_no(engines, engine):
    split = xgboost_split(0.5)
    split["children"].reverse()
    with pytest.raises(EngineError, match="structure is invalid"):
        engines.scores(f"{engine}/xgboost+json", json.dumps([split]), ["a"], column(0))


@pytest.mark.parametrize("engine", NOW)
def test_an_unknown_feature_and_no_trees_are_refused(engines, engine):
    with pytest.raises(EngineError, match=r"Unknown feature \[b\]"):
        engines.scores(
            f"{engine}/xgboost+json", json.dumps([xgboost_split(0.5, split="b")]), ["a"], column(0)
        )
    with pytest.raises(EngineError, match="at least one tree"):
        engines.scores(f"{engine}/xgboost+json", "[]", ["a"], column(0))


@pytest.mark.parametrize("engine", NOW)
def test_a_tree_may_be_a_single_leaf_without_a_depth(engines, engine):
    model = json.dumps([{"nodeid": 0, "leaf": 0.25}, xgboost_split(0.5)])
    scores = engines.scores(f"{engine}/xgboost+json", model, ["a"], column(0, 1))
    assert scores.tolist() == [1.25, 2.25]


@pytest.mark.parametrize(
    ("objective", "refused_by"),
    [
        ("rank:pairwise", []),
        ("reg:linear", []),
        ("binary:logitraw", []),
        ("rank:ndcg", ["elasticsearch-8.9.2", "opensearch-2.19", "opensearch-3.1"]),
        ("rank:map", ["elasticsearch-8.9.2", "opensearch-2.19", "opensearch-3.1"]),
    ],
)
def test_objectives_that_leave_the_sum_as_it_is(engines, objective, refused_by):
    model = json.dumps({"objective": objective, "splits": [xgboost_split(0.5)]})
    for engine in ("elasticsearch-8.9.2", "opensearch-3.1", *NOW):
        if engine in refused_by:
            with pytest.raises(EngineError, match="not a valid XGBoost objective"):
                engines.scores(f"{engine}/xgboost+json", model, ["a"], column(0))
        else:
            assert engines.scores(f"{engine}/xgboost+json", model, ["a"], column(0)) == 1


@pytest.mark.parametrize("engine", NOW)
def test_the_objective_of_squared_errors_is_refused_and_logistic_ones_squash(engines, engine):
    for objective in ("reg:squarederror", "rank:unbiased"):
        model = json.dumps({"objective": objective, "splits": [xgboost_split(0.5)]})
        with pytest.raises(EngineError, match="not a valid XGBoost objective"):
            engines.scores(f"{engine}/xgboost+json", model, ["a"], column(0))
    model = json.dumps({"objective": "binary:logistic", "splits": [xgboost_split(0.5)]})
    score = engines.scores(f"{engine}/xgboost+json", model, ["a"], column(0))
    assert score == pytest.approx(1 / (1 + np.exp(-1)), rel=1e-7)


@pytest.mark.parametrize("engine", NOW)
def test_leaves_are_summed_in_float32_in_the_order_of_trees(engines, engine):
    leaves = [1e8, 1.0, -1e8, 0.1]
    model = json.dumps([{"nodeid": 0, "leaf": leaf} for leaf in leaves])
    total = np.float32(0)
    for leaf in leaves:
        total += np.float32(leaf)
    scores = engines.scores(f"{engine}/xgboost+json", model, ["a"], column(0))
    assert scores.astype(np.float32) == total
    assert abs(total - sum(leaves)) > 0.5


@pytest.mark.parametrize("engine", NOW)
def test_a_linear_model_is_a_float32_sum_in_the_order_of_the_set(engines, engine):
    names, weights = ["a", "b", "c"], {"c": 1, "a": 1e8, "b": -1e8}
    X = np.array([[1, 1, 0.1], [1, np.nan, 3], [np.nan, np.nan, np.nan], [0.1, 0, 0]])
    total = np.float32(0.1) * np.float32(1e8)
    scores = engines.scores(f"{engine}/linear", json.dumps(weights), names, X)
    assert scores == pytest.approx([np.float32(0.1), np.float32(1e8 + 3), 0, total], rel=1e-7)


@pytest.mark.parametrize("engine", NOW)
def test_a_linear_model_may_leave_features_out_and_has_no_intercept(engines, engine):
    scores = engines.scores(f"{engine}/linear", '{"b": 2}', ["a", "b"], np.array([[5.0, 1.5]]))
    assert scores.tolist() == [3]
    assert engines.scores(f"{engine}/linear", "{}", ["a"], column(5)).tolist() == [0]
    for model, message in (('{"bias": 1.0}', "unknown"), ('{"a": "1.0"}', "must be a number")):
        with pytest.raises(EngineError, match=message):
            engines.scores(f"{engine}/linear", model, ["a"], column(5))


@pytest.mark.parametrize("engine", NOW)
def test_an_upload_has_normalizers_that_run_before_the_model(engines, engine):
    norms = {
        "a": {"standard": {"mean": 2.0, "standard_deviation": 4.0}},
        "b": {"min_max": {"minimum": 1.0, "maximum": 3.0}},
    }
    model = {"type": "model/linear", "definition": {"a": 1.0, "b": 10.0}}
    upload = {"model": {"name": "m", "model": {**model, "feature_normalizers": norms}}}
    # A missing value is 0 before it is normalized: (0 - 2) / 4 and (0 - 1) / 2.
    X = np.array([[4.0, 2.0], [np.nan, np.nan]])
    scores = engines.scores(engine, json.dumps(upload), ["a", "b"], X)
    assert scores.tolist() == [0.5 + 5, -0.5 - 5]


def test_trees_of_xgboost_score_as_in_xgboost_without_its_base_score(engines):
    """Our walk of trees beside the library whose dumps the plugins read, with missing values."""
    xgboost = pytest.importorskip("xgboost")
    generator = np.random.default_rng(7)
    X = generator.normal(size=(300, 4)).astype(np.float32)
    X[generator.random(X.shape) < 0.3] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.where(np.isnan(X[:, 1]), 1, X[:, 2] > 0)
    names = ["a", "b", "c", "d"]
    data = xgboost.DMatrix(X, y, feature_names=names)
    parameters = {"max_depth": 4, "base_score": 0.25, "nthread": 1}
    booster = xgboost.train(parameters, data, num_boost_round=15)
    trees = [json.loads(tree) for tree in booster.get_dump(dump_format="json")]
    expected = booster.predict(data, output_margin=True) - 0.25
    for engine in ("elasticsearch", "opensearch-3.8"):
        scores = engines.scores(f"{engine}/xgboost+json", json.dumps(trees), names, X)
        assert scores == pytest.approx(expected, rel=1e-5, abs=1e-6)
