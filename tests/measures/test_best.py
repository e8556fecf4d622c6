"""The best mean, then fewer features, then the first: one rule for all that choose by means."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.measures import best_mean


@pytest.mark.parametrize(
    ("means", "sizes", "position"),
    [
        ([0.1, 0.3, 0.2], [1, 9, 1], 1),
        ([0.3, 0.3, 0.3], [3, 1, 2], 1),
        ([0.3, 0.3, 0.3], [2, 1, 1], 1),
        ([0.3, 0.3 - 1e-13, 0.3 + 1e-13], [3, 1, 2], 1),
        ([0.3, 0.3 - 1e-11], [3, 1], 0),
        ([np.nan, 0.0, np.nan], [1, 9, 1], 1),
        ([np.nan, -np.inf, np.nan], [3, 2, 1], 2),
        ([0.2, 0.3, 0.3 + 1e-13], None, 1),
    ],
)
def test_the_best_mean_wins_then_the_smallest_size_then_the_first(means, sizes, position):
    assert best_mean(means, sizes) == position


def test_a_reordering_changes_the_winner_only_among_equals_of_one_size():
    rng = np.random.default_rng(0)
    for _ in range(50):
        means = rng.integers(0, 4, size=12) / 4.0
        sizes = rng.permutation(12)
        order = rng.permutation(12)
        assert order[best_mean(means[order], sizes[order])] == best_mean(means, sizes)


def test_the_means_that_are_given_stay_as_they_are():
    means = np.array([np.nan, 0.5])
    best_mean(means, [1, 2])
    assert np.isnan(means[0])
