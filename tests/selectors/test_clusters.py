"""Clusters of features against their definitions, and who stands for them."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.selectors.filters._clusters import (
    LINKAGES,
    by_mean_silhouette,
    clusterings,
    distances_of,
    medoids,
    representatives,
)
from tests.reference import clusters as reference


def random_distances(seed, n_features=9):
    similarity = np.corrcoef(np.random.default_rng(seed).normal(size=(n_features, 12)))
    return distances_of(similarity)


def blocks(seed, sizes=(3, 4, 2), noise=0.1):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(len(sizes), 60))
    rows = np.repeat(base, sizes, axis=0) + noise * rng.normal(size=(sum(sizes), 60))
    return distances_of(np.corrcoef(rows)), np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("number", [1, 2, 4, 8, 9])
@pytest.mark.parametrize("seed", range(4))
def test_no_other_feature_in_place_of_a_medoid_is_nearer(seed, number):
    distances = random_distances(seed)
    chosen = medoids(distances, number).tolist()
    total = reference.distance_to_nearest(distances, chosen)
    assert len(set(chosen)) == number
    for leaving in chosen:
        for entering in set(range(9)) - set(chosen):
            other = [entering if each == leaving else each for each in chosen]
            assert reference.distance_to_nearest(distances, other) >= total - 1e-10
    assert total <= 1.1 * reference.least_distance(distances, number) + 1e-12


@pytest.mark.parametrize("method", ["medoids", *LINKAGES])
@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_like_features_are_the_clusters(seed, method):
    distances, truth = blocks(seed)
    labels_for = clusterings(distances, method)
    assert reference.as_sets(labels_for(3)) == reference.as_sets(truth)
    chosen = by_mean_silhouette(distances, labels_for)
    assert chosen.number == 3
    assert chosen.candidates.tolist() == [2, 3, 4, 5]
    assert chosen.criterion.argmax() == 1


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("number", range(1, 10))
@pytest.mark.parametrize("seed", range(3))
def test_joined_clusters_are_those_of_the_definition(seed, number, method):
    distances = random_distances(seed)
    labels = clusterings(distances, method)(number)
    assert reference.as_sets(labels) == reference.joined(distances, number, method)


@pytest.mark.parametrize("method", ["medoids", *LINKAGES])
def test_copies_may_be_clusters_of_their_own(method):
    distances = np.zeros((5, 5))
    for number in range(1, 6):
        assert len(set(clusterings(distances, method)(number).tolist())) == number


@pytest.mark.parametrize("method", ["medoids", *LINKAGES])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_features_does_not_matter(seed, method):
    distances = random_distances(seed)
    order = np.random.default_rng(seed).permutation(9)
    straight = clusterings(distances, method)(4)
    moved = clusterings(distances[np.ix_(order, order)], method)(4)
    assert reference.as_sets(straight[order]) == reference.as_sets(moved)


def test_one_and_two_features_are_clusters_of_their_own():
    for n_features in (1, 2):
        distances = 1.0 - np.eye(n_features)
        choice = by_mean_silhouette(distances, clusterings(distances, "average"))
        assert (choice.number, len(choice.candidates)) == (n_features, 0)


def test_mirror_images_are_at_distance_0():
    similarity = np.array([[1.0, -1.0, 0.2], [-1.0, 1.0, -0.2], [0.2, -0.2, 1.0]])
    expected = [[0, 0, 0.8], [0, 0, 0.8], [0.8, 0.8, 0]]
    np.testing.assert_allclose(distances_of(similarity), expected)


def test_the_best_of_each_cluster_stands_for_it_and_ties_go_to_the_lower_index():
    labels, worth = np.array([1, 0, 1, 2, 2, -1]), np.array([0.3, 0.5, 0.3, 0.1, 0.9, 7.0])
    assert representatives(labels, worth).tolist() == [4, 1, 0]
