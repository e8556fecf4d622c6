"""Average precision over all orderings of a query, and its structured hinge: slow and obvious."""

from __future__ import annotations

import itertools

import numpy as np


def average_precision(order, relevant):
    """Mean over relevant documents of the precision down to each."""
    places = [place for place, document in enumerate(order, start=1) if relevant[document]]
    return np.mean([(count + 1) / place for count, place in enumerate(places)])


def joint_feature(order, relevant, X):
    """Mean over relevant i and other j of +-(x_i - x_j), + where i comes before j."""
    place = {document: at for at, document in enumerate(order)}
    terms = [
        (1.0 if place[i] < place[j] else -1.0) * (X[i] - X[j])
        for i in np.flatnonzero(relevant)
        for j in np.flatnonzero(~relevant)
    ]
    return np.mean(terms, axis=0)


def all_constraints(relevant, X):
    """1 - AP and Psi(o) - Psi(best) of every ordering o of a query, one row each."""
    best = sorted(range(len(relevant)), key=lambda document: not relevant[document])
    ideal = joint_feature(best, relevant, X)
    orders = list(itertools.permutations(range(len(relevant))))
    losses = np.array([1.0 - average_precision(order, relevant) for order in orders])
    changes = np.array([joint_feature(order, relevant, X) - ideal for order in orders])
    return losses, changes


def queries_with_both(relevant, query_ptr):
    """Slices of the queries that have relevant and other documents."""
    parts = [slice(a, b) for a, b in itertools.pairwise(query_ptr)]
    return [part for part in parts if 0 < relevant[part].sum() < part.stop - part.start]


def hinge(scores, relevant, query_ptr):
    """Sum over queries of the maximum over all orderings."""
    total = 0.0
    for part in queries_with_both(relevant, query_ptr):
        losses, changes = all_constraints(relevant[part], scores[part])
        total += (losses + changes).max()
    return total
