"""What Solr's models do: the pinned version's classes, and ours for missing values since 9.2."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engines.engine import EngineError, Task
from tests.engines.models import above, below, column, solr_model, solr_split, solr_trees

ALL = ["solr", "solr9"]
SLACK = np.float32(1e-6)


def limit(threshold):
    """The largest float32 that goes left: the threshold and Solr's slack, added in float32."""
    return np.float32(threshold) + SLACK


@pytest.mark.parametrize("engine", ALL)
@pytest.mark.parametrize("threshold", [0.5, 0.1, 0.0, 1e-7, -1e-6, -3.25, 3e38, 1e-45, 100.0, 33.0])
def test_a_value_goes_left_up_to_the_threshold_and_a_slack(engines, engine, threshold):
    edge = limit(threshold)
    X = column(below(edge), edge, above(edge), np.float32(threshold))
    scores = engines.scores(engine, solr_trees(solr_split(threshold)), ["a"], X)
    assert scores.tolist() == [1, 1, 2, 1]


def test_the_slack_takes_neighbours_near_zero_and_none_far_from_it():
    assert limit(0.0) > above(0.0)
    assert limit(1.0) > above(1.0)
    assert limit(100.0) == 100
    # Where the gap between float32 values is near the slack, it rounds to one neighbour.
    assert limit(8.0) == above(8.0)


@pytest.mark.parametrize("engine", ALL)
def test_a_missing_value_is_zero_by_default(engines, engine):
    model = solr_trees(solr_split(-0.5), solr_split(0.5))
    assert engines.scores(engine, model, ["a"], column(np.nan, 0, -1, 1)).tolist() == [3, 3, 2, 4]


def test_since_9_2_missing_values_go_where_the_node_says(engines):
    model = solr_trees(
        *(
            solr_split(threshold, missing=side)
            for side in ("left", "right")
            for threshold in (-1, 1)
        ),
        isNullSameAsZero=False,
    )
    assert engines.scores("solr9", model, ["a"], column(np.nan, 0, -2, 2)).tolist() == [6, 6, 4, 8]
    with pytest.raises(EngineError, match="No setter"):
        engines.scores("solr", model, ["a"], column(0))


def test_where_missing_is_not_zero_a_node_without_a_direction_fails_on_the_first_missing_value(
    engines,
):
    model = solr_trees(solr_split(0.5), isNullSameAsZero=False)
    assert engines.scores("solr9", model, ["a"], column(0, 1)).tolist() == [1, 2]
    with pytest.raises(EngineError, match="NullPointerException"):
        engines.scores("solr9", model, ["a"], column(np.nan))


def test_a_direction_alone_is_refused_before_9_2(engines):
    with pytest.raises(EngineError, match="'missing'"):
        engines.scores("solr", solr_trees(solr_split(0.5, missing="left")), ["a"], column(0))


@pytest.mark.parametrize("engine", ALL)
@pytest.mark.parametrize("key", ["threshold", "value", "weight"])
def test_numbers_of_trees_must_be_texts(engines, engine, key):
    model = json.loads(
        solr_trees(solr_split(0.5)),
        object_hook=lambda node: {**node, key: 0.5} if key in node else node,
    )
    with pytest.raises(EngineError, match="IllegalArgumentException"):
        engines.scores(engine, json.dumps(model), ["a"], column(0))


@pytest.mark.parametrize("engine", ALL)
def test_a_subtree_on_a_feature_that_is_not_listed_adds_nothing(engines, engine):
    unlisted = solr_split(0.5, feature="b")
    below_listed = {**solr_split(0.5), "right": unlisted}
    model = solr_trees(below_listed, unlisted, names=["a"])
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    assert engines.scores(engine, model, ["a", "b"], X).tolist() == [1, 0, 0]


@pytest.mark.parametrize("engine", ALL)
def test_a_listed_feature_must_be_in_the_store(engines, engine):
    model = solr_trees(solr_split(0.5), names=["a", "c"])
    with pytest.raises(EngineError, match="c"):
        engines.scores(engine, model, ["a", "b"], np.zeros((1, 2)))


