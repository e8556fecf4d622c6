from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.rankers.stumps import add_steps, best_cuts


def best(bins, n_cuts, potentials):
    sums, cuts = np.full(len(bins), np.nan), np.full(len(bins), 99, dtype=np.int64)
    best_cuts(bins, n_cuts, potentials, sums, cuts)
    return sums, cuts


@pytest.mark.parametrize("seed", range(4))
def test_best_cut_has_the_largest_sum_above(seed):
    rng = np.random.default_rng(seed)
    n_cuts = np.array([255, 7, 1, 20])
    bins = np.stack([rng.integers(0, n + 1, size=31 + seed) for n in n_cuts]).astype(np.uint8)
    potentials = rng.normal(size=bins.shape[1])
    sums, cuts = best(bins, n_cuts, potentials)
    for feature, row in enumerate(bins):
        above = [potentials[row > cut].sum() for cut in range(n_cuts[feature])]
        assert cuts[feature] == int(np.argmax(np.abs(above)))
        assert sums[feature] == pytest.approx(above[cuts[feature]])


def test_first_of_equal_cuts_counts_and_no_cut_is_worth_nothing():
    bins = np.array([[0, 0, 2, 3], [0, 0, 0, 0]], dtype=np.uint8)
    sums, cuts = best(bins, np.array([3, 0]), np.array([-1.0, -1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(cuts, [0, -1])
    np.testing.assert_array_equal(sums, [2.0, 0.0])


def test_rounding_does_not_choose_among_equal_cuts():
    bins = np.array([[0, 1, 2, 2]], dtype=np.uint8)
    for noise in (-1e-14, 1e-14):
        _, cuts = best(bins, np.array([2]), np.array([-1.0, noise, 0.5, 0.5]))
        assert cuts[0] == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_are_sums_of_weights_of_thresholds_that_are_passed(dtype):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.integers(0, 9, size=(40, 4)).astype(dtype))
    thresholds = np.array([1.5, 4.0, 6.25, 3.0])  # three of feature 0, one of feature 2
    weights = rng.normal(size=4)
    heights = np.concatenate([np.cumsum([0, *weights[:3]]), np.cumsum([0, weights[3]])])
    scores = np.ones(40)
    add_steps(X, np.array([0, 2]), np.array([0, 3, 4]), thresholds, heights, scores)
    expected = 1 + (X[:, [0]] > thresholds[:3]) @ weights[:3] + (X[:, 2] > 3.0) * weights[3]
    np.testing.assert_allclose(scores, expected)
