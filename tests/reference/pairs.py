"""Slow, obvious versions of sums over pairs: every pair is written out."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ranksieve.testing.references import pair_differences as pair_differences
from ranksieve.testing.references import preference_pairs as preference_pairs


def squared_hinge(scores, y, query_ptr):
    """Sum over pairs of max(0, 1 - (s_i - s_j))^2."""
    return sum(
        max(0.0, 1.0 - (scores[i] - scores[j])) ** 2 for i, j in preference_pairs(y, query_ptr)
    )


def hinge(scores, y, query_ptr):
    """Sum over pairs of max(0, 1 - (s_i - s_j))."""
    return sum(max(0.0, 1.0 - (scores[i] - scores[j])) for i, j in preference_pairs(y, query_ptr))


def logistic(scores, y, query_ptr):
    """Sum over pairs of log(1 + exp(-(s_i - s_j)))."""
    return math.fsum(
        float(np.logaddexp(0.0, scores[j] - scores[i])) for i, j in preference_pairs(y, query_ptr)
    )


def logistic_hessian(scores, y, query_ptr):
    """The matrix of second derivatives of the logistic loss by score."""
    hessian = np.zeros((len(scores), len(scores)))
    for i, j in preference_pairs(y, query_ptr):
        margin = scores[i] - scores[j]
        curvature = math.exp(-np.logaddexp(0.0, margin) - np.logaddexp(0.0, -margin))
        hessian[[i, j], [i, j]] += curvature
        hessian[[i, j], [j, i]] -= curvature
    return hessian


def with_equal_queries(loss, scores, y, query_ptr):
    """Pairs of all queries times the mean over queries with pairs of their mean over pairs."""
    means = []
    for start, stop in itertools.pairwise(query_ptr):
        own = scores[start:stop], y[start:stop], [0, stop - start]
        n_pairs = len(preference_pairs(own[1], own[2]))
        if n_pairs:
            means.append(loss(*own) / n_pairs)
    return len(preference_pairs(y, query_ptr)) * math.fsum(means) / max(len(means), 1)


def shares_of_pairs(y, query_ptr, weighting):
    """What each pair of `preference_pairs` counts in the mean; they sum up to 1."""
    by_query = [
        len(preference_pairs(y[start:stop], [0, stop - start]))
        for start, stop in itertools.pairwise(query_ptr)
    ]
    used = [n_pairs for n_pairs in by_query if n_pairs]
    if weighting == "pairs":
        return np.full(sum(used), 1.0 / max(sum(used), 1))
    return np.concatenate([np.full(n_pairs, 1.0 / (n_pairs * len(used))) for n_pairs in used])


def kendall_agreement(f, g):
    """Share of pairs of documents that f and g both order strictly, and alike."""
    m = len(f)
    alike = sum((f[i] - f[j]) * (g[i] - g[j]) > 0 for i in range(m) for j in range(i))
    return alike / (m * (m - 1) / 2)


def kendall_half_agreement(f, g):
    """The same, and half of the pairs that f or g ties."""
    m = len(f)
    product = [(f[i] - f[j]) * (g[i] - g[j]) for i in range(m) for j in range(i)]
    return sum(1.0 if each > 0 else 0.5 if each == 0 else 0.0 for each in product) / len(product)


def kendall_matrix(X, query_ptr, agreement=kendall_agreement):
    """Mean over queries with at least two documents of the share of agreements."""
    queries = [(a, b) for a, b in itertools.pairwise(query_ptr) if b - a > 1]
    p = X.shape[1]
    return np.array(
        [
            [np.mean([agreement(X[a:b, f], X[a:b, g]) for a, b in queries]) for g in range(p)]
            for f in range(p)
        ]
    )
