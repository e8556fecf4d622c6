"""Elasticsearch and OpenSearch, by their plugins for learning to rank.

Both plugins have three kinds of model that matter here:

    model/linear         {name: weight}: float32 sums, no intercept; a missing feature is 0
    model/xgboost+json   left where threshold > x, in float32; leaves are added up in float32
    model/ranklib        RankLib's text; features by their place in the set, from 1

There is no kind for LightGBM or CatBoost: their trees go as model/xgboost+json, with thresholds
moved to the next float32. A node needs `depth`, unknown keys are refused, and base_score is not
read: it is a tree of one leaf here. A definition is an object or a list in a text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ranksieve.catalog import check_choice
from ranksieve.errors import ParameterError
from ranksieve.export.prepare import (
    check_used,
    missing_differs,
    missing_goes_left,
    negative_warnings,
    nested,
    node_depths,
    used_names,
    with_base,
)
from ranksieve.export.ranklib import model_text, ordinals
from ranksieve.export.result import FILE, Export
from ranksieve.export.thresholds import LARGEST, single, single_above, single_below, text
from ranksieve.rankers import Description, LinearDescription, TreeDescription, TreesDescription

LINEAR, TREES, RANKLIB = "model/linear", "model/xgboost+json", "model/ranklib"
_TITLES = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}


def elasticsearch_export(
    description: Description,
    name: str,
    *,
    target: str,
    rule: str,
    feature_set: Sequence[str] | None,
    store: str | None,
    model_type: str | None,
) -> Export:
    """Return the body of `_createmodel`.

    Parameters
    ----------
    rule : what the engine's version does with missing features, of `missing_rule`
    feature_set : names of the set's features, in their order
    store : name of the feature set
    model_type : one of the three kinds; None for the one that suits
    """
    title = _TITLES[target]
    check_used(description, title)
    kind = _kind(description, model_type, title)
    features = used_names(description)
    notes: list[str] = []
    warnings: list[str] = []
    if kind == LINEAR:
        definition = _linear(description, notes)  # type: ignore[arg-type]
    elif kind == TREES:
        definition = _trees(description, warnings)  # type: ignore[arg-type]
        warnings += _missing_warnings(description, rule, title)
    else:
        definition = model_text(description, ordinals(description, feature_set or features))[1]
        notes.append("model/ranklib counts the features of its set: add, drop or move none.")
        warnings += _missing_warnings(description, "zero", title)
    warnings += negative_warnings(description)
    body = {"model": {"name": name, "model": {"type": kind, "definition": definition}}}
    set_name = store or "FEATURESET"
    return Export(
        target=target,
        name=name,
        kind=kind,
        content=json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n",
        suffix=".json",
        features=features,
        notes=tuple(notes),
        warnings=tuple(warnings),
        calls=(
            f"curl -X POST 'http://ENGINE_HOST:9200/_ltr/_featureset/{set_name}/_createmodel' "
            f"-H 'Content-Type: application/json' --data-binary @{FILE}",
        ),
    )


def _kind(description: Description, model_type: str | None, title: str) -> str:
    if not isinstance(description, LinearDescription | TreesDescription):
        raise ParameterError(
            f"{title}'s plugin has no networks. Take a linear ranker or trees, or Solr, Vespa or "
            "ONNX for the network."
        )
    natural = LINEAR if isinstance(description, LinearDescription) else TREES
    if model_type is None:
        return natural
    check_choice("model_type", model_type, (natural, RANKLIB))
    return model_type


def _linear(description: LinearDescription, notes: list[str]) -> str:
    weights = single(description.weights, "a weight")
    if description.intercept != 0.0:
        notes.append(
            f"model/linear has no intercept: all scores are lower by {description.intercept:g} "
            "than those of predict, which changes no order. model/ranklib has one."
        )
    used = {description.names[index]: text(weights[index]) for index in description.used}
    return json.dumps(used, ensure_ascii=False)


def _trees(description: TreesDescription, warnings: list[str]) -> str:
    trees = [_nodes(tree, description.names, warnings) for tree in with_base(description)]
    return json.dumps(trees, ensure_ascii=False, allow_nan=False)


def _nodes(tree: TreeDescription, names: tuple[str, ...], warnings: list[str]) -> Any:
    values, thresholds = single(tree.value, "a leaf"), single_below(tree.threshold)
    depths = node_depths(tree)

    def leaf(node: int) -> dict[str, Any]:
        return {"nodeid": node, "leaf": text(values[node])}

    def split(node: int, left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
        feature = names[int(tree.feature[node])]
        if thresholds[node] == LARGEST:
            warnings.append(
                f"Values of {feature!r} that are the largest float32 go another way at one split: "
                "no threshold is above them."
            )
        return {
            "nodeid": node,
            "depth": int(depths[node]),
            "split": feature,
            "split_condition": text(single_above(thresholds[node])),
            "yes": left["nodeid"],
            "no": right["nodeid"],
            "missing": (left if tree.missing_left[node] else right)["nodeid"],
            "children": [left, right],
        }

    return nested(tree, leaf, split)


def _missing_warnings(description: Description, rule: str, title: str) -> list[str]:
    if rule == "zero" and (n_splits := missing_differs(description)):
        return [
            f"This version of {title} takes a missing feature for 0, but at {n_splits} splits the "
            "model sends a missing value elsewhere: such documents score otherwise. Take a newer "
            "version, or export with missing='zero'."
        ]
    if rule == "right" and (n_splits := missing_goes_left(description)):
        return [
            f"This version of {title} sends a missing feature right at every split, but at "
            f"{n_splits} splits the model sends it left: documents in which a feature is missing "
            "score otherwise. Take OpenSearch 3.8, or let no feature be missing, such as by a "
            "function_score query around it."
        ]
    return []
