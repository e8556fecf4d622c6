"""Shapley values of trees by their definition: all subsets of the features."""

from __future__ import annotations

from itertools import combinations
from math import factorial


def lightgbm_nodes(booster):
    """The trees of LightGBM as nested nodes: feature, threshold, children, cover and value."""

    def node(part):
        if "leaf_value" in part:
            return {"value": part["leaf_value"], "cover": part.get("leaf_count", 1)}
        return {
            "feature": part["split_feature"],
            "goes_left": lambda x, limit=part["threshold"]: x <= limit,
            "cover": part["internal_count"],
            "children": [node(part["left_child"]), node(part["right_child"])],
        }

    return [node(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]


def xgboost_nodes(booster):
    """The trees of XGBoost: covers are sums of second derivatives."""
    frame = booster.trees_to_dataframe()
    rows = {row["ID"]: row for _, row in frame.iterrows()}
    names = booster.feature_names or [f"f{index}" for index in range(booster.num_features())]

    def node(name):
        row = rows[name]
        if row["Feature"] == "Leaf":
            return {"value": row["Gain"], "cover": row["Cover"]}
        return {
            "feature": names.index(row["Feature"]),
            "goes_left": lambda x, limit=row["Split"]: x < limit,
            "cover": row["Cover"],
            "children": [node(row["Yes"]), node(row["No"])],
        }

    return [node(f"{tree}-0") for tree in sorted(frame["Tree"].unique())]


def expected(node, x, known):
    """What a tree gives on average where only some features are known: by the covers of nodes."""
    if "value" in node:
        return node["value"]
    left, right = node["children"]
    if node["feature"] in known:
        return expected(left if node["goes_left"](x[node["feature"]]) else right, x, known)
    total = left["cover"] + right["cover"]
    return sum(child["cover"] / total * expected(child, x, known) for child in (left, right))


def shapley(trees, x):
    """The Shapley value of each feature, and the base."""
    n_features = len(x)

    def worth(known):
        return sum(expected(tree, x, known) for tree in trees)

    values = []
    for feature in range(n_features):
        others = [other for other in range(n_features) if other != feature]
        value = 0.0
        for size in range(n_features):
            weight = factorial(size) * factorial(n_features - size - 1) / factorial(n_features)
            for subset in combinations(others, size):
                value += weight * (worth({*subset, feature}) - worth(set(subset)))
        values.append(value)
    return [*values, worth(set())]
