from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.kernels.importance.differences import (
    add_bin_differences,
    add_covariances,
    add_rank_bin_differences,
)
from ranksieve.kernels.importance.ranked import rank_columns
from tests.reference.cases import random_arrays
from tests.reference.importance import place_bins


def summed(differences):
    differences = np.array(differences)
    return [differences.sum(), (differences**2).sum(), np.count_nonzero(differences)]


def of_query(bins, levels, weight):
    """Sum of weights less its mean over rotations of the levels, which is that of all orders."""
    orders = [weight[bins, np.roll(levels, step)].sum() for step in range(len(bins))]
    difference = orders[0] - np.mean(orders)
    return 0.0 if abs(difference) < 1e-12 else difference


@pytest.mark.parametrize("seed", range(3))
def test_bins_less_random_orders_of_each_query(seed):
    rng = np.random.default_rng(seed)
    X, y, query_ptr = random_arrays(seed)
    levels = y.astype(np.int32)
    weight = rng.normal(size=(7, 4))
    for f in np.round(7 * X[:, 1:]).T.astype(np.int64):
        bins = np.minimum(f, 6)
        evidence = np.zeros((3, 1))
        add_bin_differences(bins, levels, query_ptr, weight, evidence)
        expected = [
            of_query(bins[a:b], levels[a:b], weight) for a, b in itertools.pairwise(query_ptr)
        ]
        np.testing.assert_allclose(evidence[:, 0], summed(expected), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_bins_of_places_less_random_orders_of_each_query(seed):
    rng = np.random.default_rng(seed)
    X, y, query_ptr = random_arrays(seed)
    levels = y.astype(np.int64)
    weights = rng.normal(size=(5, 3, 4))
    order, group_end = np.empty((2, 5, len(y)), dtype=np.int32)
    rank_columns(X, query_ptr, order, group_end)
    evidence = np.zeros((3, 5))
    add_rank_bin_differences(order, group_end, query_ptr, levels, weights, evidence)
    for f, weight, found in zip(X.T, weights, evidence.T, strict=True):
        bins = place_bins(f, query_ptr, 3)
        expected = [
            of_query(bins[a:b], levels[a:b], weight) if b - a > 1 else 0.0
            for a, b in itertools.pairwise(query_ptr)
        ]
        np.testing.assert_allclose(found, summed(expected), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("margin", [0, 3])
def test_covariances_of_each_query_and_exactly_none_for_constants(margin):
    X, y, query_ptr = random_arrays(margin)
    X[:, 4] = 0.1
    centred = np.concatenate([y[a:b] - y[a:b].mean() for a, b in itertools.pairwise(query_ptr)])
    padded = np.asfortranarray(np.vstack([np.full((margin, 5), np.nan), X]))
    evidence = np.zeros((3, 5))
    add_covariances(padded, query_ptr + margin, centred, np.full(5, 2.0), evidence)
    for f in range(5):
        expected = [
            2.0 * len(y[a:b]) * np.cov(X[a:b, f], y[a:b], bias=True)[0, 1]
            for a, b in itertools.pairwise(query_ptr)
        ]
        expected = np.where(np.abs(expected) < 1e-12, 0.0, expected)
        np.testing.assert_allclose(evidence[:, f], summed(expected), rtol=1e-10, atol=1e-12)
    assert not evidence[:, 4].any()
