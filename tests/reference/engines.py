"""What search engines compute from the files that they are given, from their sources, slowly.

Each function reads the file that would be uploaded, as the engine's reader does, and gives the
scores of rows of float32; NaN is a feature that is missing. Nothing here is shared with the code
that writes the files.
"""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ElementTree

import numpy as np

SINGLE = np.float32


class RefusedError(ValueError):
    """What an engine would refuse to read."""


# Elasticsearch and OpenSearch: parsers and rankers of the plugins.

NODE_KEYS = {
    "nodeid",
    "depth",
    "split",
    "split_condition",
    "yes",
    "no",
    "missing",
    "leaf",
    "children",
}


def elasticsearch_scores(content, feature_set, rows, rule="learned"):
    """Scores of the body of _createmodel; `rule` says what the version does with NaN."""
    body = json.loads(content)
    if set(body) != {"model"} or set(body["model"]) != {"name", "model"}:
        raise RefusedError("not the body of _createmodel")
    model = body["model"]["model"]
    if set(model) != {"type", "definition"} or not isinstance(model["definition"], str):
        raise RefusedError("not a definition in a text")
    if model["type"] == "model/linear":
        return _elasticsearch_linear(json.loads(model["definition"]), feature_set, rows)
    if model["type"] == "model/ranklib":
        return ranklib_scores(model["definition"], rows).astype(SINGLE)
    trees = json.loads(model["definition"])
    if not isinstance(trees, list) or not trees:
        raise RefusedError("no tree")
    for tree in trees:
        _check_elasticsearch_node(tree, feature_set)
    total = np.zeros(len(rows), SINGLE)
    values = np.where(np.isnan(rows), SINGLE(0), rows) if rule == "zero" else rows
    for tree in trees:
        total = total + _elasticsearch_tree(tree, feature_set, values, rule)
    return total


def _elasticsearch_linear(weights, feature_set, rows):
    filled = np.where(np.isnan(rows), SINGLE(0), rows)
    if not set(weights) <= set(feature_set):
        raise RefusedError("unknown feature")
    total = np.zeros(len(rows), SINGLE)
    for index, name in enumerate(feature_set):
        total = total + SINGLE(weights.get(name, 0.0)) * filled[:, index]
    return total


def _check_elasticsearch_node(node, feature_set):
    if not set(node) <= NODE_KEYS:
        raise RefusedError(f"unknown keys in {sorted(node)}")
    if "leaf" in node:
        if "nodeid" not in node:
            raise RefusedError("a leaf without nodeid")
        return
    if not NODE_KEYS - {"leaf"} <= set(node):
        raise RefusedError(f"a split with {sorted(node)} alone")
    if node["split"] not in feature_set:
        raise RefusedError(f"unknown feature {node['split']}")
    left, right = node["children"]
    if left["nodeid"] != node["yes"] or right["nodeid"] != node["no"]:
        raise RefusedError("yes and no are not the children")
    if node["missing"] not in (node["yes"], node["no"]):
        raise RefusedError("missing is no child")
    for child in node["children"]:
        _check_elasticsearch_node(child, feature_set)


def _elasticsearch_tree(node, feature_set, rows, rule):
    if "leaf" in node:
        return np.full(len(rows), SINGLE(node["leaf"]))
    values = rows[:, feature_set.index(node["split"])]
    goes_left = SINGLE(node["split_condition"]) > values
    missing_left = rule == "learned" and node["missing"] == node["yes"]
    goes_left = np.where(np.isnan(values), missing_left, goes_left)
    return _both(
        goes_left,
        rows,
        lambda part: _elasticsearch_tree(node["children"][0], feature_set, part, rule),
        lambda part: _elasticsearch_tree(node["children"][1], feature_set, part, rule),
    )


def _both(goes_left, rows, left, right):
    result = np.empty(len(rows), np.float64)
    if goes_left.any():
        result[goes_left] = left(rows[goes_left])
    if not goes_left.all():
        result[~goes_left] = right(rows[~goes_left])
    return result.astype(SINGLE)


# Solr: LinearModel, MultipleAdditiveTreesModel, NeuralNetworkModel, StandardNormalizer.

SLACK = SINGLE(1e-6)


