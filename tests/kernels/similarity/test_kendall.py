from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.similarity import kendall
from ranksieve.kernels.similarity.bits import popcount
from ranksieve.kernels.similarity.kendall_long import add_half_agreements_long
from ranksieve.kernels.similarity.masks import mask_above, mask_below
from tests.reference.cases import random_arrays
from tests.reference.pairs import kendall_agreement, kendall_half_agreement, kendall_matrix
from tests.reference.similarity import mean_matrix, tau_b


@compiled
def count_bits(words, counts):
    for place in range(len(words)):
        counts[place] = popcount(words[place])


@compiled
def masks(values, first, limit, words):
    words[0] = mask_below(values, first, limit)
    words[1] = mask_above(values, first, limit)


def test_popcount_counts_set_bits():
    words = np.array([0, 1, 255, 2**63, 2**64 - 1], dtype=np.uint64)
    counts = np.empty(5, dtype=np.int64)
    count_bits(words, counts)
    assert counts.tolist() == [0, 1, 8, 1, 64]


@pytest.mark.parametrize("first", [0, 1, 7])
def test_masks_have_a_bit_for_each_number_below_or_above_the_limit(first):
    values = np.random.default_rng(first).integers(-3, 4, size=71).astype(np.int16)
    values[first], values[first + 63] = -(2**15), 2**15 - 1
    words = np.empty(2, dtype=np.uint64)
    masks(values, first, np.int16(1), words)
    window = values[first : first + 64].tolist()
    assert int(words[0]) == sum(1 << b for b in range(64) if window[b] < 1)
    assert int(words[1]) == sum(1 << b for b in range(64) if window[b] > 1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_agreements_equal_those_over_written_out_pairs(seed, dtype):
    X, _, query_ptr = random_arrays(seed, dtype=dtype)
    total = np.zeros((X.shape[1], X.shape[1]))
    n_voters = kendall.add_agreements(X, query_ptr, total)
    assert n_voters == (np.diff(query_ptr) > 1).sum()
    expected = np.triu(kendall_matrix(X, query_ptr))
    np.testing.assert_allclose(np.triu(total) / n_voters, expected, rtol=1e-14)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("add", [kendall.add_half_agreements, add_half_agreements_long])
def test_half_counted_ties_equal_those_over_written_out_pairs(seed, add):
    X, _, query_ptr = random_arrays(seed)
    total = np.zeros((X.shape[1], X.shape[1]))
    n_voters = add(X, query_ptr, total)
    assert n_voters == (np.diff(query_ptr) > 1).sum()
    expected = np.triu(kendall_matrix(X, query_ptr, kendall_half_agreement))
    np.testing.assert_allclose(np.triu(total) / n_voters, expected, rtol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_tau_b_equals_that_over_written_out_pairs(seed):
    X, _, query_ptr = random_arrays(seed)
    total = np.zeros((X.shape[1], X.shape[1]))
    n_voters = kendall.add_tau_b(X, query_ptr, total)
    assert n_voters == (np.diff(query_ptr) > 1).sum()
    expected = np.triu(mean_matrix(tau_b, X, query_ptr))
    np.testing.assert_allclose(np.triu(total) / n_voters, expected, atol=1e-14)


@pytest.mark.parametrize("m", [63, 64, 65, 66, 130, 180])
def test_queries_longer_than_a_word_or_a_tile_are_counted_right(m):
    rng = np.random.default_rng(m)
    X = np.asfortranarray(rng.integers(0, m // 2, size=(m, 2)).astype(np.float64))
    total = np.zeros((2, 2))
    kendall.add_agreements(X, np.array([0, m]), total)
    for f, g in ((0, 0), (0, 1), (1, 1)):
        assert total[f, g] == pytest.approx(kendall_agreement(X[:, f], X[:, g]), rel=1e-14)


def test_rows_before_and_after_the_queries_are_not_read():
    X = np.asfortranarray(np.array([[9.0], [1.0], [2.0], [-9.0]]))
    total = np.zeros((1, 1))
    assert kendall.add_agreements(X, np.array([1, 3]), total) == 1
    assert total[0, 0] == 1.0
