"""Spectral clusters of a graph of features, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ranksieve.kernels.similarity.bisection import bisect_rows
from ranksieve.progress import report
from ranksieve.selectors.base import by_score

_DECIMALS = 12
_SAME = 9  # decimals to which rows of an embedding are equal
# Whole bisections, of which the tightest is taken, and runs of k-means for each split of one.
N_STARTS, _N_RUNS = 100, 10


@dataclass(frozen=True, eq=False)
class Clustering:
    """A cluster for each feature, and the rows that were clustered.

    labels : (p,) array, from 0; -1 for a feature outside every cluster
    rows : (p, k) array of unit rows; zero for a feature without edges
    """

    labels: NDArray[np.int64]
    rows: NDArray[np.float64]


def cluster_features(
    weights: NDArray[np.float64],
    relevance: NDArray[np.float64],
    n_clusters: int,
    *,
    n_starts: int = N_STARTS,
    random_state: int = 0,
) -> Clustering:
    """Return `n_clusters` clusters of features (or as many as there are features).

    A feature without edges is a cluster of its own, the most relevant first, while the number
    allows: one cluster is left for features with edges, if there are any. Features without
    edges for which no cluster is left are in none.

    K-means starts from rows drawn by number: features are handed to it by falling
    relevance, so that the order of columns decides nothing.

    Examples
    --------
    >>> weights = np.array([[0, 0.9, 0, 0], [0.9, 0, 0, 0], [0, 0, 0, 0.8], [0, 0, 0.8, 0]])
    >>> cluster_features(weights, np.array([0.4, 0.3, 0.2, 0.1]), 2).labels.tolist()
    [0, 0, 1, 1]
    """
    alone, linked = by_edges(weights, relevance)
    n_alone = min(len(alone), n_clusters - min(len(linked), 1))
    n_linked = min(len(linked), n_clusters - n_alone)
    labels = np.full(len(weights), -1, dtype=np.int64)
    rows = np.zeros((len(weights), n_linked))
    labels[alone[:n_alone]] = np.arange(n_alone)
    if n_linked:
        rows[linked] = spectral_rows(weights[np.ix_(linked, linked)], n_linked)
        labels[linked] = n_alone + bisect(
            rows[linked], n_linked, n_starts=n_starts, random_state=random_state
        )
    return Clustering(labels, rows)


def by_edges(
    weights: NDArray[np.float64], relevance: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the features without edges, and those with edges, each by falling relevance."""
    order = by_score(np.round(relevance, _DECIMALS))
    linked = weights[order].sum(axis=1) > 0
    return order[~linked], order[linked]


