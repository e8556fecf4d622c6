"""Slow, obvious similarities of two features: one query, every document or pair written out."""

from __future__ import annotations

import itertools
import math

import numpy as np


def average_ranks(values):
    """Rank from 1, the mean over the places of equal values."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def tau_b(f, g):
    """(concordant - discordant) / sqrt(untied by f * untied by g); 0 for a constant."""
    signs = [
        (int(np.sign(f[i] - f[j])), int(np.sign(g[i] - g[j])))
        for i, j in itertools.combinations(range(len(f)), 2)
    ]
    untied = sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs)
    return sum(a * b for a, b in signs) / math.sqrt(untied) if untied else 0.0


def spearman(f, g):
    """Correlation of average ranks; 0 for a constant."""
    a, b = (np.array(average_ranks(list(values))) - (len(f) + 1) / 2 for values in (f, g))
    length = math.sqrt((a @ a) * (b @ b))
    return a @ b / length if length else 0.0


def footrule(f, g):
    """1 - distance of average ranks / the largest distance of two orders."""
    m = len(f)
    distance = sum(
        abs(a - b) for a, b in zip(average_ranks(list(f)), average_ranks(list(g)), strict=True)
    )
    return 1 - distance / (m * m // 2)


def mean_matrix(pair, X, query_ptr):
    """Mean of `pair` over queries with at least two documents, for all pairs of features."""
    queries = [slice(a, b) for a, b in itertools.pairwise(query_ptr) if b - a > 1]
    p = X.shape[1]
    return np.array(
        [[np.mean([pair(X[q, f], X[q, g]) for q in queries]) for g in range(p)] for f in range(p)]
    )
