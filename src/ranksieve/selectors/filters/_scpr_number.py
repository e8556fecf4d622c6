"""How many clusters a graph of features has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ranksieve.progress import report
from ranksieve.selectors.filters._scpr_clusters import (
    N_STARTS,
    by_edges,
    cluster_features,
    laplacian,
)


@dataclass(frozen=True, eq=False)
class Number:
    """A number of clusters, and the values of a criterion that led to it.

    candidates : the numbers that were compared; empty where there was no choice
    criterion : one value a candidate; the largest wins, equal ones go to the fewest clusters
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
    for place, number in enumerate(numbers):
        clustering = cluster_features(
            within,
            relevance[linked],
            int(number),
            n_starts=n_starts,
            random_state=random_state,
        )
        quality[place] = silhouette_score(clustering.rows, clustering.labels)
        report("number of clusters", place + 1, len(numbers))
    return _largest(len(alone) + numbers, quality)


def _largest(candidates: NDArray[np.int64], criterion: NDArray[np.float64]) -> Number:
    best = int(np.argmax(np.round(criterion, 12)))
    return Number(int(candidates[best]), candidates, criterion)


def _no_choice(number: int) -> Number:
    return Number(number, np.empty(0, dtype=np.int64), np.empty(0))
