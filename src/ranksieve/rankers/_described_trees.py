"""Trees as LightGBM, XGBoost, CatBoost and scikit-learn hold them, in one form.

What each library does at a split, for values of float32:

    LightGBM      left if x <= t, in double; NaN is 0 unless the split says that it is missing
    XGBoost       left if x < t, in float32: x <= the float32 below t
    CatBoost      right if x > t, in float32
    scikit-learn  left if x <= t, x in float32 and t in double
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from ranksieve.errors import ParameterError
from ranksieve.rankers._description import LEAF, TreeDescription, TreesDescription

# What LightGBM takes for 0 where a split says that 0 is missing: numbers up to this.
_ZERO = float(np.float32(1e-35))
_BELOW_ZERO = float(np.nextafter(-_ZERO, -np.inf))
# Bits of LightGBM's decision_type: the split is categorical; missing values go left. Above these,
# what is missing: nothing, so that NaN is 0; 0 and NaN; or NaN.
_CATEGORICAL, _DEFAULT_LEFT, _MISSING_SHIFT = 1, 2, 2
_ZEROS, _NANS = 1, 2


class _Nodes:
    """Nodes of a tree under construction; a node may be the child of several."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, float, bool, int, int, float]] = []

    def leaf(self, value: float) -> int:
        """Add a leaf and return its number."""
        self._rows.append((LEAF, 0.0, False, LEAF, LEAF, value))
        return len(self._rows) - 1

    def split(
        self, feature: int, threshold: float, missing_left: bool, left: int, right: int
    ) -> int:
        """Add a question and return its number; its children may be added later."""
        self._rows.append((feature, threshold, missing_left, left, right, 0.0))
        return len(self._rows) - 1

    def let_zero_pass(self, node: int, default_left: bool) -> None:
        """Let 0 and NaN go one way at a question, whatever its threshold.

        Below 0 and above it the threshold decides: x <= -z, then x <= z, then x <= threshold.
        """
        feature, threshold, _, left, right, _ = self._rows[node]
        above = right if threshold <= _ZERO else self.split(feature, threshold, True, left, right)
        below = left
        if threshold < _BELOW_ZERO:
            below = self.split(feature, threshold, True, left, right)
        middle = self.split(feature, _ZERO, True, left if default_left else right, above)
        self._rows[node] = (feature, _BELOW_ZERO, False, below, middle, 0.0)

    def tree(self, root: int) -> TreeDescription:
        """Return what the root leads to, parents first, each node as often as it is reached."""
        rows: list[list[Any]] = []
        waiting = [(root, -1, 0)]
        while waiting:
            node, parent, column = waiting.pop()
            if parent >= 0:
                rows[parent][column] = len(rows)
            feature, *_, left, right, _ = row = self._rows[node]
            if feature != LEAF:
                waiting += [(right, len(rows), 4), (left, len(rows), 3)]
            rows.append(list(row))
        columns = list(zip(*rows, strict=True))
        return TreeDescription(
            np.array(columns[0], np.int64),
            np.array(columns[1], np.float64),
            np.array(columns[2], np.bool_),
            np.array(columns[3], np.int64),
            np.array(columns[4], np.int64),
            np.array(columns[5], np.float64),
        )


def lightgbm_trees(text: str, names: tuple[str, ...]) -> TreesDescription:
    """Return the trees in LightGBM's text."""
    blocks = re.split(r"^Tree=\d+\n", text.split("\nend of trees")[0], flags=re.MULTILINE)[1:]
    return TreesDescription(names, tuple(_lightgbm_tree(block) for block in blocks))


def _lightgbm_tree(block: str) -> TreeDescription:
    lines = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
    if lines.get("is_linear", "0") != "0":
        raise ParameterError(
            "this model of LightGBM has linear models in its leaves (linear_tree), which no engine "
            "takes. Train it without linear_tree."
        )
    leaves, nodes = _reals(lines["leaf_value"]), _Nodes()
    if len(leaves) == 1:
        return nodes.tree(nodes.leaf(leaves[0]))
    kinds, features, left, right = (
        [int(item) for item in lines[name].split()]
        for name in ("decision_type", "split_feature", "left_child", "right_child")
    )
    if any(kind & _CATEGORICAL for kind in kinds):
        raise ParameterError(
            "this model has categorical splits, which engines do not have or treat otherwise. "
            "Train it with numbers for all features, such as 0 or 1 for each category."
        )
    # Inner nodes keep their numbers; leaf i, which LightGBM calls ~i, comes after them.
    n_splits = len(features)
    children = [
        [child if child >= 0 else n_splits + ~child for child in side] for side in (left, right)
    ]
    splits = zip(kinds, features, _reals(lines["threshold"]), *children, strict=True)
    for kind, feature, threshold, low, high in splits:
        missing = kind >> _MISSING_SHIFT
        missing_left = bool(kind & _DEFAULT_LEFT) if missing == _NANS else threshold >= 0.0
        nodes.split(feature, threshold, missing_left, low, high)
    for value in leaves:
        nodes.leaf(value)
    for node, kind in enumerate(kinds):
        if kind >> _MISSING_SHIFT == _ZEROS:
            nodes.let_zero_pass(node, bool(kind & _DEFAULT_LEFT))
    return nodes.tree(0)


def _reals(text: str) -> list[float]:
    return [float(item) for item in text.split()]


