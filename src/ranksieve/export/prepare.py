"""A description as engines can hold it: float32 splits, and no question that decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.export.thresholds import LARGEST, single_below
from ranksieve.rankers import Description, TreeDescription, TreesDescription

LEAF = -1
# Levels that readers of nested JSON and XML take, with two brackets for each.
_DEEPEST = 300
# Names that a warning lists.
_LISTED = 5

_Built = TypeVar("_Built")


def prepared(description: Description, *, missing: str) -> Description:
    """Return a description whose trees are short, and treat missing values in one way.

    Parameters
    ----------
    missing : "zero", so that a missing value goes where 0 goes, or "learned"
    """
    if not isinstance(description, TreesDescription):
        return description
    trees = tuple(_tidied(tree, zero=missing == "zero") for tree in description.trees)
    return replace(description, trees=trees)


def check_used(description: Description, target: str) -> None:
    """Raise if a model reads no feature: engines refuse it, and it ranks nothing."""
    if len(description.used) == 0:
        raise ParameterError(
            f"the model uses none of its {len(description.names)} features, so that all documents "
            f"score the same, and {target} has nothing to compute. Train it on other data."
        )


def used_names(description: Description) -> tuple[str, ...]:
    """Return the names of the features that a model reads, in the order of its columns."""
    return tuple(description.names[feature] for feature in description.used)


def with_base(description: TreesDescription) -> tuple[TreeDescription, ...]:
    """Return the trees, and first a leaf with the base score where that is not 0.

    First, since XGBoost adds its trees to it: the sums in float32 are then the same.
    """
    if description.base_score == 0.0:
        return description.trees
    none = np.array([LEAF], dtype=np.int64)
    leaf = TreeDescription(
        none, np.zeros(1), np.zeros(1, np.bool_), none, none, np.array([description.base_score])
    )
    return (leaf, *description.trees)


def missing_differs(description: Description) -> int:
    """Return at how many splits a missing value goes another way than 0."""
    if not isinstance(description, TreesDescription):
        return 0
    return sum(
        int((tree.missing_left != _zero_left(tree))[tree.splits].sum())
        for tree in description.trees
    )


def missing_goes_left(description: Description) -> int:
    """Return at how many splits a missing value goes left."""
    if not isinstance(description, TreesDescription):
        return 0
    return sum(int(tree.missing_left[tree.splits].sum()) for tree in description.trees)


def negative_warnings(description: Description) -> list[str]:
    """Return a warning where trees split features below 0, which Lucene's scores never are."""
    if not isinstance(description, TreesDescription):
        return []
    split = [
        tree.feature[(tree.feature != LEAF) & (tree.threshold < 0)] for tree in description.trees
    ]
    below = np.unique(np.concatenate([np.empty(0, np.int64), *split]))
    if len(below) == 0:
        return []
    listed = ", ".join(repr(description.names[feature]) for feature in below[:_LISTED])
    more = f" and {len(below) - _LISTED} more" if len(below) > _LISTED else ""
    return [
        f"{len(below)} of the features are split at negative values ({listed}{more}), but a "
        "feature is the score of a query, and Lucene has no negative scores: it refuses them, or "
        "makes them 0. Add a constant to such a feature in the data and in the query, and train "
        "again."
    ]


def nested(
    tree: TreeDescription,
    leaf: Callable[[int], _Built],
    split: Callable[[int, _Built, _Built], _Built],
) -> _Built:
    """Return the root, built from leaves upwards: `split(node, left, right)` of built children.

    ParameterError where it would be nested deeper than readers of JSON and XML take.
    """
    node_depths(tree)
    built: dict[int, _Built] = {}
    for node in range(len(tree.feature) - 1, -1, -1):
        if tree.feature[node] == LEAF:
            built[node] = leaf(node)
        else:
            # Parents come before their children.
            children = built.pop(int(tree.left[node])), built.pop(int(tree.right[node]))
            built[node] = split(node, *children)
    return built[0]


def node_depths(tree: TreeDescription) -> NDArray[np.int64]:
    """Return the level of each node, 0 for the root."""
    depths = np.zeros(len(tree.feature), dtype=np.int64)
    for node in tree.splits:
        depths[[tree.left[node], tree.right[node]]] = depths[node] + 1
    if depths.max() > _DEEPEST:
        raise ParameterError(
            f"a tree of the model has {depths.max()} levels, but engines' readers take nested "
            f"objects of at most {_DEEPEST}. Limit the depth (max_depth in params)."
        )
    return depths


def _zero_left(tree: TreeDescription) -> NDArray[np.bool_]:
    left: NDArray[np.bool_] = tree.threshold >= 0.0
    return left


def _tidied(tree: TreeDescription, *, zero: bool) -> TreeDescription:
    singles = single_below(tree.threshold)
    missing_left = _zero_left(tree) if zero else tree.missing_left
    kept = _without_idle(tree, singles, missing_left)
    # In doubles that JSON can write; all are beyond what float32 reaches.
    threshold = np.clip(tree.threshold, -1e300, 1e300) + 0.0
    return _renumbered(replace(tree, threshold=threshold, missing_left=missing_left), kept)


def _without_idle(
    tree: TreeDescription, singles: NDArray[np.float32], missing_left: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return which node stands for each: its child, where a question has only one answer."""
    stands = np.arange(len(tree.feature))
    for node in tree.splits[::-1]:
        left, right = stands[tree.left[node]], stands[tree.right[node]]
        leaves = tree.feature[left] == tree.feature[right] == LEAF
        if singles[node] == LARGEST and missing_left[node]:
            stands[node] = left
        elif np.isneginf(singles[node]) and not missing_left[node]:
            stands[node] = right
        elif leaves and tree.value[left] == tree.value[right]:
            stands[node] = left
    return stands


def _renumbered(tree: TreeDescription, stands: NDArray[np.int64]) -> TreeDescription:
    """Return what the root leads to, by the nodes that stand for others, parents first."""
    order: list[int] = []
    children: list[list[int]] = []
    waiting = [(int(stands[0]), -1, 0)]
    while waiting:
        node, parent, side = waiting.pop()
        if parent >= 0:
            children[parent][side] = len(order)
        if tree.feature[node] != LEAF:
            waiting.append((int(stands[tree.right[node]]), len(order), 1))
            waiting.append((int(stands[tree.left[node]]), len(order), 0))
        order.append(node)
        children.append([LEAF, LEAF])
    nodes, both = np.array(order), np.array(children, dtype=np.int64)
    return TreeDescription(
        tree.feature[nodes],
        np.where(tree.feature[nodes] == LEAF, 0.0, tree.threshold[nodes]),
        tree.missing_left[nodes] & (tree.feature[nodes] != LEAF),
        both[:, 0],
        both[:, 1],
        tree.value[nodes],
    )
