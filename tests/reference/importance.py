"""Importances from their definitions: explicit pairs, ranks by scipy, no sharing."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import stats


def pairs(y, query_ptr):
    """All (better, worse) rows of one query with different grades."""
    for start, stop in itertools.pairwise(query_ptr):
        for i in range(start, stop):
            for j in range(start, stop):
                if y[i] > y[j]:
                    yield i, j


def pair_error(f, y, query_ptr):
    """1 / (1 + share of wrongly ordered pairs, ties half)."""
    losses = [0.5 * (1 - np.sign(float(f[i] - f[j]))) for i, j in pairs(y, query_ptr)]
    return 1 / (1 + (np.mean(losses) if losses else 0.5))


def cross_entropy(f, y, query_ptr):
    """1 / (1 + mean of log(1 + exp(-difference))) of the feature scaled in each query."""
    scaled = np.zeros(len(f))
    for start, stop in itertools.pairwise(query_ptr):
        part = f[start:stop].astype(float)
        if np.ptp(part) > 0:
            scaled[start:stop] = (part - part.min()) / np.ptp(part)
    losses = [math.log1p(math.exp(scaled[j] - scaled[i])) for i, j in pairs(y, query_ptr)]
    return 1 / (1 + (np.mean(losses) if losses else math.log(2)))


def spearman(f, y, query_ptr):
    """Mean over queries with two grades of the correlation of average ranks."""
    found = []
    for start, stop in itertools.pairwise(query_ptr):
        a, b = stats.rankdata(f[start:stop]), stats.rankdata(y[start:stop])
        if np.ptp(b) == 0:
            continue
        found.append(np.corrcoef(a, b)[0, 1] if np.ptp(a) > 0 else 0.0)
    return np.mean(found) if found else 0.0


def place_bins(f, query_ptr, n_bins):
    """Bin of each document's middle place by falling value; -1 in a query of one document."""
    bins = np.full(len(f), -1)
    for start, stop in itertools.pairwise(query_ptr):
        m = stop - start
        if m > 1:
            middle = stats.rankdata(-f[start:stop]) - 0.5
            bins[start:stop] = np.floor(n_bins * middle / m + 1e-12)
    return bins
