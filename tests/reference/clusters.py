"""Clusterings by their definitions: all sets of medoids, and joining cluster by cluster."""

from __future__ import annotations

import itertools

import numpy as np

LINKS = {"average": np.mean, "complete": np.max, "single": np.min}


def distance_to_nearest(distances, medoids):
    """Sum over features of the distance to the nearest medoid."""
    return sum(min(row[m] for m in medoids) for row in distances)


def least_distance(distances, number):
    """The least sum over all sets of that many medoids."""
    sets = itertools.combinations(range(len(distances)), number)
    return min(distance_to_nearest(distances, medoids) for medoids in sets)


def joined(distances, number, method):
    """Clusters as a set of frozen sets, the two nearest joined until `number` are left."""
    clusters = [frozenset([f]) for f in range(len(distances))]

    def apart(pair):
        a, b = pair
        return LINKS[method]([distances[i, j] for i in a for j in b])

    while len(clusters) > number:
        a, b = min(itertools.combinations(clusters, 2), key=apart)
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
    return set(clusters)


def as_sets(labels):
    """Labels as a set of frozen sets of features."""
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}
