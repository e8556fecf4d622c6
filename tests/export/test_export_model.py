"""What is written, noted, warned of and refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ranksieve import KernelRankSVM, LightGBMRanker, PointwiseRanker, RankSVM, XGBoostRanker
from ranksieve.data import from_arrays, scale
from ranksieve.errors import MissingDependencyError, ParameterError
from ranksieve.export import TARGETS, export_model
from ranksieve.export.versions import missing_rule
from ranksieve.rankers import (
    LayerDescription,
    LinearDescription,
    NetworkDescription,
    TreeDescription,
    TreesDescription,
)
from tests.export.cases import EVERY
from tests.reference.engines import elasticsearch_scores


class Described:
    def __init__(self, description):
        self._kept = description

    def description(self, names=None):
        return self._kept


def chain(depth):
    """A tree in which each left child asks again, and the last one is a leaf."""
    n = 2 * depth + 1
    feature = np.where(np.arange(n) % 2 == 0, 0, -1)
    feature[-1] = -1
    inner = feature >= 0
    return TreeDescription(
        feature.astype(np.int64),
        np.where(inner, -np.arange(n), 0.0) + 0.0,
        np.zeros(n, bool),
        np.where(inner, np.arange(n) + 2, -1),
        np.where(inner, np.arange(n) + 1, -1),
        np.where(inner, 0.0, np.arange(n) + 1.0),
    )


def stump(threshold, *, missing_left=False, low=1.0, high=2.0):
    return TreeDescription(
        np.array([0, -1, -1]),
        np.array([threshold, 0.0, 0.0]),
        np.array([missing_left, False, False]),
        np.array([1, -1, -1]),
        np.array([2, -1, -1]),
        np.array([0.0, low, high]),
    )


def trees(*several, base=0.0, names=("a",)):
    return Described(TreesDescription(names, several, base))


def linear(weights, intercept=0.0, names=("a", "b")):
    return Described(LinearDescription(names, np.array(weights), intercept))


@pytest.mark.parametrize(
    ("target", "version", "rule"),
    [
        ("elasticsearch", "7.10.2", "zero"),
        ("elasticsearch", "8.9.2", "zero"),
        ("elasticsearch", "8.11.4", "learned"),
        ("elasticsearch", None, "learned"),
        ("opensearch", "1.3", "zero"),
        ("opensearch", "3.1.0", "zero"),
        ("opensearch", "3.2", "right"),
        ("opensearch", "3.7.9", "right"),
        ("opensearch", "3.8.0", "learned"),
        ("solr", "9.1", "zero"),
        ("solr", "9.10.1", "learned"),
        ("ranklib", "2.18", "zero"),
        ("vespa", "8.1", "learned"),
    ],
)
def test_versions_decide_what_a_missing_feature_does(target, version, rule):
    assert missing_rule(target, version) == rule


def test_a_version_that_is_no_number_is_refused():
    with pytest.raises(ParameterError, match=r"such as 3.8 or 9.10.1, but is 'v3'"):
        export_model(linear([1.0, 2.0]), "solr", engine_version="v3")


def test_directions_that_an_engine_cannot_follow_are_warned_of_and_counted():
    model = trees(stump(1.0, missing_left=False), stump(2.0, missing_left=True))
    for target, version, n_splits in (
        ("elasticsearch", "8.9", 1),
        ("opensearch", "2.19", 1),
        ("opensearch", "3.5", 1),
        ("solr", "9.1", 1),
    ):
        export = export_model(model, target, engine_version=version, missing="learned")
        (warning,) = export.warnings
        assert f"at {n_splits} splits" in warning
    for target in ("elasticsearch", "opensearch", "solr", "vespa", "onnx"):
        assert export_model(model, target, missing="learned").warnings == ()
    for target in TARGETS:
        assert export_model(model, target).warnings == ()


def test_solr_is_told_of_missing_values_only_where_they_are_not_zero():
    same = export_model(trees(stump(1.0, missing_left=True)), "solr", missing="learned")
    assert "isNullSameAsZero" not in same.content
    other = export_model(trees(stump(1.0, missing_left=False)), "solr", missing="learned")
    params = json.loads(other.content)["params"]
    assert params["isNullSameAsZero"] is False
    assert params["trees"][0]["root"]["missing"] == "right"
    assert "defaultValue" in other.notes[0]


def test_features_below_zero_are_warned_of_where_lucene_computes_them():
    model = trees(stump(-1.0))
    for target in TARGETS:
        warned = [each for each in export_model(model, target).warnings if "negative" in each]
        assert len(warned) == (target in ("elasticsearch", "opensearch", "solr"))


def test_an_intercept_is_noted_for_elasticsearch_and_kept_by_the_others():
    model = linear([1.0, 2.0], intercept=0.5)
    export = export_model(model, "elasticsearch")
    assert "lower by 0.5" in export.notes[0]
    by_ranklib = export_model(model, "elasticsearch", model_type="model/ranklib")
    rows = np.array([[1, 2]], dtype=np.float32)
    assert elasticsearch_scores(by_ranklib.content, ["a", "b"], rows) == [5.5]
    solr = json.loads(export_model(model, "solr").content)
    assert solr["class"].endswith("NeuralNetworkModel")
    assert solr["params"]["layers"] == [
        {"matrix": [[1.0, 2.0]], "bias": [0.5], "activation": "identity"}
    ]


def test_weights_of_solr_are_all_listed_and_have_a_point():
    export = export_model(linear([1.0, 0.0, -2.0], names=("a", "b", "c")), "solr")
    assert '"weights": {"a": 1.0, "c": -2.0}' in export.content
    assert json.loads(export.content)["features"] == [{"name": "a"}, {"name": "c"}]


def test_a_threshold_that_solr_does_not_have_is_reached_by_a_power_of_two():
    plain = json.loads(export_model(trees(stump(0.5)), "solr").content)
    assert plain["features"] == [{"name": "a"}]
    tiny = export_model(trees(stump(1e-35), stump(1e6)), "solr")
    (feature,) = json.loads(tiny.content)["features"]
    deviation = float(feature["norm"]["params"]["std"])
    assert np.frexp(deviation)[0] == 0.5
    assert tiny.warnings == ()
    too_wide = export_model(trees(stump(1e-40), stump(1e38)), "solr")
    assert "go another way at one split" in too_wide.warnings[0]


def test_the_base_score_is_a_tree_of_one_leaf():
    export = export_model(trees(stump(1.0), base=0.25), "elasticsearch")
    definition = json.loads(json.loads(export.content)["model"]["model"]["definition"])
    assert definition[0] == {"nodeid": 0, "leaf": 0.25}


def test_questions_that_decide_nothing_are_not_written():
    model = trees(stump(1.0, low=3.0, high=3.0), stump(2.0), stump(1e300, missing_left=True))
    body = json.loads(export_model(model, "solr").content)
    roots = [tree["root"] for tree in body["params"]["trees"]]
    assert [("feature" in root) for root in roots] == [False, True, False]


def test_ranklib_numbers_are_names_places_or_places_in_a_set():
    weights = [0.0, 2.0, 3.0]
    numbers = export_model(linear(weights, names=("4", "7", "9")), "ranklib")
    assert numbers.content.splitlines()[-1] == "0:0.0 7:2.0 9:3.0"
    places = export_model(linear(weights, names=("a", "b", "c")), "ranklib")
    assert places.content.splitlines()[-1] == "0:0.0 2:2.0 3:3.0"
    in_set = export_model(
        linear(weights, names=("a", "b", "c")), "ranklib", feature_set=["c", "x", "b"]
    )
    assert in_set.content.splitlines()[-1] == "0:0.0 3:2.0 1:3.0"
    assert "3 b, 1 c" in in_set.notes[0]


def test_a_feature_that_the_set_does_not_have_is_refused_with_the_nearest():
    with pytest.raises(ParameterError, match=r"'bm25'.*did you mean 'bm_25'"):
        export_model(
            linear([1.0, 2.0], names=("bm25", "b")), "elasticsearch", feature_set=["bm_25", "b"]
        )


@pytest.mark.parametrize("target", ["elasticsearch", "opensearch", "ranklib"])
def test_a_network_is_refused_where_the_engine_has_none(target):
    layer = LayerDescription(np.ones((1, 2)), np.zeros(1), "tanh")
    network = Described(NetworkDescription(("a", "b"), (layer,)))
    with pytest.raises(ParameterError, match="network"):
        export_model(network, target)


@pytest.mark.parametrize("target", [each for each in TARGETS if each != "json"])
def test_a_model_without_features_is_refused(target):
    with pytest.raises(ParameterError, match="uses none of its 2 features"):
        export_model(linear([0.0, 0.0]), target)


@pytest.mark.parametrize("target", ["elasticsearch", "solr", "ranklib"])
def test_numbers_beyond_float32_are_refused(target):
    with pytest.raises(ParameterError, match=r"a leaf of the model is 1e\+40"):
        export_model(trees(stump(1.0, low=1e40)), target)


def test_trees_that_are_too_deep_for_readers_are_refused():
    assert export_model(trees(chain(200)), "elasticsearch").content
    with pytest.raises(ParameterError, match=r"has 400 levels.*at most 300"):
        export_model(trees(chain(400)), "elasticsearch")


@pytest.mark.parametrize("name", ["4", "bm 25", "bm25(title", "a+b", "1.5"])
def test_vespa_refuses_what_is_no_rank_feature(name):
    with pytest.raises(ParameterError, match="no name of a rank feature"):
        export_model(linear([1.0, 2.0], names=(name, "b")), "vespa")


@pytest.mark.parametrize(
    "name", ["bm25(title)", "attribute(price)", "fieldMatch(title).completeness", "my_function"]
)
def test_vespa_takes_names_of_rank_features(name):
    assert name in export_model(linear([1.0, 2.0], names=(name, "b")), "vespa").content


def data(n=200, n_features=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_features)).astype(np.float32)
    return from_arrays(X, (X[:, 0] > 0).astype(int), np.repeat(np.arange(n // 10), 10))


def test_scaling_inside_queries_is_refused_with_the_reason():
    model = RankSVM(C=1.0).fit(scale(data(), "zscore"))
    with pytest.raises(ParameterError, match=r"scaled inside each query \(zscore\).*one document"):
        export_model(model, "solr")


def test_kernels_are_refused_unless_linear():
    model = KernelRankSVM(n_landmarks=10).fit(data())
    with pytest.raises(ParameterError, match="a rbf kernel compares each document with 10"):
        export_model(model, "solr")


def test_regressors_that_are_no_sum_are_refused():
    for text in ("KNeighborsRegressor()", "PoissonRegressor()", "HistGradientBoostingRegressor()"):
        model = PointwiseRanker(text).fit(data())
        with pytest.raises(ParameterError, match="engines cannot be given it"):
            export_model(model, "solr")


def test_linear_models_in_leaves_are_refused():
    model = LightGBMRanker(3, objective="regression", params={"linear_tree": True}).fit(data())
    with pytest.raises(ParameterError, match="linear_tree"):
        export_model(model, "solr")


def test_categorical_splits_are_refused():
    lightgbm, xgboost = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 5, size=400)
    y = np.isin(kinds, [1, 3]).astype(float)
    sets = lightgbm.Dataset(kinds[:, None].astype(float), y, categorical_feature=[0])
    params = {"verbosity": -1, "min_data_per_group": 1, "cat_smooth": 0, "max_cat_to_onehot": 1}
    ranker = LightGBMRanker(3, objective="regression").fit(data(n_features=1))
    ranker.booster_ = lightgbm.train(params, sets, 3)
    with pytest.raises(ParameterError, match="categorical splits"):
        export_model(ranker, "elasticsearch")
    matrix = xgboost.DMatrix(
        kinds[:, None].astype(float), y, feature_types=["c"], enable_categorical=True
    )
    other = XGBoostRanker(3, objective="reg:squarederror").fit(data(n_features=1))
    other.booster_ = xgboost.train({"tree_method": "hist"}, matrix, 3)
    with pytest.raises(ParameterError, match="categorical splits"):
        export_model(other, "elasticsearch")


def test_names_must_be_as_many_as_the_features_and_differ(fitted):
    model = fitted(EVERY["RankSVM"])
    for names in (["a"], ["a", "a", "b", "c", "d", "e"]):
        with pytest.raises(ParameterError, match="names must be 6 different names"):
            export_model(model, "solr", names=names)


def test_a_model_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="must be a fitted ranker of ranksieve, but is dict"):
        export_model({}, "solr")


def test_without_onnx_the_install_line_is_shown(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'ranksieve\[onnx\]'"):
        export_model(linear([1.0, 2.0]), "onnx")


def test_without_names_features_are_counted_from_one():
    model = RankSVM(C=1.0).fit(np.array([[0.0, 1.0], [1.0, 0.0]]), [0, 1], qid=[1, 1])
    assert export_model(model, "solr").features == ("1", "2")
