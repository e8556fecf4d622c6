"""XGBoost's JSON, rebuilt from values that were checked.

XGBoost takes lengths and indices on trust, and reads members of its JSON that nobody asked for.
So it is never given a file's text: what it writes for trees of one score is read, checked and
written again, and any other member is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError

_ROOT_PARENT = _DELETED = 2**31 - 1
# XGBoost walks trees by recursion: the depth is less than 2 to the power of this.
_DOUBLINGS = 10
_NUMBER = r"-?\d{1,20}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?"
_FLAG, _COUNT = "[01]", r"\d{1,10}"
# Members that versions before 3 lack may be absent.
_LAMBDARANK = {
    "lambdarank_bias_norm": _NUMBER,
    "lambdarank_normalization": _FLAG,
    "lambdarank_num_pair_per_sample": _COUNT,
    "lambdarank_pair_method": "topk|mean",
    "lambdarank_score_normalization": _FLAG,
    "lambdarank_unbiased": _FLAG,
    "ndcg_exp_gain": _FLAG,
}
_NO_CATEGORIES: dict[str, list[Any]] = {
    "categories": [],
    "categories_nodes": [],
    "categories_segments": [],
    "categories_sizes": [],
}
_NO_CATS: dict[str, list[Any]] = {"enc": [], "feature_segments": [], "sorted_idx": []}
_REALS = ("base_weights", "loss_changes", "split_conditions", "sum_hessian")


def checked_json_trees(payload: bytes, n_features: int) -> bytes:
    """Return JSON of XGBoost with the values of a payload; DataError unless they are sound.

    Sound are trees of one score whose nodes lead from the root to leaves, by features that exist.
    """
    try:
        content = json.loads(
            payload, object_pairs_hook=_without_repeats, parse_constant=_no_constant
        )
        rebuilt = _model(content, n_features)
    except _UnsoundError as error:
        raise DataError(f"its {error} of XGBoost is damaged") from None
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise DataError("it holds no trees of XGBoost in JSON") from None
    return json.dumps(rebuilt, separators=(",", ":")).encode()


class _UnsoundError(Exception):
    """The part that is not as XGBoost writes it."""


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _UnsoundError("text, in which a member is there twice,")
    return members


def _no_constant(text: str) -> Any:
    raise _UnsoundError(f"text with the number {text}")


def _model(content: Any, n_features: int) -> dict[str, Any]:
    if not isinstance(content, dict) or "learner" not in content:
        raise ValueError
    _members(content, "first object", {"learner", "version"})
    learner = _members(
        content["learner"],
        "learner",
        {"feature_names", "gradient_booster", "learner_model_param", "objective"},
        {"attributes", "feature_types"},
    )
    _require(not learner.get("attributes") and not learner.get("feature_types"), "learner")
    version = content["version"]
    _require(isinstance(version, list) and len(version) == 3, "version")
    return {
        "learner": {
            "attributes": {},
            "feature_names": _names(learner["feature_names"], n_features),
            "feature_types": [],
            "gradient_booster": _booster(learner["gradient_booster"], n_features),
            "learner_model_param": _learner_param(learner["learner_model_param"], n_features),
            "objective": _objective(learner["objective"]),
        },
        "version": _integers(version, "version", 0, 10**6).tolist(),
    }


def _members(value: Any, part: str, needed: Set[str], further: Set[str] = frozenset()) -> Any:
    """Return an object of JSON that has the needed members, and no others but the further ones."""
    _require(isinstance(value, dict) and needed <= set(value) <= needed | further, part)
    return value


def _require(sound: bool, part: str) -> None:
    if not sound:
        raise _UnsoundError(part)


def _names(names: Any, n_features: int) -> list[str]:
    texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
    _require(texts and len(set(names)) == len(names) in (0, n_features), "list of features")
    return list(names)


def _learner_param(param: Any, n_features: int) -> dict[str, str]:
    """Return the parameters of a learner of one score; older versions write them alike."""
    patterns = {
        # XGBoost up to 3.0 writes a number, later ones a list of one.
        "base_score": rf"{_NUMBER}|\[{_NUMBER}\]",
        "boost_from_average": _FLAG,
        "num_class": "0",
        "num_feature": _COUNT,
        "num_target": "1",
    }
    texts = _texts(param, patterns, "learner")
    _finite_single([float(texts["base_score"].strip("[]"))], "learner", 1)
    if int(texts["num_feature"]) != n_features:
        raise DataError(
            f"its trees of XGBoost are of {int(texts['num_feature'])} features, but it says that "
            f"it has {n_features}"
        )
    return texts


def _texts(value: Any, patterns: dict[str, str], part: str) -> dict[str, str]:
    """Return an object of texts that match their patterns; some of the members may be absent."""
    _members(value, part, set(), set(patterns))
    for name, text in value.items():
        sound = isinstance(text, str) and re.fullmatch(patterns[name], text, re.ASCII)
        _require(bool(sound), part)
    return dict(value)


def _objective(objective: Any) -> dict[str, Any]:
    _members(objective, "objective", {"name"}, {"lambdarank_param", "reg_loss_param", "ti+", "tj-"})
    name = objective["name"]
    if name == "reg:squarederror":
        _members(objective, "objective", {"name", "reg_loss_param"})
        options = _texts(objective["reg_loss_param"], {"scale_pos_weight": _NUMBER}, "objective")
        return {"name": name, "reg_loss_param": options}
    _require(name in ("rank:ndcg", "rank:map", "rank:pairwise"), "objective")
    _require("reg_loss_param" not in objective, "objective")
    param = _texts(objective["lambdarank_param"], _LAMBDARANK, "objective")
    _require(int(param.get("lambdarank_num_pair_per_sample", "1")) < 2**32, "objective")
    biases = {
        each: _finite_single(objective[each], "objective")
        for each in ("ti+", "tj-")
        if each in objective
    }
    return {"lambdarank_param": param, "name": name, **biases}


def _booster(booster: Any, n_features: int) -> dict[str, Any]:
    _members(booster, "booster", {"model", "name"})
    _require(booster["name"] == "gbtree", "booster")
    model = _members(
        booster["model"],
        "booster",
        {"gbtree_model_param", "iteration_indptr", "tree_info", "trees"},
        {"cats"},
    )
    trees = model["trees"]
    _require(isinstance(trees, list) and len(trees) > 0, "list of trees")
    # Of one output; another number is an index of an array, too.
    _require(model["tree_info"] == [0] * len(trees), "list of trees of one score")
    _require(model.get("cats", _NO_CATS) == _NO_CATS, "list of categories")
    param = _texts(
        model["gbtree_model_param"], {"num_parallel_tree": _COUNT, "num_trees": _COUNT}, "booster"
    )
    n_together = int(param["num_parallel_tree"])
    _require(int(param["num_trees"]) == len(trees) and n_together >= 1, "list of trees")
    starts = list(range(0, len(trees) + 1, n_together))
    _require(model["iteration_indptr"] == starts and starts[-1] == len(trees), "list of rounds")
    checked: dict[str, Any] = {
        "gbtree_model_param": param,
        "iteration_indptr": starts,
        "tree_info": [0] * len(trees),
        "trees": [_tree(tree, index, n_features) for index, tree in enumerate(trees)],
    }
    cats = {"cats": _NO_CATS} if "cats" in model else {}
    return {"model": {**cats, **checked}, "name": "gbtree"}


def _tree(tree: Any, index: int, n_features: int) -> dict[str, Any]:
    part = f"tree {index}"
    _members(
        tree,
        part,
        {*_REALS, *_NODES, *_NO_CATEGORIES, "id", "tree_param"},
    )
    n_nodes = len(tree["left_children"]) if isinstance(tree["left_children"], list) else 0
    _require(n_nodes > 0, part)
    _require(all(tree[name] == [] for name in _NO_CATEGORIES), part)
    nodes = {name: bounds(n_nodes) for name, bounds in _NODES.items()}
    arrays = {
        name: _integers(tree[name], part, *limits, length=n_nodes) for name, limits in nodes.items()
    }
    n_deleted = _check_ways(arrays, n_features, part)
    param = _texts(
        tree["tree_param"],
        dict.fromkeys(("num_deleted", "num_feature", "num_nodes", "size_leaf_vector"), _COUNT),
        part,
    )
    numbers = {"num_deleted": n_deleted, "num_feature": n_features, "num_nodes": n_nodes}
    _require(all(int(param[name]) == value for name, value in numbers.items()), part)
    _require(param.get("size_leaf_vector", "1") in ("0", "1"), part)
    _require(type(tree["id"]) is int and tree["id"] == index, part)
    return {
        **{name: _finite_single(tree[name], part, n_nodes) for name in _REALS},
        **{name: array.tolist() for name, array in arrays.items()},
        **_NO_CATEGORIES,
        "id": index,
        "tree_param": param,
    }


# The least and the largest value of what each of n nodes has.
_NODES: dict[str, Callable[[int], tuple[int, int]]] = {
    "default_left": lambda n: (0, 1),
    "left_children": lambda n: (-1, n - 1),
    "parents": lambda n: (0, _ROOT_PARENT),
    "right_children": lambda n: (-1, n - 1),
    "split_indices": lambda n: (0, _DELETED),
    "split_type": lambda n: (0, 0),
}


def _check_ways(tree: dict[str, NDArray[np.int64]], n_features: int, part: str) -> int:
    """Return how many nodes are deleted; raise unless the others are one tree from the root."""
    left, right, parents = tree["left_children"], tree["right_children"], tree["parents"]
    used = tree["split_indices"]
    deleted = used == _DELETED
    inner = left != -1
    nodes = np.flatnonzero(inner)
    children = np.concatenate([left[nodes], right[nodes]])
    _require(bool((inner == (right != -1)).all() and (children > 0).all()), part)
    # Each node has one parent, and no way leads back: parents are earlier than their children.
    _require(len(np.unique(children)) == len(children), part)
    _require(bool((children > np.tile(nodes, 2)).all()), part)
    _require(bool((parents[children] == np.tile(nodes, 2)).all()), part)
    unreached = np.ones(len(left), dtype=bool)
    unreached[children] = False
    unreached[0] = False
    _require(np.array_equal(unreached, deleted) and parents[0] == _ROOT_PARENT, part)
    _require(bool((used[~deleted] < n_features).all()), part)
    # What deleted nodes say is not followed, but must not point outside.
    _require(bool((parents[1:] < len(left)).all() and not inner[deleted].any()), part)
    above = np.zeros_like(parents)
    above[children] = parents[children]
    for _ in range(_DOUBLINGS):
        above = above[above]
    _require(not above.any(), f"{part}, deeper than {2**_DOUBLINGS} levels,")
    return int(deleted.sum())


def _integers(
    values: Any, part: str, least: int, most: int, *, length: int | None = None
) -> NDArray[np.int64]:
    sound = isinstance(values, list) and length in (None, len(values))
    # Also True and False are of class int.
    _require(sound and all(type(value) is int for value in values), part)
    _require(all(least <= value <= most for value in values), part)
    return np.array(values, dtype=np.int64)


def _finite_single(values: Any, part: str, length: int | None = None) -> list[float]:
    """Return numbers that are finite in float32, each in its shortest text."""
    sound = isinstance(values, list) and length in (None, len(values))
    _require(sound and all(type(value) in (int, float) for value in values), part)
    with np.errstate(over="ignore"):
        single = np.array(values, dtype=np.float64).astype(np.float32)
    _require(bool(np.isfinite(single).all()), part)
    return [float(str(value)) for value in single]
