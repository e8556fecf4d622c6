from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import rankdata

from ranksieve.kernels.similarity.deviations import write_deviations
from ranksieve.kernels.similarity.footrule import add_footrule
from ranksieve.kernels.similarity.ranks import write_centred_ranks, write_unit_ranks
from tests.reference.cases import random_arrays
from tests.reference.similarity import footrule, mean_matrix


@pytest.mark.parametrize("seed", range(3))
def test_unit_ranks_are_scipys_average_ranks_centred_and_scaled(seed):
    X, _, query_ptr = random_arrays(seed)
    # Rows before the first query belong to another piece of the block.
    part = query_ptr[2:]
    unit = np.empty((part[-1] - part[0], X.shape[1]), order="F")
    assert write_unit_ranks(X, part, unit) == (np.diff(part) > 1).sum()
    for start, stop in itertools.pairwise(part):
        for f in range(X.shape[1]):
            ranks = (stop - start + 1) / 2 - rankdata(X[start:stop, f])
            length = np.linalg.norm(ranks) or 1.0
            found = unit[start - part[0] : stop - part[0], f]
            np.testing.assert_allclose(found, ranks / length, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_values", [2, 9, 500])
def test_ranks_of_a_column_are_twice_scipys_less_one_more_than_the_values(n_values, dtype):
    column = np.random.default_rng(n_values).integers(0, n_values, 120).astype(dtype) - 3
    ranks = np.empty(120, dtype=np.int32)
    write_centred_ranks(column, ranks)
    np.testing.assert_array_equal(ranks, 121 - 2 * rankdata(column))


@pytest.mark.parametrize("seed", range(3))
def test_footrule_equals_that_over_written_out_ranks(seed):
    X, _, query_ptr = random_arrays(seed)
    total = np.zeros((X.shape[1], X.shape[1]))
    n_voters = add_footrule(X, query_ptr, total)
    expected = mean_matrix(footrule, X, query_ptr)
    np.testing.assert_allclose(np.triu(total) / n_voters, np.triu(expected), atol=1e-14)


def test_footrule_of_a_query_longer_than_a_tile_is_summed_over_all_of_it():
    m = 600
    X = np.asfortranarray(np.column_stack([np.arange(m), -np.arange(m)]).astype(np.float64))
    total = np.zeros((2, 2))
    add_footrule(X, np.array([0, m]), total)
    assert total.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_deviations_are_scaled_by_a_power_of_two_and_exactly_zero_for_a_constant():
    X = np.asfortranarray(np.array([[7.0, 0.1], [1.0, 0.1], [4.0, 0.1], [12.0, 0.1], [9.0, 0.1]]))
    centre, scale, out = np.empty(2), np.empty(2), np.empty((3, 2), order="F")
    write_deviations(X, 0, 3, np.ones(X.shape[1]), centre, scale, out)
    assert centre.tolist() == [4.0, 0.1]
    assert scale.tolist() == [2.0, 0.0]
    assert out.tolist() == [[1.5, 0.0], [-1.5, 0.0], [0.0, 0.0]]
