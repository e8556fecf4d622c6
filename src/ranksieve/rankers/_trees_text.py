"""Checks of trees in LightGBM's text, which LightGBM itself ends the process on."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError

_PARAMETERS = re.compile(rb"\nparameters:\n(?:\[\w+: [^\n]*\]\n)*\nend of parameters\n")
_LEAVES = ("leaf_value", "leaf_weight", "leaf_count")
_NODES = (
    "split_feature",
    "split_gain",
    "threshold",
    "decision_type",
    "left_child",
    "right_child",
    "internal_value",
    "internal_weight",
    "internal_count",
)


def check_trees(payload: bytes) -> None:
    """Raise DataError unless all trees are there, whole, and lead from their root to leaves.

    LightGBM reads trees on several threads, where an error of its own ends the process, and
    takes lengths and places on trust.
    """
    sizes = re.search(rb"^tree_sizes=([\d ]*)$", payload, re.MULTILINE)
    last_feature = re.search(rb"^max_feature_idx=(\d{1,9})$", payload, re.MULTILINE)
    start, end = payload.find(b"\nTree=0\n"), payload.find(b"\nend of trees\n")
    if not payload.startswith(b"tree\n") or sizes is None or last_feature is None or start < 0:
        raise DataError("it holds no trees of LightGBM")
    lengths = [int(size) for size in sizes[1].split()]
    if sum(lengths) != end - start:
        raise DataError("its trees of LightGBM are not as long as it says")
    if _PARAMETERS.search(payload, end) is None:
        raise DataError("the parameters of its trees of LightGBM are damaged")
    place = start + 1
    for number, length in enumerate(lengths):
        _check_tree(payload[place : place + length], number, int(last_feature[1]))
        place += length


def _check_tree(text: bytes, number: int, last_feature: int) -> None:
    head, *lines = text.decode().rstrip("\n").split("\n")
    try:
        fields = {
            name: np.array(values.split(), dtype=np.float64)
            for name, values in (line.split("=") for line in lines)
        }
        sound = head == f"Tree={number}" and _is_sound(fields, last_feature)
    except (ValueError, KeyError, IndexError):
        sound = False
    if not sound:
        raise DataError(f"its tree {number} of LightGBM is damaged")


def _is_sound(fields: dict[str, NDArray[np.float64]], last_feature: int) -> bool:
    n_leaves = int(fields["num_leaves"][0])
    if n_leaves == 1:
        return len(fields["leaf_value"]) == 1
    whole = all(len(fields[name]) == n_leaves for name in _LEAVES) and all(
        len(fields[name]) == n_leaves - 1 for name in _NODES
    )
    features = fields["split_feature"]
    return (
        whole
        and bool(((features >= 0) & (features <= last_feature)).all())
        and all(_leads_down(fields[side], n_leaves) for side in ("left_child", "right_child"))
    )


def _leads_down(children: NDArray[np.float64], n_leaves: int) -> bool:
    """Tell whether each node leads to a later one or, by a negative number, to a leaf."""
    node = np.arange(len(children))
    to_node = (children > node) & (children < n_leaves - 1)
    to_leaf = (children < 0) & (children >= -n_leaves)
    return bool((to_node | to_leaf).all())
