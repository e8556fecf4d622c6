"""Checks of CatBoost's binary models, all of them, before CatBoost reads them.

A model is "CBM1", a length, and a buffer of that length in the format FlatBuffers: tables, in which
each field is found by an offset. CatBoost checks the offsets, and takes what they lead to on trust:
indices of splits, sizes of trees, numbers of leaves. Here all of it is compared. Models with
anything but numbers for features, of several scores, or with further parts are refused.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError

_MARK, _FORMAT = b"CBM1", b"FlabuffersModel_v1"
# Fields of a table by their order in CatBoost's schema.
_CORE = ("format", "trees", "info", "parts")
_TREES = (
    "n_scores",
    "splits",
    "sizes",
    "starts",
    "categorical",
    "features",
    "one_hot",
    "counters",
    "leaf_values",
    "leaf_weights",
    "steps",
    "leaf_of_node",
    "texts",
    "estimated",
    "scale",
    "bias",
    "biases",
    "bins",
    "embeddings",
)
_FEATURE = ("has_nans", "index", "flat_index", "borders", "name", "nan_treatment")
_PAIR = ("key", "value")
_ABSENT = ("categorical", "one_hot", "counters", "texts", "estimated", "embeddings")
# What CatBoost would read of classes, which rankers do not have.
_CLASS_KEYS = ("class_params", "multiclass_params", "loss_function")
_STEP = np.dtype([("left", "<u2"), ("right", "<u2")])
_BIN = np.dtype([("feature", "<u2"), ("mask", "u1"), ("split", "u1")])
_DEEPEST_TREE, _DEEPEST_JSON = 16, 32
_BORDERS_IN_BIN = 254
_NO_LEAF = 2**32 - 1


def check_binary_trees(payload: bytes, n_features: int) -> None:
    """Raise DataError unless the bytes are a sound model of CatBoost for `n_features` features."""
    try:
        _check(payload, n_features)
    except _UnsoundError as error:
        raise DataError(f"its trees of CatBoost are damaged: {error}") from None


class _UnsoundError(Exception):
    """What is not as CatBoost writes it."""


def _check(payload: bytes, n_features: int) -> None:
    size = len(payload) - 8
    if size < 4 or payload[:8] != _MARK + struct.pack("<I", size & 0xFFFFFFFF) or size >= _NO_LEAF:
        raise _UnsoundError("it is no model of CatBoost, or not of the length that it says")
    buffer = _Buffer(payload[8:])
    core = buffer.table(buffer.target(0), _CORE)
    _require(buffer.text(core["format"]) == _FORMAT, "its format is unknown")
    _require(core["trees"] != 0, "it has no trees")
    _require(buffer.length(core["parts"], 4) == 0, "it has parts beside the trees")
    _check_info(buffer, core["info"])
    trees = buffer.table(buffer.target(core["trees"]), _TREES)
    for name in _ABSENT:
        _require(buffer.length(trees[name], 4) == 0, "its features are not all numbers")
    _check_scale(buffer, trees)
    n_borders = _check_features(buffer, trees["features"], n_features)
    _check_trees(buffer, trees, n_borders)


def _require(sound: bool, reason: str) -> None:
    if not sound:
        raise _UnsoundError(reason)


class _Buffer:
    """Reads of a buffer of FlatBuffers, each within its bounds; an absent field is at 0."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def number(self, form: str, position: int) -> Any:
        """Return a number at a position."""
        size = struct.calcsize(form)
        _require(0 <= position <= len(self._content) - size, "an offset leads outside")
        return struct.unpack_from(form, self._content, position)[0]

    def target(self, position: int) -> int:
        """Return where the offset at a position leads to."""
        offset: int = self.number("<I", position)
        return position + offset

    def table(self, position: int, fields: tuple[str, ...]) -> dict[str, int]:
        """Return where each field of a table is; 0 for one that is absent."""
        directory = position - self.number("<i", position)
        size = self.number("<H", directory)
        _require(size >= 4 and size % 2 == 0, "a table is damaged")
        offsets = [self.number("<H", directory + at) for at in range(4, size, 2)]
        _require(not any(offsets[len(fields) :]), "a table has fields that are unknown")
        offsets += [0] * (len(fields) - len(offsets))
        return {
            name: position + offset if offset else 0
            for name, offset in zip(fields, offsets[: len(fields)], strict=True)
        }

    def length(self, position: int, item_size: int) -> int:
        """Return how many items a vector has, all of which are inside."""
        if position == 0:
            return 0
        start = self.target(position)
        n_items: int = self.number("<I", start)
        end = start + 4 + n_items * item_size
        _require(end <= len(self._content), "a list is longer than the file")
        return n_items

    def array(self, position: int, kind: Any) -> NDArray[Any]:
        """Return a vector of numbers; empty where it is absent."""
        kind = np.dtype(kind)
        n_items = self.length(position, kind.itemsize)
        if n_items == 0:
            return np.empty(0, dtype=kind)
        start = self.target(position) + 4
        # CatBoost requires alignment to the largest number of an item.
        widest = 2 if kind.fields else kind.itemsize
        _require(start % widest == 0, "a list is not aligned")
        return np.frombuffer(self._content, dtype=kind, count=n_items, offset=start)

    def text(self, position: int) -> bytes:
        """Return a text, which a 0 ends."""
        _require(position != 0, "a text is absent")
        n_bytes = self.length(position, 1)
        start = self.target(position) + 4
        _require(self.number("<B", start + n_bytes) == 0, "a text has no end")
        text = self._content[start : start + n_bytes]
        _require(_is_utf8(text), "a text is not in UTF-8")
        return text

    def tables(self, position: int, fields: tuple[str, ...]) -> list[dict[str, int]]:
        """Return the fields of each table of a vector."""
        n_tables = self.length(position, 4)
        start = self.target(position) + 4 if n_tables else 0
        return [self.table(self.target(at), fields) for at in range(start, start + 4 * n_tables, 4)]


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_info(buffer: _Buffer, position: int) -> None:
    """Raise unless what a model tells of its training are texts, and JSON is not too deep."""
    keys = []
    for pair in buffer.tables(position, _PAIR):
        key, value = buffer.text(pair["key"]), buffer.text(pair["value"])
        keys.append(key)
        _require(key.decode() not in _CLASS_KEYS, "it is of classes")
        if value.lstrip()[:1] in (b"{", b"["):
            _require(_is_shallow_json(value), f"{key.decode()!r} is no JSON")
        else:
            _require(key != b"params", "its parameters are no JSON")
    _require(len(set(keys)) == len(keys), "a key is there twice")


