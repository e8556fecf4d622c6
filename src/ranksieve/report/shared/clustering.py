"""Blocks of features that are alike: clusters of average linkage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The best order of leaves takes 0.8 s for this many features, and 9 s for twice as many.
_BEST_ORDER = 1000


@dataclass(frozen=True)
class FeatureBlock:
    """Two features or more that rank documents alike.

    Attributes
    ----------
    members : tuple of int, in the order of the clustering
    best : int, the member of the highest importance; the lower index among equals
    mean_similarity : float, over the pairs of members, scaled
    """

    members: tuple[int, ...]
    best: int
    mean_similarity: float


def clusters(
    scaled: NDArray[np.float64], features: NDArray[np.int64], cut: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return features in the order of the clustering, and the cluster of each."""
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    if len(features) < 2:
        return features, np.zeros(len(features), dtype=np.int64)
    similarity = scaled[np.ix_(features, features)]
    distances = squareform(1.0 - (similarity + similarity.T) / 2.0, checks=False)
    tree = linkage(distances, method="average")
    if len(features) <= _BEST_ORDER:
        tree = optimal_leaf_ordering(tree, distances)
    # Means of equal similarities differ by rounding: a copy is at 1 - 1e-16.
    labels = fcluster(tree, 1.0 - cut + 1e-9, criterion="distance")
    leaves = leaves_list(tree)
    return features[leaves], labels[leaves].astype(np.int64)


def feature_blocks(
    scaled: NDArray[np.float64],
    order: NDArray[np.int64],
    labels: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> tuple[FeatureBlock, ...]:
    """Return the clusters of two features or more, the largest first."""
    blocks = []
    for label in np.unique(labels):
        members = order[labels == label]
        if len(members) > 1:
            best = min(members.tolist(), key=lambda feature: (-scores[feature], feature))
            pairs = scaled[np.ix_(members, members)][np.triu_indices(len(members), 1)]
            blocks.append(FeatureBlock(tuple(members.tolist()), best, float(pairs.mean())))
    by_size = sorted(blocks, key=lambda block: (-len(block.members), -scores[block.best]))
    return tuple(by_size)


def mean_similarities(
    scaled: NDArray[np.float64], order: NDArray[np.int64], labels: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the mean similarity inside clusters and between them; NaN where there is no pair."""
    rows, columns = np.triu_indices(len(order), 1)
    values = scaled[order[rows], order[columns]]
    same = labels[rows] == labels[columns]
    inside, between = values[same], values[~same]
    return (
        float(inside.mean()) if len(inside) else np.nan,
        float(between.mean()) if len(between) else np.nan,
    )
