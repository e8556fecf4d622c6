"""Checks of trees in XGBoost's JSON, which XGBoost itself follows on trust."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ranksieve.errors import DataError

_NODES = ("left_children", "right_children", "split_indices", "split_conditions", "default_left")


def check_json_trees(payload: bytes) -> None:
    """Raise DataError unless every tree leads from its root to leaves, by features that exist.

    XGBoost reads beyond its arrays where a number in them is too large, and walks for ever
    where a node leads back to itself.
    """
    try:
        learner = json.loads(payload)["learner"]
        model, n_features = learner["gradient_booster"]["model"], learner["learner_model_param"]
        sound = [_is_sound(tree, int(n_features["num_feature"])) for tree in model["trees"]]
        # Of one output; another number is a place in an array, too.
        listed = model["tree_info"] == [0] * len(sound)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise DataError("it holds no trees of XGBoost in JSON") from None
    if not listed:
        raise DataError("its trees of XGBoost are not listed as trees of one score")
    if not all(sound):
        raise DataError(f"its tree {sound.index(False)} of XGBoost is damaged")


def _is_sound(tree: dict[str, Any], n_features: int) -> bool:
    left, right, features = (np.array(tree[name], dtype=np.int64) for name in _NODES[:3])
    n_nodes = len(left)
    if n_nodes == 0 or any(np.shape(tree[name]) != (n_nodes,) for name in _NODES):
        return False
    inner = left != -1
    children = np.concatenate([left[inner], right[inner]])
    # Where no node has two parents and the root has none, no way leads back.
    once = len(np.unique(children)) == len(children)
    within = bool(((children > 0) & (children < n_nodes)).all())
    used = features[inner]
    known = bool(((used >= 0) & (used < n_features)).all())
    return once and within and known and bool((right[~inner] == -1).all())