def laplacian(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return I - A^-1/2 W A^-1/2, A the diagonal of the sums of rows.

    The row of a feature without edges is zero: like every other component of the graph, it
    adds one eigenvalue 0.

    Examples
    --------
    >>> laplacian(np.array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    array([[ 1., -1.,  0.],
           [-1.,  1.,  0.],
           [ 0.,  0.,  0.]])
    """
    degrees = weights.sum(axis=1)
    linked = degrees > 0
    scale = np.where(linked, 1.0 / np.sqrt(np.where(linked, degrees, 1.0)), 0.0)
    matrix: NDArray[np.float64] = np.diag(linked.astype(np.float64))
    return matrix - scale[:, None] * weights * scale


def spectral_rows(weights: NDArray[np.float64], n_columns: int) -> NDArray[np.float64]:
    """Return features in the space of the smallest eigenvectors, as rows of length 1.

    A row of length 0 (below 1e-10: rounding) stays 0. It occurs where the graph has more
    components than columns are asked for.

    Examples
    --------
    >>> pair = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> np.abs(spectral_rows(pair, 1)).tolist()
    [[1.0], [1.0]]
    """
    _, vectors = eigh(laplacian(weights), subset_by_index=(0, n_columns - 1))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    there = lengths > 1e-10
    rows: NDArray[np.float64] = np.where(there, vectors / np.where(there, lengths, 1.0), 0.0)
    return rows


def bisect(
    rows: NDArray[np.float64],
    n_clusters: int,
    *,
    n_starts: int = N_STARTS,
    random_state: int,
) -> NDArray[np.int64]:
    """Return exactly `n_clusters` labels by bisecting k-means, none of them empty.

    The start with the least sum of squares is taken.

    Where there are fewer distinct rows than clusters, the largest cluster is halved, first
    rows and last rows, until there are enough.

    Examples
    --------
    >>> bisect(np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 3, random_state=0)
    array([0, 0, 2, 1])
    """
    if n_clusters == len(rows):
        return np.arange(n_clusters)
    n_distinct = len(np.unique(np.round(rows, _SAME), axis=0))
    labels = _bisected(rows, min(n_clusters, n_distinct), n_starts, random_state)
    for label in range(labels.max() + 1, n_clusters):
        largest = np.flatnonzero(labels == np.argmax(np.bincount(labels)))
        labels[largest[(len(largest) + 1) // 2 :]] = label
    return labels


def _bisected(
    rows: NDArray[np.float64], n_clusters: int, n_starts: int, random_state: int
) -> NDArray[np.int64]:
    draws = np.random.default_rng(random_state).random((n_starts, n_clusters - 1, _N_RUNS, 2))
    raw = np.empty(len(rows), dtype=np.int64)
    bisect_rows(np.ascontiguousarray(rows), draws, raw)
    _, first, labels = np.unique(raw, return_index=True, return_inverse=True)
    # Labels by first appearance: the tree's own numbers depend on the signs of eigenvectors.
    renumbered: NDArray[np.int64] = np.argsort(np.argsort(first))[labels]
    return renumbered


@dataclass(frozen=True, eq=False)
class Number:
    """A number of clusters, and the values of a criterion that led to it.

    candidates : the numbers that were compared; empty where there was no choice
    criterion : one value per candidate; the largest wins, equal ones go to the fewest clusters
    """

    number: int
    candidates: NDArray[np.int64]
    criterion: NDArray[np.float64]


def by_eigengap(weights: NDArray[np.float64]) -> Number:
    """Return the number after which the eigenvalues of the Laplacian rise most.

        k = argmax over 2 <= k < p of  lambda_{k+1} - lambda_k

    One cluster is no candidate: where all features are somewhat alike, as in every dense
    graph, the first gap is the largest, whatever blocks there are inside. Two features are two
    clusters.

    Examples
    --------
    >>> blocks = np.kron(np.eye(3), np.ones((4, 4))) + 0.1
    >>> np.fill_diagonal(blocks, 0.0)
    >>> by_eigengap(blocks).number
    3
    """
    n_features = len(weights)
    if not weights.any():
        return _no_choice(n_features)
    candidates = np.arange(2, n_features)
    gaps = np.diff(eigh(laplacian(weights), eigvals_only=True))[1:]
    return _largest(candidates, gaps) if len(candidates) else _no_choice(n_features)


def by_silhouette(
    weights: NDArray[np.float64],
    relevance: NDArray[np.float64],
    *,
    n_starts: int = N_STARTS,
    random_state: int = 0,
) -> Number:
    """Return the number whose clusters are the tightest and best separated.

    The criterion is the mean silhouette of the rows of the embedding, for features with
    edges in 2, 3, ... clusters, up to half of such features: with more, some clusters have
    one feature only, whose silhouette is 0 by definition. Each feature without edges is one
    cluster more. Two features are two clusters.

    Examples
    --------
    >>> blocks = np.kron(np.eye(3), np.ones((4, 4))) + 0.1
    >>> np.fill_diagonal(blocks, 0.0)
    >>> by_silhouette(blocks, np.ones(12) / 12).number
    3
    """
    from sklearn.metrics import silhouette_score

    alone, linked = by_edges(weights, relevance)
    if len(linked) <= 2:
        return _no_choice(max(len(alone) + min(len(linked), 1), min(len(weights), 2)))
    within = weights[np.ix_(linked, linked)]
    numbers = np.arange(2, (len(linked) + 1) // 2 + 1)
    quality = np.empty(len(numbers))
    for index, number in enumerate(numbers):
        clustering = cluster_features(
            within,
            relevance[linked],
            int(number),
            n_starts=n_starts,
            random_state=random_state,
        )
        quality[index] = silhouette_score(clustering.rows, clustering.labels)
        report("number of clusters", index + 1, len(numbers))
    return _largest(len(alone) + numbers, quality)


def _largest(candidates: NDArray[np.int64], criterion: NDArray[np.float64]) -> Number:
    best = int(np.argmax(np.round(criterion, 12)))
    return Number(int(candidates[best]), candidates, criterion)


def _no_choice(number: int) -> Number:
    return Number(number, np.empty(0, dtype=np.int64), np.empty(0))