def solr_scores(content, feature_names, rows):
    """Scores of a model of Solr; NaN is what a feature with defaultValue NaN gives."""
    body = json.loads(content)
    if set(body) != {"class", "name", "store", "features", "params"}:
        raise RefusedError("not a model of Solr")
    names = [feature["name"] for feature in body["features"]]
    if not names or len(set(names)) < len(names):
        raise RefusedError("no features, or one twice")
    columns = rows[:, [feature_names.index(name) for name in names]]
    params = body["params"]
    null_is_zero = params.get("isNullSameAsZero", True)
    if null_is_zero:
        columns = np.where(np.isnan(columns), SINGLE(0), columns)
    columns = _solr_normalised(body["features"], columns)
    kind = body["class"].removeprefix("org.apache.solr.ltr.model.")
    if kind == "LinearModel":
        return _solr_linear(params["weights"], names, columns)
    if kind == "NeuralNetworkModel":
        return _solr_network(params["layers"], columns)
    assert kind == "MultipleAdditiveTreesModel"
    total = np.zeros(len(rows), SINGLE)
    for tree in params["trees"]:
        total = total + _java_float(tree["weight"]) * _solr_tree(
            tree["root"], names, columns, null_is_zero
        )
    return total


def _java_float(text):
    if not isinstance(text, str):
        raise RefusedError("a number of a tree is a text")
    return SINGLE(text.replace("Infinity", "inf"))


def _solr_normalised(features, columns):
    columns = columns.copy()
    for index, feature in enumerate(features):
        if "norm" in feature:
            assert feature["norm"]["class"] == "org.apache.solr.ltr.norm.StandardNormalizer"
            average, deviation = (
                _java_float(feature["norm"]["params"][name]) for name in ("avg", "std")
            )
            if deviation <= 0:
                raise RefusedError("a deviation of 0")
            with np.errstate(over="ignore"):
                columns[:, index] = (columns[:, index] - average) / deviation
    return columns


def _solr_linear(weights, names, columns):
    if set(weights) != set(names) or not all(type(each) is float for each in weights.values()):
        raise RefusedError("a weight is missing, or is no number with a point")
    total = np.zeros(len(columns), SINGLE)
    for index, name in enumerate(names):
        total = total + columns[:, index] * SINGLE(weights[name])
    return total


def _solr_tree(node, names, columns, null_is_zero):
    if "feature" not in node:
        return np.full(len(columns), _java_float(node["value"]))
    if node["feature"] not in names:
        return np.zeros(len(columns), SINGLE)
    values = columns[:, names.index(node["feature"])]
    goes_left = values <= _java_float(node["threshold"]) + SLACK
    if not null_is_zero:
        # Without `missing`, Java's switch over a null ends in an exception.
        goes_left = np.where(np.isnan(values), node["missing"] == "left", goes_left)
    return _both(
        goes_left,
        columns,
        lambda part: _solr_tree(node["left"], names, part, null_is_zero),
        lambda part: _solr_tree(node["right"], names, part, null_is_zero),
    )


def _solr_network(layers, columns):
    vectors = columns
    for layer in layers:
        numbers = [*layer["bias"], *(each for row in layer["matrix"] for each in row)]
        if not all(type(each) is float for each in numbers):
            raise RefusedError("a whole number cannot be cast to Double")
        outputs = []
        for row, bias in zip(layer["matrix"], layer["bias"], strict=True):
            total = np.full(len(columns), SINGLE(bias))
            for index, weight in enumerate(row):
                total = total + SINGLE(weight) * vectors[:, index]
            if layer["activation"] == "tanh":
                total = np.tanh(total.astype(np.float64)).astype(SINGLE)
            else:
                assert layer["activation"] == "identity"
            outputs.append(total)
        vectors = np.column_stack(outputs)
    assert vectors.shape[1] == 1
    return vectors[:, 0]


# RankLib: LinearRegRank, RankBoost, LambdaMART.


