from __future__ import annotations

import numpy as np
import pytest

from ranksieve.data import from_arrays
from ranksieve.similarity import FootruleSimilarity
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.similarity import footrule, mean_matrix


def one_query(*columns):
    X = np.column_stack(columns).astype(np.float64)
    return FootruleSimilarity().matrix(
        from_arrays(X, np.zeros(len(X)), np.zeros(len(X), dtype=int))
    )


@pytest.mark.parametrize("seed", range(3))
def test_matrix_equals_that_of_written_out_ranks(seed):
    X, y, query_ptr = random_arrays(seed)
    similarity = FootruleSimilarity().matrix(in_blocks(X, y, query_ptr, [2, 7]))
    np.testing.assert_allclose(similarity, mean_matrix(footrule, X, query_ptr), atol=1e-14)


def test_values_worked_out_by_hand():
    # Ranks 1 2 3 4 and 2 1 4 3: each document moves one place, of at most floor(16 / 2) in all.
    assert one_query([1, 2, 3, 4], [2, 1, 4, 3])[0, 1] == 1 - 4 / 8
    # A tie shares rank 1.5: the two documents move half a place each; floor(9 / 2) = 4.
    assert one_query([1, 1, 2], [1, 2, 3])[0, 1] == 1 - (0.5 + 0.5) / 4


@pytest.mark.parametrize("m", [2, 3, 10, 11])
def test_the_reverse_has_zero_and_a_constant_has_half(m):
    ramp = np.arange(m)
    similarity = one_query(ramp, -ramp, np.ones(m), np.zeros(m))
    assert similarity[0, 1] == 0.0
    # All ranks are (m + 1) / 2; floor(m^2 / 4) is half of floor(m^2 / 2), or half of one less.
    assert similarity[0, 2] == 1 - (m * m // 4) / (m * m // 2)
    assert similarity[2, 3] == 1.0


def test_random_orders_have_about_one_third():
    rng = np.random.default_rng(0)
    m = 2000
    similarity = one_query(*(rng.permutation(m) for _ in range(6)))
    # The distance of two random orders has mean (m^2 - 1) / 3 and variance about 2 m^3 / 45.
    five_deviations = 5 * np.sqrt(2 * m**3 / 45) / (m * m / 2)
    np.testing.assert_allclose(similarity[np.triu_indices(6, 1)], 1 / 3, atol=five_deviations)
