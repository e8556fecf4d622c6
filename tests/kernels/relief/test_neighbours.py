from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.relief.neighbours import (
    find_nearest,
    find_tied,
    merge_nearest,
    share_positions,
)
from tests.reference.relief import distance, weighted_neighbours


def empty(n_visited, n_levels, k):
    shape = (n_visited, n_levels, k)
    return np.full(shape, np.inf), np.full(shape, -1), np.zeros(shape[:2], dtype=np.int64)


def nearest(rows, levels, visited, own, *, k, n_levels, first=0, squared=False):
    found = empty(len(own), n_levels, k)
    row_ptr, visited_ptr = np.array([0, len(rows)]), np.array([0, len(own)])
    find_nearest(rows, np.int64(first), levels, row_ptr, visited, own, visited_ptr, squared, *found)
    return found


def tied(rows, levels, visited, own, found, *, squared=False):
    owners, neighbours = np.empty(len(rows) * len(own), int), np.empty(len(rows) * len(own), int)
    n_pairs = find_tied(
        rows,
        np.int64(0),
        levels,
        np.array([0, len(rows)]),
        visited,
        own,
        np.array([0, len(own)]),
        squared,
        found[0],
        found[2],
        owners,
        neighbours,
    )
    return owners[:n_pairs], neighbours[:n_pairs]


def case(seed, *, n=40, n_features=3, n_levels=3, n_values=4):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, n_values, (n, n_features)) / 3.0
    own = np.sort(rng.choice(n, 8, replace=False))
    return rows, rng.integers(0, n_levels, n), rows[own], own


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("n_features", [3, 8, 19])
@pytest.mark.parametrize("seed", range(2))
def test_distances_are_sums_over_features_in_their_order(seed, n_features, squared):
    rng = np.random.default_rng(seed)
    rows = rng.random((12, n_features))
    levels, own = np.zeros(12, dtype=np.int64), np.array([3, 7])
    distances, places, beyond = nearest(
        rows, levels, rows[own], own, k=11, n_levels=1, squared=squared
    )
    metric = "euclidean" if squared else "manhattan"
    for x, place in enumerate(own):
        away = {other: distance(rows[place], rows[other], metric) for other in range(12)}
        del away[place]
        # To the last bit: the ties of equal documents rest on it.
        assert distances[x, 0].tolist() == sorted(away.values())
        assert places[x, 0].tolist() == sorted(away, key=away.get)
    assert not beyond.any()


def test_a_copy_of_a_document_has_the_same_distance_wherever_it_stands():
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.random((1, 11)), 133, axis=0)  # more than one tile, and a remainder
    x = rng.random((1, 11))
    distances, _, beyond = nearest(
        rows, np.zeros(133, dtype=np.int64), x, np.array([-1]), k=2, n_levels=1
    )
    assert distances[0, 0, 0] == distances[0, 0, 1]
    assert beyond[0, 0] == 131


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_lists_and_ties_are_those_of_the_written_out_neighbours(seed, k):
    rows, levels, visited, own = case(seed)
    found = nearest(rows, levels, visited, own, k=k, n_levels=3)
    shares = np.empty_like(found[0])
    share_positions(found[0], found[2], 1.0 / np.arange(1, k + 1), shares)
    owners, neighbours = tied(rows, levels, visited, own, found)
    for x, place in enumerate(own):
        for level in range(3):
            others = [o for o in range(len(rows)) if levels[o] == level and o != place]
            expected = weighted_neighbours(rows, place, others, k, lambda i: 1.0 / i, "manhattan")
            overfull = found[2][x, level] > 0
            weights = {
                found[1][x, level, slot]: shares[x, level, slot]
                for slot in range(k)
                if found[1][x, level, slot] >= 0
                and not (overfull and found[0][x, level, slot] == found[0][x, level, -1])
            }
            for other in neighbours[(owners == x) & (levels[neighbours] == level)]:
                assert overfull
                weights[other] = shares[x, level, -1]
            assert weights.keys() == dict(expected).keys()
            for other, weight in expected:
                assert weights[other] == pytest.approx(weight, rel=1e-14)


@pytest.mark.parametrize("cut", [1, 17, 39])
@pytest.mark.parametrize("seed", range(3))
def test_lists_of_two_parts_merge_into_that_of_the_whole(seed, cut):
    rows, levels, visited, own = case(seed)
    whole = nearest(rows, levels, visited, own, k=4, n_levels=3)
    left = nearest(rows[:cut], levels[:cut], visited, own, k=4, n_levels=3)
    right = nearest(rows[cut:], levels[cut:], visited, own, k=4, n_levels=3, first=cut)
    merge_nearest(*left, *right)
    np.testing.assert_array_equal(left[0], whole[0])
    np.testing.assert_array_equal(left[2], whole[2])
    merge_nearest(*right, *nearest(rows[:cut], levels[:cut], visited, own, k=4, n_levels=3))
    np.testing.assert_array_equal(right[0], whole[0])
    np.testing.assert_array_equal(right[2], whole[2])


def test_groups_are_compared_with_their_own_rows_alone():
    rows, levels, visited, own = case(1)
    row_ptr = np.array([0, 10, 10, 25, 40])
    visited_ptr = np.searchsorted(own, row_ptr)
    found = empty(len(own), 3, 4)
    find_nearest(rows, np.int64(0), levels, row_ptr, visited, own, visited_ptr, False, *found)
    for start, stop in [(0, 10), (10, 25), (25, 40)]:
        part = (own >= start) & (own < stop)
        expected = nearest(
            rows[start:stop],
            levels[start:stop],
            visited[part],
            own[part],
            k=4,
            n_levels=3,
            first=start,
        )
        for got, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(got[part], wanted)


def test_shares_of_tied_positions_are_their_mean_and_sum_to_one():
    distances = np.array([[[0.5, 1.0, 1.0]], [[0.2, 0.3, np.inf]], [[np.inf] * 3]])
    beyond = np.array([[2], [0], [0]])
    shares = np.empty_like(distances)
    share_positions(distances, beyond, np.array([3.0, 2.0, 1.0]), shares)
    # Positions weigh 3/6, 2/6, 1/6, and four documents share the last two of them.
    np.testing.assert_allclose(shares[0, 0], [3 / 6, 3 / 6 / 4, 3 / 6 / 4])
    np.testing.assert_allclose(shares[1, 0], [3 / 5, 2 / 5, 0])
    assert not shares[2].any()
