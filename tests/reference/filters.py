"""NGAS, XGAS, HCAS, mRMR and MIQUBO as their definitions read, with lists and loops."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np


def best_of(features, score):
    """The feature with the largest score; the lowest index of equal ones."""
    return min(features, key=lambda f: (-score(f), f))


def ngas(importance, similarity):
    remaining = list(range(len(importance)))
    t = best_of(remaining, lambda f: importance[f])
    order = []
    while True:
        order.append(t)
        remaining.remove(t)
        if not remaining:
            return order
        p = best_of(remaining, lambda f, t=t: -similarity[t][f])
        candidates = [f for f in remaining if f != p]
        if not candidates:
            t = p
            continue
        q = best_of(candidates, lambda f, p=p: similarity[p][f])
        t = p if importance[p] >= importance[q] else q


def xgas(importance, similarity, c):
    remaining = list(range(len(importance)))
    order = [best_of(remaining, lambda f: importance[f])]
    remaining.remove(order[0])
    while remaining:
        t = order[-1]
        unlike = sorted(remaining, key=lambda f, t=t: (similarity[t][f], f))
        among = unlike[: max(1, round(c * len(remaining)))]
        order.append(best_of(among, lambda f: importance[f]))
        remaining.remove(order[-1])
    return order


def ward(distances, number):
    """Clusters of R's ward.D: the formula of Lance and Williams on the distances as they are."""
    clusters = [[f] for f in range(len(distances))]
    d = {pair: distances[pair[0]][pair[1]] for pair in combinations(range(len(distances)), 2)}
    while len(clusters) > number:
        i, j = min(d, key=lambda pair: d[pair])
        n_i, n_j = len(clusters[i]), len(clusters[j])
        joined = {}
        for h in range(len(clusters)):
            if h not in (i, j):
                n_h = len(clusters[h])
                to_i, to_j = d[min(i, h), max(i, h)], d[min(j, h), max(j, h)]
                total = (n_i + n_h) * to_i + (n_j + n_h) * to_j - n_h * d[i, j]
                joined[h] = total / (n_i + n_j + n_h)
        left = [h for h in range(len(clusters)) if h not in (i, j)]
        index_of = {h: index for index, h in enumerate(left)}
        d = {
            (index_of[a], index_of[b]): v
            for (a, b), v in d.items()
            if a in index_of and b in index_of
        }
        d.update({(index_of[h], len(left)): value for h, value in joined.items()})
        clusters = [clusters[h] for h in left] + [clusters[i] + clusters[j]]
    return clusters


def hcas(importance, similarity, number):
    """The set of the best of each cluster."""
    distances = [[1 - value for value in row] for row in similarity]
    return {best_of(part, lambda f: importance[f]) for part in ward(distances, number)}


def mrmr(importance, similarity, *, balance=None):
    """Order by difference with a balance, and by quotient without."""
    remaining = list(range(len(importance)))
    order = []
    while remaining:

        def weight(f):
            if not order:
                return importance[f]
            mean = sum(similarity[f][s] for s in order) / len(order)
            if balance is None:
                return importance[f] / max(mean, 1e-3)
            return importance[f] - balance * mean

        order.append(best_of(remaining, weight))
        remaining.remove(order[-1])
    return order


def entropy(symbols):
    """Bits of a list of symbols."""
    counts = [symbols.count(symbol) / len(symbols) for symbol in set(symbols)]
    return -sum(share * math.log2(share) for share in counts)


def information(x, y):
    """I(X; Y) of two lists of symbols."""
    return entropy(x) + entropy(y) - entropy(list(zip(x, y, strict=True)))


def conditional_information(x, y, z):
    """I(X; Y | Z): the mean over the values of Z of the information among their documents."""
    total = 0.0
    for value in set(z):
        rows = [row for row, other in enumerate(z) if other == value]
        inside = information([x[row] for row in rows], [y[row] for row in rows])
        total += len(rows) / len(z) * inside
    return total


def equal_frequency_bins(values, n_bins):
    """Bin of each value: cut after the value that reaches i / n_bins of all, i = 1, 2, ..."""
    ordered = sorted(values)
    n = len(values)
    cuts = {ordered[math.ceil(i * n / n_bins) - 1] for i in range(1, n_bins)} - {ordered[-1]}
    return [sum(value > cut for cut in cuts) for value in values]


def miqubo(chosen, columns, y):
    """The objective of a set of discretised columns."""
    single = sum(information(columns[i], y) for i in chosen)
    pairs = sum(
        conditional_information(columns[i], y, columns[j])
        + conditional_information(columns[j], y, columns[i])
        for i, j in combinations(chosen, 2)
    )
    return single + pairs


def random_rated(seed, n_features):
    """Importances, and sizes of correlations, without ties."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, n_features)) + rng.normal(size=(30, 1))
    return rng.random(n_features), np.abs(np.corrcoef(X.T))
