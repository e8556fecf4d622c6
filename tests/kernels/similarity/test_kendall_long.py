from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.compile import INTERPRETED
from ranksieve.kernels.similarity.kendall import add_agreements, add_tau_b
from ranksieve.kernels.similarity.kendall_long import add_agreements_long, add_tau_b_long
from tests.reference.cases import random_arrays
from tests.reference.pairs import kendall_matrix
from tests.reference.similarity import mean_matrix, tau_b

# Around a word, around powers of two, and, where compiled, of several tiles.
LENGTHS = [2, 63, 64, 65, 128, 129, 200, *([] if INTERPRETED else [777, 4097])]


def totals(add, X, query_ptr):
    total = np.zeros((X.shape[1], X.shape[1]))
    return add(X, query_ptr, total), np.triu(total)


def columns_with_ties(m, seed):
    """No ties, few, many, two values, one value, and a copy turned round."""
    rng = np.random.default_rng(seed)
    free = rng.normal(size=m)
    ties = [rng.integers(0, levels, size=m) for levels in (m, 7, 2, 1)]
    return np.asfortranarray(np.column_stack([free, *ties, -free]))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_counts_equal_those_over_written_out_pairs(seed, dtype):
    X, _, query_ptr = random_arrays(seed, dtype=dtype)
    n_voters, shares = totals(add_agreements_long, X, query_ptr)
    assert n_voters == (np.diff(query_ptr) > 1).sum()
    expected = np.triu(kendall_matrix(X, query_ptr))
    np.testing.assert_allclose(shares / n_voters, expected, atol=1e-14)
    n_voters, taus = totals(add_tau_b_long, X, query_ptr)
    expected = np.triu(mean_matrix(tau_b, X, query_ptr))
    np.testing.assert_allclose(taus / n_voters, expected, atol=1e-14)


@pytest.mark.parametrize("m", LENGTHS)
def test_splitting_counts_the_same_as_bit_sets_to_the_last_bit(m):
    X, query_ptr = columns_with_ties(m, seed=m), np.array([0, m])
    np.testing.assert_array_equal(
        totals(add_agreements_long, X, query_ptr)[1], totals(add_agreements, X, query_ptr)[1]
    )
    np.testing.assert_array_equal(
        totals(add_tau_b_long, X, query_ptr)[1], totals(add_tau_b, X, query_ptr)[1]
    )


def test_rows_outside_the_queries_are_not_read_and_single_documents_do_not_vote():
    X = np.asfortranarray(np.array([[9.0], [1.0], [2.0], [5.0], [-9.0]]))
    n_voters, shares = totals(add_agreements_long, X, np.array([1, 3, 4]))
    assert (n_voters, shares.item()) == (1, 1.0)
