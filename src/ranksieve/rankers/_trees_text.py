"""Checks of LightGBM's text, all of it, before LightGBM reads it.

LightGBM takes lengths and indices on trust, and reads trees on several threads, where an error of
its own ends the process. So each line is matched, in the order in which LightGBM writes them, and
each number is compared with what it counts or points to. What is not matched is refused: other
objectives, several classes, categories.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError

_INTEGER = r"-?\d{1,10}"
_NUMBER = r"-?\d{1,30}(?:\.\d{1,30})?(?:e[-+]?\d{1,3})?"
_NAME = r"[A-Za-z0-9_.@/+-]+"
_RANGE = rf"(?:none|\[{_NUMBER}:{_NUMBER}\])"


def _several(item: str) -> str:
    return rf"(?:{item}(?: {item})*)?"


_HEAD = re.compile(
    r"tree\n"
    r"version=v4\n"
    r"num_class=1\n"
    r"num_tree_per_iteration=1\n"
    r"label_index=0\n"
    r"max_feature_idx=(?P<last_feature>\d{1,9})\n"
    r"objective=(?:lambdarank|rank_xendcg|regression|regression sqrt)\n"
    rf"feature_names=(?P<names>{_several(_NAME)})\n"
    rf"(?:monotone_constraints=(?P<monotone>{_several('(?:-1|0|1)')})\n)?"
    rf"feature_infos=(?P<ranges>{_several(_RANGE)})\n"
    rf"tree_sizes=(?P<sizes>{_INTEGER}(?: {_INTEGER})*)\n\n",
    re.ASCII,
)
_TAIL = re.compile(
    r"end of trees\n\n"
    rf"feature_importances:\n(?:{_NAME}={_NUMBER}\n)*\n"
    r'parameters:\n(?:\[\w+: [^\x00-\x1f"\\]*\]\n)*\n'
    r"end of parameters\n\n"
    r"pandas_categorical:null\n",
    re.ASCII,
)
# As they follow one another in a tree: a value for each inner node, or for each leaf.
_LINES = (
    ("num_leaves", _INTEGER),
    ("num_cat", "0"),
    ("split_feature", _several(_INTEGER)),
    ("split_gain", _several(_NUMBER)),
    ("threshold", _several(_NUMBER)),
    ("decision_type", _several(_INTEGER)),
    ("left_child", _several(_INTEGER)),
    ("right_child", _several(_INTEGER)),
    ("leaf_value", _several(_NUMBER)),
    ("leaf_weight", _several(_NUMBER)),
    ("leaf_count", _several(_INTEGER)),
    ("internal_value", _several(_NUMBER)),
    ("internal_weight", _several(_NUMBER)),
    ("internal_count", _several(_INTEGER)),
    ("is_linear", "[01]"),
)
_LINEAR_LINES = (
    ("leaf_const", _several(_NUMBER)),
    ("num_features", _several(_INTEGER)),
    ("leaf_features", "[-0-9 ]*"),
    ("leaf_coeff", "[-+.e0-9 ]*"),
)


def _matching(lines: tuple[tuple[str, str], ...]) -> str:
    return "".join(rf"{name}=(?P<{name}>{value})\n" for name, value in lines)


_TREE = re.compile(
    r"Tree=(?P<index>\d{1,9})\n"
    rf"{_matching(_LINES)}(?:{_matching(_LINEAR_LINES)})?"
    rf"shrinkage=(?P<shrinkage>{_NUMBER})\n\n\n",
    re.ASCII,
)
_PER_NODE = ("split_gain", "threshold", "internal_value", "internal_weight")
_PER_LEAF = ("leaf_value", "leaf_weight")
# Numerical splits, with each way of missing values: the bit of 1 would be a categorical split.
_DECISIONS = (0, 2, 4, 6, 8, 10)
_LARGEST = 2**31 - 1

# Below this, doubles lose digits.
_LEAST_NORMAL = np.finfo(np.float64).tiny


def check_trees(payload: bytes, n_features: int) -> None:
    """Raise DataError unless the text is a sound model of LightGBM for this number of features."""
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        raise DataError("it holds no trees of LightGBM") from None
    head = _HEAD.match(text)
    if head is None:
        raise DataError("it holds no trees of LightGBM, or its head is damaged")
    _check_head(head, n_features)
    start = head.end()
    for index, size in enumerate(head["sizes"].split()):
        stop = start + int(size)
        tree = _TREE.fullmatch(text, start, stop) if start < stop <= len(text) else None
        if tree is None or int(tree["index"]) != index or not _is_sound(tree, n_features):
            raise DataError(f"its tree {index} of LightGBM is damaged")
        start = stop
    if _TAIL.fullmatch(text, start) is None:
        raise DataError("what follows its trees of LightGBM is damaged")


def _check_head(head: re.Match[str], n_features: int) -> None:
    if int(head["last_feature"]) != n_features - 1:
        raise DataError(
            f"its trees of LightGBM are of {int(head['last_feature']) + 1} features, but it says "
            f"that it has {n_features}"
        )
    names = head["names"].split()
    lists = [names, head["ranges"].split()]
    if head["monotone"] is not None:
        lists.append(head["monotone"].split())
    if any(len(values) != n_features for values in lists) or len(set(names)) != n_features:
        raise DataError("what its trees of LightGBM say of their features is damaged")


def _is_sound(tree: re.Match[str], n_features: int) -> bool:
    n_leaves = int(tree["num_leaves"])
    if not 1 <= n_leaves <= len(tree[0]) or not _finite(tree["shrinkage"], 1):
        return False
    if n_leaves == 1:
        # The rest is empty, and LightGBM does not read it.
        return _finite(tree["leaf_value"], 1) and tree["is_linear"] == "0"
    n_nodes = n_leaves - 1
    left = _within(tree["left_child"], n_nodes, -n_leaves, n_nodes - 1)
    right = _within(tree["right_child"], n_nodes, -n_leaves, n_nodes - 1)
    decisions = _within(tree["decision_type"], n_nodes, 0, max(_DECISIONS))
    return (
        all(_finite(tree[name], n_nodes) for name in _PER_NODE)
        and all(_finite(tree[name], n_leaves) for name in _PER_LEAF)
        and _within(tree["split_feature"], n_nodes, 0, n_features - 1) is not None
        and _within(tree["internal_count"], n_nodes, 0, _LARGEST) is not None
        and _within(tree["leaf_count"], n_leaves, 0, _LARGEST) is not None
        and decisions is not None
        and bool(np.isin(decisions, _DECISIONS).all())
        and left is not None
        and right is not None
        and _leads_down(left, right)
        and (tree["is_linear"] == "1") == (tree["leaf_const"] is not None)
        and (tree["is_linear"] == "0" or _is_linear(tree, n_leaves, n_features))
    )


def _leads_down(left: NDArray[np.int64], right: NDArray[np.int64]) -> bool:
    """Tell whether each node but the first, and each leaf, has one parent, which is earlier."""
    n_nodes = len(left)
    children = np.concatenate([left, right])
    earlier = np.tile(np.arange(n_nodes), 2)
    inner = children >= 0
    # Leaf 0 is -1, leaf 1 is -2; with the root they fill the numbers from -n_leaves to n_nodes - 1.
    every = np.sort(np.append(children, 0))
    return bool((children[inner] > earlier[inner]).all()) and np.array_equal(
        every, np.arange(-n_nodes - 1, n_nodes)
    )


def _is_linear(tree: re.Match[str], n_leaves: int, n_features: int) -> bool:
    """Tell whether each leaf has a constant, and as many features and weights as it says."""
    counts = _within(tree["num_features"], n_leaves, 0, n_features)
    if counts is None or not _normal(tree["leaf_const"], n_leaves):
        return False
    n_terms = int(counts.sum())
    features, weights = tree["leaf_features"].split(), tree["leaf_coeff"].split()
    return (
        len(features) == len(weights) == n_terms
        and _by_leaf(features, counts) == tree["leaf_features"]
        and _by_leaf(weights, counts) == tree["leaf_coeff"]
        and all(re.fullmatch(_NUMBER, weight) for weight in weights)
        and all(re.fullmatch(_INTEGER, feature) for feature in features)
        and _within(" ".join(features), n_terms, 0, n_features - 1) is not None
        and _normal(" ".join(weights), n_terms)
    )


def _by_leaf(items: list[str], counts: NDArray[np.int64]) -> str:
    """Return items as LightGBM writes them: a blank after each, and another after each leaf."""
    ends = np.cumsum(counts).tolist()
    starts = [0, *ends[:-1]]
    leaves = (items[start:end] for start, end in zip(starts, ends, strict=True))
    return "".join("".join(f"{item} " for item in leaf) + " " for leaf in leaves)


def _within(text: str, length: int, least: int, most: int) -> NDArray[np.int64] | None:
    """Return integers; None unless there are `length` of them, each within the bounds."""
    values = np.array(text.split(), dtype=np.int64)
    sound = len(values) == length and bool(((values >= least) & (values <= most)).all())
    return values if sound else None


def _finite(text: str, length: int) -> bool:
    values = np.array(text.split(), dtype=np.float64)
    return len(values) == length and bool(np.isfinite(values).all())


def _normal(text: str, length: int) -> bool:
    """Tell whether numbers are finite, and none is so small that LightGBM's reader gives up.

    It reads the numbers of linear leaves with C++'s own function, for which 5e-324 is an error.
    """
    items = text.split()
    sizes = np.abs(np.array(items, dtype=np.float64))
    small = [item for item, size in zip(items, sizes, strict=True) if size < _LEAST_NORMAL]
    return _finite(text, length) and not any(re.search("[1-9]", _mantissa(item)) for item in small)


def _mantissa(number: str) -> str:
    return number.lower().partition("e")[0]