def ranklib_scores(text, rows):
    """Scores of RankLib's text; the first column is feature 1."""
    values = np.where(np.isnan(rows), SINGLE(0), rows)
    kind = text.splitlines()[0].replace("## ", "").strip()
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("##")]
    if kind == "Linear Regression":
        pairs = [item.split(":") for item in lines[0].split()]
        weights = {int(key): float(value) for key, value in pairs}
        total = np.full(len(rows), weights.pop(0))
        for number, weight in weights.items():
            total += weight * values[:, number - 1].astype(np.float64)
        return total
    if kind == "RankBoost":
        total = np.zeros(len(rows))
        for item in lines[0].split():
            number, threshold, weight = item.split(":")
            above = values[:, int(number) - 1].astype(np.float64) > float(threshold)
            total += float(weight) * above
        return total
    assert kind == "LambdaMART"
    total = np.zeros(len(rows), SINGLE)
    for tree in ElementTree.fromstring("".join(lines)):
        (root,) = tree
        weight = SINGLE(tree.attrib["weight"])
        leaves = _ranklib_tree(root, values).astype(np.float64)
        total = (total.astype(np.float64) + leaves * float(weight)).astype(SINGLE)
    return total.astype(np.float64)


def _ranklib_tree(split, values):
    if split[0].tag == "output":
        return np.full(len(values), SINGLE(split[0].text))
    feature, threshold, left, right = split
    column = values[:, int(feature.text) - 1]
    return _both(
        column <= SINGLE(threshold.text.strip().replace("Infinity", "inf")),
        values,
        lambda part: _ranklib_tree(left, part),
        lambda part: _ranklib_tree(right, part),
    )


# Vespa: the importer of LightGBM's JSON, and ranking expressions, in double.


def vespa_scores(export, feature_names, rows):
    """Scores of a model for Vespa, of the file or of the expression in the rank profile."""
    doubles = rows.astype(np.float64)
    if export.suffix == ".json":
        body = json.loads(export.content)
        assert body["pandas_categorical"] == []
        names = [feature_names.index(name) for name in body["feature_names"]]
        total = np.zeros(len(rows))
        for tree in body["tree_info"]:
            total = total + _vespa_tree(tree["tree_structure"], doubles[:, names])
        return total
    expression = re.search(r"expression: (.*)\n", export.content)[1]
    return np.array([_vespa_value(expression, feature_names, row) for row in doubles])


def _vespa_tree(node, rows):
    if "left_child" not in node:
        return np.full(len(rows), node["leaf_value"])
    values, threshold = rows[:, node["split_feature"]], node["threshold"]
    goes_left = ~(values >= threshold) if node["default_left"] else values < threshold
    result = np.empty(len(rows))
    for part, child in ((goes_left, node["left_child"]), (~goes_left, node["right_child"])):
        if part.any():
            result[part] = _vespa_tree(child, rows[part])
    return result


def _vespa_value(expression, feature_names, row):
    variables = dict(zip(feature_names, row, strict=True))
    assert all(name.isidentifier() for name in variables)
    return eval(expression, {"tanh": math.tanh, "__builtins__": {}}, variables)


# ONNX, by its own runtime.


def onnx_scores(content, feature_names, rows):
    """Scores of an ONNX model by onnxruntime, which finds its columns by the metadata."""
    import onnxruntime

    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    names = json.loads(session.get_modelmeta().custom_metadata_map["features"])
    columns = rows[:, [feature_names.index(name) for name in names]]
    (scores,) = session.run(["score"], {"features": np.ascontiguousarray(columns)})
    return scores[:, 0].astype(np.float64)


# The description in JSON, walked document by document.


def neutral_scores(content, rows):
    """Scores of our own JSON, one document at a time."""
    body = json.loads(content)
    return np.array([_neutral_score(body, row.astype(np.float64)) for row in rows])


def _neutral_score(body, row):
    if body["kind"] == "linear":
        return body["intercept"] + sum(
            weight * value for weight, value in zip(body["weights"], row, strict=True)
        )
    if body["kind"] == "network":
        values = list(row)
        for layer in body["layers"]:
            sums = [
                bias + sum(weight * value for weight, value in zip(weights, values, strict=True))
                for weights, bias in zip(layer["weights"], layer["biases"], strict=True)
            ]
            values = [math.tanh(each) if layer["activation"] == "tanh" else each for each in sums]
        return values[0]
    total = body["base_score"]
    for tree in body["trees"]:
        node = 0
        while tree["feature"][node] >= 0:
            value = row[tree["feature"][node]]
            left = value <= tree["threshold"][node]
            if math.isnan(value):
                left = tree["missing_left"][node]
            node = tree["left" if left else "right"][node]
        total += tree["value"][node]
    return total
