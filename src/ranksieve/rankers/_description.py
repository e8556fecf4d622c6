"""What a fitted ranker computes, in plain numbers: what other systems are given.

A description is one of three kinds. Its names are those of the features in the order of the
columns; features that the model does not use are among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAF = -1


@dataclass(frozen=True, eq=False)
class LinearDescription:
    """score = intercept + sum of weights * x, for features as given: scaling is folded in."""

    names: tuple[str, ...]
    weights: NDArray[np.float64]
    intercept: float = 0.0

    @property
    def used(self) -> NDArray[np.int64]:
        """Features with a weight that is not 0, rising."""
        return np.flatnonzero(self.weights).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TreeDescription:
    """One tree: node 0 is the root, and children come after their parents.

    A document goes left where x <= threshold, both as float64 and x a float32 number; where x is
    missing (NaN), left if `missing_left` says so.

    Attributes
    ----------
    feature : (n_nodes,) array of int64, or -1 for a leaf
    threshold : (n_nodes,) array of float64; 0 for a leaf
    missing_left : (n_nodes,) array of bool; False for a leaf
    left, right : (n_nodes,) arrays of int64; -1 for a leaf
    value : (n_nodes,) array of float64: what a leaf adds to the score; 0 elsewhere
    """

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.bool_]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: NDArray[np.float64]

    @property
    def splits(self) -> NDArray[np.int64]:
        """Nodes that are no leaves."""
        return np.flatnonzero(self.feature != LEAF).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TreesDescription:
    """score = base_score + sum over trees of the value of the leaf that a document reaches."""

    names: tuple[str, ...]
    trees: tuple[TreeDescription, ...]
    base_score: float = 0.0

    @property
    def used(self) -> NDArray[np.int64]:
        """Features that a tree asks for, rising."""
        asked = [tree.feature[tree.splits] for tree in self.trees]
        return np.unique(np.concatenate([np.empty(0, np.int64), *asked]))


@dataclass(frozen=True, eq=False)
class LayerDescription:
    """activation(weights @ inputs + biases); the activation is "tanh" or "identity"."""

    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    activation: str


@dataclass(frozen=True, eq=False)
class NetworkDescription:
    """The score is the output of the last layer, which has one unit."""

    names: tuple[str, ...]
    layers: tuple[LayerDescription, ...]

    @property
    def used(self) -> NDArray[np.int64]:
        """Features with a weight that is not 0, rising."""
        return np.flatnonzero(self.layers[0].weights.any(axis=0)).astype(np.int64)


Description = LinearDescription | TreesDescription | NetworkDescription


def stump(feature: int, threshold: float, low: float, high: float) -> TreeDescription:
    """Return the tree of one question: `low` where x <= threshold, else `high`.

    A missing value counts as 0.

    Examples
    --------
    >>> stump(3, 0.5, 0.0, 2.0).value
    array([0., 0., 2.])
    """
    return TreeDescription(
        feature=np.array([feature, LEAF, LEAF], dtype=np.int64),
        threshold=np.array([threshold, 0.0, 0.0]),
        missing_left=np.array([threshold >= 0.0, False, False]),
        left=np.array([1, LEAF, LEAF], dtype=np.int64),
        right=np.array([2, LEAF, LEAF], dtype=np.int64),
        value=np.array([0.0, low, high]),
    )
