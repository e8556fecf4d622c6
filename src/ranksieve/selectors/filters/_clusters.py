"""Clusters of features by their distances, and the feature that stands for each.

`clusterings(distances, method)` gives labels for each number of clusters; `representatives(labels,
worth)` the best feature of each cluster. Both know nothing of data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

from ranksieve.progress import report

MEDOIDS = "medoids"
LINKAGES = ("average", "complete", "single")
# Distances and worths that differ by less are the same, after sums in another order.
_DECIMALS = 12
_ROUNDING = 1e-12

# From a number of clusters to the cluster of each feature, 0, 1, 2 and so on.
Clusterings = Callable[[int], NDArray[np.int64]]


def distances_of(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - |similarity|, not negative, with 0 on the diagonal.

    Examples
    --------
    >>> distances_of(np.array([[1.0, -0.75], [-0.75, 1.0]]))
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    """
    distances = np.maximum(np.round(1.0 - np.abs(similarity), _DECIMALS), 0.0)
    distances = 0.5 * (distances + distances.T)
    np.fill_diagonal(distances, 0.0)
    return distances


def clusterings(distances: NDArray[np.float64], method: str) -> Clusterings:
    """Return what gives labels for a number of clusters, from 1 to the number of features.

    "medoids" is k-means for distances (`medoids`); "average", "complete" and "single" join the two
    nearest clusters again and again, so that clusters for different numbers are nested.

    Examples
    --------
    >>> points = np.array([0.0, 0.1, 1.0, 1.1])
    >>> labels = clusterings(np.abs(points[:, None] - points), "average")
    >>> labels(2), labels(4)
    (array([0, 0, 1, 1]), array([0, 1, 2, 3]))
    """
    n_features = len(distances)
    if method == MEDOIDS or n_features < 2:
        return lambda number: _around(distances, medoids(distances, number))
    tree = linkage(squareform(distances, checks=False), method)

    def cut(number: int) -> NDArray[np.int64]:
        labels: NDArray[np.int64] = cut_tree(tree, n_clusters=number)[:, 0].astype(np.int64)
        return labels

    return cut


def medoids(distances: NDArray[np.float64], number: int) -> NDArray[np.int64]:
    """Return features of which the nearest to each feature is least far away, in sum.

    The first is that with the least sum of distances, each further one lowers the sum most; then
    one of them changes places with another feature as long as the sum falls, the best change first
    (Kaufman and Rousseeuw's PAM). Nothing is random; ties go to the lower index.

    Notes
    -----
    Cost: O(k p^2) for each change, with k medoids of p features.

    Examples
    --------
    >>> points = np.array([0.0, 0.1, 0.2, 1.0, 1.1, 1.3])
    >>> medoids(np.abs(points[:, None] - points), 2)
    array([1, 4])
    """
    chosen: list[int] = []
    nearest = np.full(len(distances), np.inf)
    for _ in range(number):
        sums = np.minimum(distances, nearest[:, None]).sum(axis=0)
        sums[chosen] = np.inf
        chosen.append(_first_least(sums))
        nearest = np.minimum(nearest, distances[:, chosen[-1]])
    while _swap(distances, chosen):
        pass
    return np.sort(np.array(chosen, dtype=np.int64))


def _swap(distances: NDArray[np.float64], chosen: list[int]) -> bool:
    """Make the change of a medoid that lowers the sum most; tell whether there is one."""
    total = distances[:, chosen].min(axis=1).sum()
    best, change = total, None
    for leaving in sorted(chosen):
        staying = [each for each in chosen if each != leaving]
        nearest = distances[:, staying].min(axis=1, initial=np.inf)
        sums = np.minimum(distances, nearest[:, None]).sum(axis=0)
        sums[chosen] = np.inf
        entering = _first_least(sums)
        if sums[entering] < best - _ROUNDING * len(distances):
            best, change = sums[entering], (leaving, entering)
    if change is None:
        return False
    chosen[chosen.index(change[0])] = change[1]
    return True


def _first_least(sums: NDArray[np.float64]) -> int:
    return int(np.argmin(np.round(sums, _DECIMALS)))


def _around(distances: NDArray[np.float64], centres: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cluster of each feature: that of the nearest centre, each centre in its own."""
    labels: NDArray[np.int64] = np.argmin(distances[:, centres], axis=1).astype(np.int64)
    labels[centres] = np.arange(len(centres))
    return labels


def representatives(labels: NDArray[np.int64], worth: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the feature of each cluster that is worth most, by falling worth.

    Equal ones go to the lower index. A label of -1 is in no cluster.

    Examples
    --------
    >>> representatives(np.array([0, 0, 1, 1, -1]), np.array([1.0, 2.0, 5.0, 5.0, 9.0]))
    array([2, 1])
    """
    order = np.argsort(-np.round(worth, _DECIMALS), kind="stable")
    order = order[labels[order] >= 0]
    _, first = np.unique(labels[order], return_index=True)
    heads: NDArray[np.int64] = order[np.sort(first)].astype(np.int64)
    return heads


class NumberOfClusters(NamedTuple):
    """A number, and the criterion for each that it was chosen from."""

    number: int
    candidates: NDArray[np.int64]
    criterion: NDArray[np.float64]


def by_mean_silhouette(distances: NDArray[np.float64], labels_for: Clusterings) -> NumberOfClusters:
    """Return the number whose clusters are the tightest and best separated.

    The criterion is the mean silhouette, for 2 clusters up to half of the features: with more,
    some clusters have one feature only, whose silhouette is 0 by definition. Equal ones go to the
    fewer; up to two features are a cluster each.
    """
    from sklearn.metrics import silhouette_score

    n_features = len(distances)
    if n_features <= 2:
        return NumberOfClusters(n_features, np.empty(0, dtype=np.int64), np.empty(0))
    candidates = np.arange(2, (n_features + 1) // 2 + 1)
    criterion = np.empty(len(candidates))
    for index, number in enumerate(candidates):
        labels = labels_for(int(number))
        criterion[index] = silhouette_score(distances, labels, metric="precomputed")
        report("number of clusters", index + 1, len(candidates))
    best = int(np.argmax(np.round(criterion, _DECIMALS)))
    return NumberOfClusters(int(candidates[best]), candidates, criterion)
