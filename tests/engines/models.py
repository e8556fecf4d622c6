"""Small models in the engines' formats, written by hand: no exporter is involved."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

SOLR = "org.apache.solr.ltr.model."


def below(value: float) -> np.float32:
    """The next smaller float32."""
    return np.nextafter(np.float32(value), np.float32(-np.inf))


def above(value: float) -> np.float32:
    """The next larger float32."""
    return np.nextafter(np.float32(value), np.float32(np.inf))


def column(*values: float) -> np.ndarray:
    """Documents with one feature."""
    return np.array([[value] for value in values], dtype=np.float64)


def xgboost_split(threshold: float, *, missing: str = "yes", split: str = "a", **extra) -> dict:
    """A stump that gives 1 on the left and 2 on the right, as XGBoost dumps it."""
    ids = {"yes": 1, "no": 2}
    return {
        **{"nodeid": 0, "depth": 0, "split": split, "split_condition": float(threshold)},
        **{**ids, "missing": ids[missing]},
        "children": [{"nodeid": 1, "leaf": 1.0}, {"nodeid": 2, "leaf": 2.0}],
        **extra,
    }


def solr_model(kind: str, names, params: dict[str, Any], **extra) -> dict[str, Any]:
    features = [{"name": name} for name in names]
    return {"class": SOLR + kind, "name": "m", "features": features, "params": params, **extra}


def solr_split(threshold: float, feature: str = "a", **extra) -> dict[str, Any]:
    """A stump that gives 1 on the left and 2 on the right. Solr reads its numbers from texts."""
    return {
        "feature": feature,
        "threshold": repr(float(threshold)),
        **extra,
        "left": {"value": "1.0"},
        "right": {"value": "2.0"},
    }


def solr_trees(*roots: dict[str, Any], names=("a",), **params) -> str:
    trees = [{"weight": "1.0", "root": root} for root in roots]
    return json.dumps(solr_model("MultipleAdditiveTreesModel", names, {"trees": trees, **params}))


def lightgbm_split(threshold: float, *, default_left: bool, missing_type: str = "None") -> str:
    """A stump that gives 1 on the left and 2 on the right, with the keys that Vespa reads."""
    node = {
        **{"split_feature": 0, "threshold": float(threshold), "decision_type": "<="},
        **{"default_left": default_left, "missing_type": missing_type},
        "left_child": {"leaf_value": 1.0},
        "right_child": {"leaf_value": 2.0},
    }
    return lightgbm_model(node)


def lightgbm_model(*roots: dict[str, Any], objective: str = "lambdarank") -> str:
    return json.dumps(
        {
            **{"objective": objective, "feature_names": ["a"], "pandas_categorical": []},
            "tree_info": [{"tree_structure": root} for root in roots],
        }
    )


def ranklib_trees(*trees: str) -> str:
    """A LambdaMART model of RankLib from the insides of its trees."""
    body = "".join(
        f'<tree id="{number}" weight="1.0"><split>{tree}</split></tree>'
        for number, tree in enumerate(trees, 1)
    )
    return f"## LambdaMART\n## No. of trees = {len(trees)}\n\n<ensemble>{body}</ensemble>\n"


def ranklib_split(threshold: float, feature: int = 1) -> str:
    """A stump that gives 1 on the left and 2 on the right."""
    return (
        f"<feature> {feature} </feature><threshold> {float(threshold)!r} </threshold>"
        '<split pos="left"><output> 1.0 </output></split>'
        '<split pos="right"><output> 2.0 </output></split>'
    )
