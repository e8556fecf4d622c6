"""On how many queries a method is better than another."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import win_tie_loss


@pytest.mark.parametrize("seed", range(4))
def test_it_is_a_count_query_by_query(seed):
    a, b = np.random.default_rng(seed).integers(0, 4, size=(2, 50)) / 10
    expected = [0, 0, 0]
    for ours, theirs in zip(a.tolist(), b.tolist(), strict=True):
        expected[1 - (ours > theirs) + (ours < theirs)] += 1
    assert list(win_tie_loss(a, b)) == expected
    assert tuple(win_tie_loss(b, a)) == tuple(expected[::-1])


def test_the_tolerance_is_part_of_a_tie():
    a, b = [0.75, 0.5, 0.25], [0.5, 0.5, 0.5]
    assert win_tie_loss(a, b, tolerance=0.25) == (0, 3, 0)
    assert win_tie_loss(a, b, tolerance=0.2) == (1, 1, 1)
    assert win_tie_loss([0.1 + 0.2], [0.3]) == (0, 1, 0)
    assert win_tie_loss([0.1 + 0.2], [0.3], tolerance=0.0) == (1, 0, 0)


def test_queries_that_do_not_count_are_left_out():
    assert win_tie_loss([0.5, np.nan], [0.4, np.nan]) == (1, 0, 0)
    with pytest.raises(DataError, match="a count of wins: a query that does not count"):
        win_tie_loss([0.5, np.nan], [0.4, 0.1])


@pytest.mark.parametrize("tolerance", [-1.0, np.nan, np.inf, True, "0.1", None])
def test_a_tolerance_is_a_number(tolerance):
    with pytest.raises(ParameterError, match="tolerance must be a number of at least 0"):
        win_tie_loss([0.5], [0.4], tolerance=tolerance)
