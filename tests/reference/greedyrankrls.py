"""GreedyRankRLS by its definition: explicit pairs, and a fit for every query that is left out."""

from __future__ import annotations

import itertools

import numpy as np


def pairs_of(X, y, query_ptr, *, weighting="pairs"):
    """Differences of features and grades of all pairs, the query and the weight of each.

    Queries with one grade have none.
    """
    dX, dy, query = [], [], []
    for q, (start, stop) in enumerate(itertools.pairwise(query_ptr)):
        if np.ptp(y[start:stop]) == 0:
            continue
        for i, j in itertools.combinations(range(start, stop), 2):
            dX.append(X[i] - X[j])
            dy.append(y[i] - y[j])
            query.append(q)
    query = np.array(query)
    counts = np.bincount(query)[query]
    weights = 1 / len(query) if weighting == "pairs" else 1 / (len(set(query)) * counts)
    return np.array(dX), np.array(dy), query, np.broadcast_to(weights, len(query))


def ridge(dX, dy, weights, strength):
    """Weights with the least weighted squared error plus strength times their squares."""
    gram = dX.T @ (weights[:, None] * dX) + strength * np.eye(dX.shape[1])
    return np.linalg.solve(gram, dX.T @ (weights * dy))


def left_out_error(dX, dy, query, weights, strength):
    """The error of each query by a model that is fitted to all others."""
    total = 0.0
    for q in set(query):
        inside = query == q
        w = ridge(dX[~inside], dy[~inside], weights[~inside], strength)
        total += weights[inside] @ (dy[inside] - dX[inside] @ w) ** 2
    return total


def training_value(dX, dy, query, weights, strength):
    """The least value of the problem with all queries."""
    w = ridge(dX, dy, weights, strength)
    return weights @ (dy - dX @ w) ** 2 + strength * w @ w


def greedy(X, y, query_ptr, n_steps, strength, *, criterion=left_out_error, weighting="pairs"):
    """Order, errors and weights; features standardised by their differences over pairs."""
    dX, dy, query, weights = pairs_of(X, y, query_ptr, weighting=weighting)
    deviations = np.sqrt(weights @ dX**2)
    deviations[deviations == 0] = np.inf
    dX = dX / deviations
    chosen, errors = [], [weights @ dy**2]
    for _ in range(n_steps):
        others = [f for f in range(X.shape[1]) if f not in chosen and np.isfinite(deviations[f])]
        tried = [criterion(dX[:, [*chosen, f]], dy, query, weights, strength) for f in others]
        chosen.append(others[int(np.argmin(tried))])
        errors.append(min(tried))
    return (
        chosen,
        np.array(errors),
        ridge(dX[:, chosen], dy, weights, strength) / deviations[chosen],
    )
