from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.kernels.importance import ranked as ranked_module
from ranksieve.kernels.importance.ranked import (
    add_concordance,
    add_rank_bins,
    add_rank_correlations,
    rank_columns,
    rank_columns_by_radix,
    sort_both_ways,
)
from ranksieve.kernels.pairs.sums import grade_levels
from tests.reference import importance as reference
from tests.reference.cases import random_arrays


def ranked(X, query_ptr, way=rank_columns):
    n = query_ptr[-1] - query_ptr[0]
    order, group_end = np.empty((2, X.shape[1], n), dtype=np.int32)
    way(X, query_ptr, order, group_end)
    return order, group_end


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", [rank_columns, rank_columns_by_radix])
def test_each_query_keeps_its_places_and_falls(way, seed):
    X, _, query_ptr = random_arrays(seed)
    X = np.asfortranarray(X[:, [0, 1, 2, 3, 4, 0]])
    X[:, 5] = np.random.default_rng(seed).choice([0.0, -0.0, 1.0, np.inf, -np.inf], len(X))
    order, group_end = ranked(X, query_ptr, way)
    for f, (row, ends) in enumerate(zip(order, group_end, strict=True)):
        for start, stop in itertools.pairwise(query_ptr):
            expected = start + np.argsort(-X[start:stop, f], kind="stable")
            np.testing.assert_array_equal(row[start:stop], expected)
            values = X[expected, f]
            after = [start + np.flatnonzero(values == value)[-1] + 1 for value in values]
            np.testing.assert_array_equal(ends[start:stop], after)


@pytest.mark.parametrize("way", [rank_columns, rank_columns_by_radix])
def test_rows_before_the_first_query_are_not_read(way):
    X, _, query_ptr = random_arrays(3)
    padded = np.asfortranarray(np.vstack([np.full((4, 5), np.nan), X]))
    np.testing.assert_array_equal(ranked(padded, query_ptr + 4, way), ranked(X, query_ptr))


def test_no_documents_have_no_places():
    order, _ = ranked(np.empty((3, 2), order="F"), np.array([1, 1]))
    assert order.shape == (2, 0)


def test_few_and_many_values_are_ranked_alike(monkeypatch):
    X, _, query_ptr = random_arrays(4)
    few = ranked(X, query_ptr)
    monkeypatch.setattr(ranked_module, "_FEW_VALUES", X.size - 1)
    np.testing.assert_array_equal(ranked(X, query_ptr), few)


def test_both_ways_fall_and_carry_their_grades():
    X = np.asfortranarray([[1.0], [3.0], [3.0], [2.0]])
    y = np.array([10.0, 11.0, 12.0, 13.0])
    order, group_end = ranked(X, np.array([0, 4]))
    grades, scores = np.empty((2, 1, 2, 4))
    sort_both_ways(order, group_end, y, grades, scores)
    assert grades[0].tolist() == [[11, 12, 13, 10], [10, 13, 12, 11]]
    assert scores[0].tolist() == [[-2, -2, -3, -4], [4, 3, 2, 2]]


@pytest.mark.parametrize("seed", range(2))
def test_concordance_counts_pairs_written_out(seed):
    X, y, query_ptr = random_arrays(seed, largest=9)
    levels, total = np.empty(len(y), np.int32), np.zeros((3, 5))
    grade_levels(y, query_ptr, levels)
    add_concordance(*ranked(X, query_ptr), query_ptr, levels, total)
    slow = [sum(np.sign(f[i] - f[j]) for i, j in reference.pairs(y, query_ptr)) for f in X.T]
    np.testing.assert_array_equal(total[0], slow)


def test_rank_correlation_of_a_feature_with_itself_is_one_a_query():
    X, _, query_ptr = random_arrays(0, n_queries=3, largest=6)
    f = X[:, 1]
    unit = np.zeros(len(f))
    voters = 0
    for start, stop in itertools.pairwise(query_ptr):
        ranks = np.array(
            [(f[start:stop] < v).sum() + (f[start:stop] <= v).sum() for v in f[start:stop]]
        )
        centred = ranks - ranks.mean()
        if centred.any():
            unit[start:stop] = centred / np.linalg.norm(centred)
            voters += 1
    total = np.zeros((3, 5))
    add_rank_correlations(*ranked(X, query_ptr), query_ptr, unit, total)
    assert total[:, 1] == pytest.approx([voters] * 3)
    assert not total[:, 4].any()


def test_rank_bins_count_documents_by_middle_place():
    X, y, query_ptr = random_arrays(1)
    table = np.zeros((5, 3, 4), dtype=np.int64)
    add_rank_bins(*ranked(X, query_ptr), query_ptr, y.astype(np.int64), table)
    for f, counts in zip(X.T, table, strict=True):
        bins = reference.place_bins(f, query_ptr, 3)
        slow = [[((bins == b) & (y == g)).sum() for g in range(4)] for b in range(3)]
        np.testing.assert_array_equal(counts, slow)