@pytest.mark.parametrize("engine", ALL)
def test_a_tree_may_be_a_single_leaf_and_a_weight_multiplies_it(engines, engine):
    model = json.loads(solr_trees({"value": "0.75"}, solr_split(0.5)))
    model["params"]["trees"][0]["weight"] = "2"
    assert engines.scores(engine, json.dumps(model), ["a"], column(0)).tolist() == [2.5]


@pytest.mark.parametrize("engine", ALL)
def test_unknown_keys_of_trees_are_refused(engines, engine):
    with pytest.raises(EngineError, match="gain"):
        engines.scores(engine, solr_trees(solr_split(0.5, gain="1.0")), ["a"], column(0))


@pytest.mark.parametrize("engine", ALL)
def test_leaves_are_summed_in_float32(engines, engine):
    leaves = ["1.0E8", "1.0", "-1.0E8", "0.1"]
    model = solr_trees(*({"value": leaf} for leaf in leaves))
    total = np.float32(0)
    for leaf in leaves:
        total += np.float32(leaf)
    assert engines.scores(engine, model, ["a"], column(0)).astype(np.float32) == total
    assert abs(total - 1.1) > 0.5


@pytest.mark.parametrize("engine", ALL)
def test_a_linear_model_is_a_float32_sum_in_the_order_of_its_features(engines, engine):
    params = {"weights": {"c": 0.1, "a": 1e8, "b": -1e8}}
    model = json.dumps(solr_model("LinearModel", ["a", "b", "c"], params))
    X = np.array([[1, 1, 1.0], [np.nan, np.nan, 3.0]])
    scores = engines.scores(engine, model, ["a", "b", "c"], X).astype(np.float32)
    assert scores.tolist() == [np.float32(0.1), np.float32(0.1) * np.float32(3)]
    model = json.dumps(solr_model("LinearModel", ["c", "a", "b"], params))
    assert engines.scores(engine, model, ["a", "b", "c"], X)[0] == 0


@pytest.mark.parametrize("engine", ALL)
def test_a_linear_model_needs_a_weight_for_each_feature_and_takes_whole_numbers(engines, engine):
    model = json.dumps(solr_model("LinearModel", ["a", "b"], {"weights": {"a": 1}}))
    with pytest.raises(EngineError, match=r"lacks weight\(s\) for \[b\]"):
        engines.scores(engine, model, ["a", "b"], np.zeros((1, 2)))
    model = json.dumps(solr_model("LinearModel", ["a"], {"weights": {"a": 2, "b": 9}}))
    assert engines.scores(engine, model, ["a", "b"], np.array([[1.5, 1]])).tolist() == [3]


@pytest.mark.parametrize("engine", ALL)
def test_normalizers_run_before_the_model_also_on_values_that_were_missing(engines, engine):
    model = solr_model("LinearModel", ["a", "b"], {"weights": {"a": 1.0, "b": 10.0}})
    norms = "org.apache.solr.ltr.norm."
    model["features"][0]["norm"] = {
        "class": norms + "StandardNormalizer",
        "params": {"avg": "2.0", "std": "4.0"},
    }
    model["features"][1]["norm"] = {
        "class": norms + "MinMaxNormalizer",
        "params": {"min": "1.0", "max": "3.0"},
    }
    X = np.array([[4.0, 2.0], [np.nan, np.nan]])
    scores = engines.scores(engine, json.dumps(model), ["a", "b"], X)
    assert scores.tolist() == [0.5 + 5, -0.5 - 5]


def test_since_9_2_a_missing_value_is_not_normalized_where_it_is_not_zero(engines):
    model = json.loads(solr_trees(solr_split(0.0, missing="right"), isNullSameAsZero=False))
    model["features"][0]["norm"] = {
        "class": "org.apache.solr.ltr.norm.StandardNormalizer",
        "params": {"avg": "2.0", "std": "4.0"},
    }
    X = column(1, 3, np.nan)
    assert engines.scores("solr9", json.dumps(model), ["a"], X).tolist() == [1, 2, 2]


