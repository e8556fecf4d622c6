from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.kernels.similarity.bisection import bisect_rows
from tests.reference.fsscpr import sum_of_squares


def bisected(rows, n_clusters, n_starts=20, seed=0):
    draws = np.random.default_rng(seed).random((n_starts, n_clusters - 1, 5, 2))
    labels = np.full(len(rows), -1)
    return bisect_rows(np.ascontiguousarray(rows), draws, labels), labels


@pytest.mark.parametrize("seed", range(4))
def test_two_clusters_are_the_best_of_all_splits(seed):
    rows = np.random.default_rng(seed).normal(size=(8, 2))
    total, labels = bisected(rows, 2)
    splits = [np.array([0, *rest]) for rest in itertools.product([0, 1], repeat=7)]
    best = min(sum_of_squares(rows, split) for split in splits)
    assert total == pytest.approx(best)
    assert sum_of_squares(rows, labels) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(3))
def test_the_sum_is_that_of_the_labels_and_falls_with_starts_and_clusters(seed):
    rows = np.random.default_rng(seed).normal(size=(16, 3))
    sums = []
    for n_clusters in (2, 5, 16):
        total, labels = bisected(rows, n_clusters)
        assert sorted(set(labels.tolist())) == list(range(n_clusters))
        assert total == pytest.approx(sum_of_squares(rows, labels), abs=1e-9)
        first, _ = bisected(rows, n_clusters, n_starts=1)
        draws_more, _ = bisected(rows, n_clusters, n_starts=25)
        assert draws_more <= first + 1e-9
        sums.append(total)
    assert np.all(np.diff(sums) < 0)
    assert sums[-1] == pytest.approx(0.0, abs=1e-12)


def test_equal_rows_stay_together():
    rows = np.repeat(np.eye(3), [4, 1, 3], axis=0)
    total, labels = bisected(rows, 3)
    assert total == pytest.approx(0.0, abs=1e-12)
    assert [len(set(part.tolist())) for part in np.split(labels, [4, 5])] == [1, 1, 1]


def test_one_cluster_needs_no_split():
    total, labels = bisected(np.eye(3), 1)
    assert (total, labels.tolist()) == (0.0, [0, 0, 0])