def _is_shallow_json(text: bytes) -> bool:
    try:
        level = [json.loads(text)]
    except (ValueError, RecursionError):
        return False
    for _ in range(_DEEPEST_JSON):
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return True
    return False


def _check_scale(buffer: _Buffer, trees: dict[str, int]) -> None:
    """Raise unless scores are one number each, by a finite scale and bias."""
    n_scores = buffer.number("<i", trees["n_scores"]) if trees["n_scores"] else 0
    biases = buffer.array(trees["biases"], "<f8")
    _require(n_scores == 1 and len(biases) <= 1, "it gives several scores")
    numbers = [buffer.number("<d", trees[name]) for name in ("scale", "bias") if trees[name]]
    _require(bool(np.isfinite([*numbers, *biases]).all()), "its scale or bias is not finite")


def _check_features(buffer: _Buffer, position: int, n_features: int) -> list[int]:
    """Return how many borders each feature has; raise unless they rise and are finite."""
    features = buffer.tables(position, _FEATURE)
    if len(features) != n_features:
        raise _UnsoundError(
            f"they are of {len(features)} features, but it says that it has {n_features}"
        )
    n_borders = []
    for index, feature in enumerate(features):
        for name in ("index", "flat_index"):
            at = feature[name]
            _require(at != 0 and buffer.number("<i", at) == index, "a feature is out of order")
        for name, most in (("has_nans", 1), ("nan_treatment", 2)):
            at = feature[name]
            _require(at == 0 or buffer.number("<B", at) <= most, "a feature is damaged")
        if feature["name"]:
            buffer.text(feature["name"])
        borders = buffer.array(feature["borders"], "<f4")
        rise = bool(np.isfinite(borders).all() and (borders[1:] > borders[:-1]).all())
        _require(rise, f"the borders of feature {index} do not rise")
        n_borders.append(len(borders))
    return n_borders