ACTIVATIONS = {
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "leakyrelu": lambda x: np.where(x < 0, np.float32(0.01) * x, x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_network_multiplies_adds_and_activates_layer_by_layer(engines, activation):
    generator = np.random.default_rng(3)
    matrices = [generator.normal(size=shape) for shape in ((4, 3), (2, 4), (1, 2))]
    biases = [generator.normal(size=len(matrix)) for matrix in matrices]
    kinds = [activation, activation, "identity"]
    layers = [
        {"matrix": matrix.tolist(), "bias": bias.tolist(), "activation": kind}
        for matrix, bias, kind in zip(matrices, biases, kinds, strict=True)
    ]
    names, X = ["a", "b", "c"], generator.normal(size=(20, 3))
    expected = X.T
    for matrix, bias, kind in zip(matrices, biases, kinds, strict=True):
        expected = ACTIVATIONS[kind](matrix @ expected + bias[:, None])
    model = json.dumps(solr_model("NeuralNetworkModel", names, {"layers": layers}))
    assert engines.scores("solr", model, names, X) == pytest.approx(expected[0], rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    "layer", [{"matrix": [[1]], "bias": [0.0]}, {"matrix": [[1.0]], "bias": [0]}]
)
def test_a_network_refuses_whole_numbers_without_a_point(engines, layer):
    params = {"layers": [{**layer, "activation": "identity"}]}
    model = json.dumps(solr_model("NeuralNetworkModel", ["a"], params))
    with pytest.raises(EngineError, match="Long cannot be cast"):
        engines.scores("solr", model, ["a"], column(1))


def test_a_network_has_one_output_and_matching_shapes(engines):
    two = {"matrix": [[1.0], [1.0]], "bias": [0.0, 0.0], "activation": "identity"}
    wide = {"matrix": [[1.0, 1.0]], "bias": [0.0], "activation": "identity"}
    for layers, message in (([two], "output"), ([wide], "columns")):
        model = json.dumps(solr_model("NeuralNetworkModel", ["a"], {"layers": layers}))
        with pytest.raises(EngineError, match=message):
            engines.scores("solr", model, ["a"], column(1))


NUMBERS = st.floats(-3, 3, width=32) | st.sampled_from([0.0, 1e-7, -1e-6, 1e-6, 3e38, -3e38])


def nodes(depth):
    leaf = NUMBERS.map(lambda value: {"value": repr(value)})
    if depth == 0:
        return leaf
    split = st.builds(
        lambda feature, threshold, missing, left, right: {
            **{"feature": feature, "threshold": repr(threshold), "missing": missing},
            **{"left": left, "right": right},
        },
        st.sampled_from(["a", "b"]),
        NUMBERS,
        st.sampled_from(["left", "right"]),
        nodes(depth - 1),
        nodes(depth - 1),
    )
    return leaf | split


@settings(max_examples=60, deadline=None)
@given(st.lists(nodes(3), min_size=1, max_size=4), st.integers(0, 2**31))
def test_our_walk_of_9_2_and_the_pinned_classes_agree_where_nothing_is_missing(
    engines, roots, seed
):
    """The one part of Solr that is ours, beside the engine's own class."""
    thresholds = [float(text) for text in thresholds_of(roots)] or [0.0]
    edges = np.array([limit(value) for value in thresholds], dtype=np.float32)
    values = np.concatenate([edges, np.nextafter(edges, np.float32(np.inf)), [0.0]])
    X = np.random.default_rng(seed).choice(values, size=(30, 2)).astype(np.float64)
    with_directions = solr_trees(*roots, names=["a", "b"], isNullSameAsZero=False)
    plain = json.loads(
        with_directions,
        object_hook=lambda node: {
            key: value for key, value in node.items() if key not in ("missing", "isNullSameAsZero")
        },
    )
    ours, theirs = engines.batch(
        [
            Task("solr9", with_directions, ("a", "b"), X),
            Task("solr", json.dumps(plain), ("a", "b"), X),
        ]
    )
    assert ours.tolist() == theirs.tolist()


def thresholds_of(value):
    if isinstance(value, list):
        return [text for item in value for text in thresholds_of(item)]
    if isinstance(value, dict) and "threshold" in value:
        return [value["threshold"], *thresholds_of([value["left"], value["right"]])]
    return []
