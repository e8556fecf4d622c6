"""GAS's objective and its front by looking at every subset."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def totals(chosen, importance, similarity):
    """Importance and similarity of a set; every ordered pair counts, the diagonal does not."""
    pairs = sum(similarity[i, j] + similarity[j, i] for i, j in combinations(chosen, 2))
    return float(sum(importance[i] for i in chosen)), float(pairs)


def objective(chosen, importance, similarity, balance):
    w, e = totals(chosen, importance, similarity)
    return w - balance * e


def best_subset(importance, similarity, balance, size):
    """The largest objective of all sets of a size."""
    return max(
        objective(chosen, importance, similarity, balance)
        for chosen in combinations(range(len(importance)), size)
    )


def front(importance, similarity, size):
    """All Pareto-optimal pairs of totals, by rising importance."""
    points = np.array(
        [
            totals(chosen, importance, similarity)
            for chosen in combinations(range(len(importance)), size)
        ]
    )
    kept = [
        (w, e)
        for w, e in points
        if not np.any(
            (points[:, 0] >= w) & (points[:, 1] <= e) & ((points[:, 0] > w) | (points[:, 1] < e))
        )
    ]
    return np.array(sorted(set(kept)))


def random_problem(seed, n_features, *, negative=False):
    """Importances in [0, 1) and symmetric similarities, from -1 where `negative`."""
    rng = np.random.default_rng(seed)
    similarity = rng.uniform(-1.0 if negative else 0.0, 1.0, (n_features, n_features))
    return rng.random(n_features), (similarity + similarity.T) / 2.0