def xgboost_trees(payload: bytes, names: tuple[str, ...]) -> TreesDescription:
    """Return the trees in XGBoost's JSON."""
    learner = json.loads(payload)["learner"]
    # A number, or from version 3.1 on a list of one.
    base = learner["learner_model_param"]["base_score"].strip("[]")
    trees = learner["gradient_booster"]["model"]["trees"]
    return TreesDescription(
        names, tuple(_xgboost_tree(tree) for tree in trees), float(np.float32(base))
    )


def _xgboost_tree(tree: dict[str, Any]) -> TreeDescription:
    if any(tree["split_type"]):
        raise ParameterError(
            "this model has categorical splits, which engines do not have or treat otherwise. "
            "Train it with numbers for all features, such as 0 or 1 for each category."
        )
    # Of a leaf this is its value: base_weights are those before pruning and shrinkage.
    conditions = np.array(tree["split_conditions"], dtype=np.float32)
    nodes = _Nodes()
    for node, left in enumerate(tree["left_children"]):
        if left == LEAF:
            nodes.leaf(float(conditions[node]))
        else:
            nodes.split(
                tree["split_indices"][node],
                float(np.nextafter(conditions[node], np.float32(-np.inf))),
                bool(tree["default_left"][node]),
                left,
                tree["right_children"][node],
            )
    return nodes.tree(0)


def catboost_trees(content: dict[str, Any], names: tuple[str, ...]) -> TreesDescription:
    """Return the trees in CatBoost's JSON: symmetric ones, and others."""
    info = content["features_info"]
    if any(info.get(kind) for kind in ("categorical_features", "text_features")):
        raise ParameterError(
            "this model of CatBoost has features that are no numbers, which engines do not take. "
            "Train it with numbers for all features."
        )
    features = {
        each["feature_index"]: (
            each["flat_feature_index"],
            each.get("nan_value_treatment") != "AsTrue",
        )
        for each in info.get("float_features", ())
    }
    scale, (bias,) = content["scale_and_bias"]
    symmetric = [
        _symmetric_tree(tree, features, scale) for tree in content.get("oblivious_trees", ())
    ]
    others = [_nested_tree(tree, features, scale) for tree in content.get("trees", ())]
    return TreesDescription(names, (*symmetric, *others), float(bias))


_Features = dict[int, tuple[int, bool]]


def _symmetric_tree(tree: dict[str, Any], features: _Features, scale: float) -> TreeDescription:
    """All nodes of a level ask the same; bit i of a leaf's number is the answer of level i."""
    nodes = _Nodes()
    level = [nodes.leaf(scale * value) for value in tree["leaf_values"]]
    for split in tree["splits"]:
        # Leaves that differ in the lowest bit alone are neighbours: bits vanish from below.
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [_catboost_split(nodes, split, features, low, high) for low, high in pairs]
    return nodes.tree(level[0])


def _nested_tree(tree: dict[str, Any], features: _Features, scale: float) -> TreeDescription:
    nodes = _Nodes()
    return nodes.tree(_nested_node(nodes, tree, features, scale))


def _nested_node(nodes: _Nodes, node: dict[str, Any], features: _Features, scale: float) -> int:
    # CatBoost's trees have at most 16 levels, or 64 leaves unless told otherwise.
    if "split" not in node:
        return nodes.leaf(scale * node["value"])
    left, right = (_nested_node(nodes, node[side], features, scale) for side in ("left", "right"))
    return _catboost_split(nodes, node["split"], features, left, right)


def _catboost_split(
    nodes: _Nodes, split: dict[str, Any], features: _Features, low: int, high: int
) -> int:
    if split.get("split_type", "FloatFeature") != "FloatFeature":
        raise ParameterError(
            "this model of CatBoost has splits by categories, which engines do not take. Train it "
            "with numbers for all features."
        )
    feature, missing_left = features[split["float_feature_index"]]
    border = float(np.float32(split["border"]))
    return nodes.split(feature, border, missing_left, low, high)


def scikit_learn_tree(tree: Any, scale: float = 1.0) -> TreeDescription:
    """Return scikit-learn's `tree_`, each value multiplied by a scale."""
    if tree.n_outputs != 1:
        raise ParameterError("trees of several outputs give no score")
    missing_left = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count))
    nodes = _Nodes()
    for node in range(tree.node_count):
        if tree.children_left[node] == LEAF:
            nodes.leaf(scale * float(tree.value[node].ravel()[0]))
        else:
            nodes.split(
                int(tree.feature[node]),
                float(tree.threshold[node]),
                bool(missing_left[node]),
                int(tree.children_left[node]),
                int(tree.children_right[node]),
            )
    return nodes.tree(0)


def regressor_trees(regressor: Any, names: tuple[str, ...]) -> TreesDescription | None:
    """Return the trees of scikit-learn's regressors; None of those that are no sum of trees."""
    # Not by their classes, whose import would load all of scikit-learn's ensembles.
    kinds = {kind.__name__ for kind in type(regressor).__mro__}
    if "BaseDecisionTree" in kinds:
        return TreesDescription(names, (scikit_learn_tree(regressor.tree_),))
    if "ForestRegressor" in kinds:
        share = 1.0 / len(regressor.estimators_)
        trees = tuple(scikit_learn_tree(each.tree_, share) for each in regressor.estimators_)
        return TreesDescription(names, trees)
    if "BaseGradientBoosting" in kinds and regressor.init is None:
        rate = regressor.learning_rate
        trees = tuple(scikit_learn_tree(each.tree_, rate) for each in regressor.estimators_[:, 0])
        return TreesDescription(names, trees, float(np.ravel(regressor.init_.constant_)[0]))
    return None