def _check_trees(buffer: _Buffer, trees: dict[str, int], n_borders: list[int]) -> None:
    splits, sizes, starts = (
        buffer.array(trees[name], "<i4") for name in ("splits", "sizes", "starts")
    )
    steps, leaf_of_node = (
        buffer.array(trees["steps"], _STEP),
        buffer.array(trees["leaf_of_node"], "<u4"),
    )
    values, weights = (buffer.array(trees[name], "<f8") for name in ("leaf_values", "leaf_weights"))
    _require(len(sizes) > 0 and bool((sizes >= 0).all()), "it has no trees")
    ends = np.cumsum(sizes, dtype=np.int64)
    _require(np.array_equal(starts, ends - sizes), "its trees do not follow one another")
    _require(ends[-1] == len(splits), "its splits are not as many as its trees have")
    _check_splits(splits, buffer.array(trees["bins"], _BIN), n_borders, nodes=len(steps) > 0)
    if len(steps):
        n_leaves = _leaves_of_nodes(sizes, steps, leaf_of_node)
    else:
        _require(len(leaf_of_node) == 0 and int(sizes.max()) <= _DEEPEST_TREE, "a tree is too deep")
        n_leaves = int((2 ** sizes.astype(np.int64)).sum())
    _require(len(values) == n_leaves, "its leaves are not as many as its trees have")
    _require(len(weights) in (0, n_leaves), "its leaves have not one weight each")
    finite = np.isfinite(values).all() and np.isfinite(weights).all() and (weights >= 0).all()
    _require(bool(finite), "its leaves are not finite")


def _check_splits(
    splits: NDArray[Any], bins: NDArray[Any], n_borders: list[int], *, nodes: bool
) -> None:
    """Raise unless each split is by a border that exists, and its bin is that of the border."""
    total = sum(n_borders)
    # Trees of nodes have a split of 0 at each leaf, also where there is no border at all.
    bound = max(total, 1) if nodes else total
    _require(bool(((splits >= 0) & (splits < bound)).all()), "a split is by no border")
    if len(bins) == 0:
        return
    _require(len(bins) == len(splits), "its bins are not as many as its splits")
    feature, split = np.zeros(bound, np.int64), np.zeros(bound, np.int64)
    n_before = position = 0
    for n_own in n_borders:
        numbers = np.arange(n_own)
        feature[position : position + n_own] = n_before + numbers // _BORDERS_IN_BIN
        split[position : position + n_own] = numbers % _BORDERS_IN_BIN + 1
        n_before += -(-n_own // _BORDERS_IN_BIN)
        position += n_own
    alike = (
        np.array_equal(bins["feature"], feature[splits])
        and np.array_equal(bins["split"], split[splits])
        and not bins["mask"].any()
    )
    _require(alike, "its bins are not those of its splits")


def _leaves_of_nodes(sizes: NDArray[Any], steps: NDArray[Any], leaf_of_node: NDArray[Any]) -> int:
    """Return how many leaves trees of nodes have; raise unless each leads down to its own.

    A node's steps are how far on its children are; a step of 0 ends at the node's own leaf.
    """
    n_nodes = int(sizes.sum(dtype=np.int64))
    _require(
        len(steps) == len(leaf_of_node) == n_nodes, "its nodes are not as many as its trees have"
    )
    _require(bool((sizes > 0).all()), "a tree has no node")
    node = np.arange(n_nodes)
    tree = np.repeat(np.arange(len(sizes)), sizes)
    roots = np.cumsum(sizes, dtype=np.int64) - sizes
    sides = [steps[side].astype(np.int64) for side in ("left", "right")]
    children = np.concatenate([(node + side)[side > 0] for side in sides])
    parents = np.concatenate([node[side > 0] for side in sides])
    _require(bool((children < n_nodes).all()), "a node leads outside")
    _require(bool((tree[children] == tree[parents]).all()), "a node leads to another tree")
    once = np.array_equal(np.sort(np.concatenate([children, roots])), node)
    _require(once, "a node has not one parent")
    _check_depth(roots, children, parents)
    ends = (sides[0] == 0) | (sides[1] == 0)
    n_leaves = int(ends.sum())
    _require(np.array_equal(leaf_of_node[ends], np.arange(n_leaves)), "a leaf is not its node's")
    _require(bool((leaf_of_node[~ends] == _NO_LEAF).all()), "a node that has no leaf names one")
    return n_leaves


def _check_depth(
    roots: NDArray[np.int64], children: NDArray[np.int64], parents: NDArray[np.int64]
) -> None:
    parent = np.full(len(roots) + len(children), -1)
    parent[children] = parents
    above = parent
    for _ in range(_DEEPEST_TREE):
        above = np.where(above >= 0, parent[above], -1)
    _require(bool((above < 0).all()), "a tree is too deep")
