from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels import kendall
from ranksieve.kernels.bits import popcount
from ranksieve.kernels.compile import compiled
from tests.reference.cases import random_arrays
from tests.reference.pairs import kendall_agreement, kendall_matrix


@compiled
def count_bits(words, counts):
    for place in range(len(words)):
        counts[place] = popcount(words[place])


def test_popcount_counts_set_bits():
    words = np.array([0, 1, 255, 2**63, 2**64 - 1], dtype=np.uint64)
    counts = np.empty(5, dtype=np.int64)
    count_bits(words, counts)
    assert counts.tolist() == [0, 1, 8, 1, 64]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_agreements_equal_those_over_written_out_pairs(seed, dtype):
    X, _, query_ptr = random_arrays(seed, dtype=dtype)
    total = np.zeros((X.shape[1], X.shape[1]))
    n_voters = kendall.add_agreements(X, query_ptr, total)
    assert n_voters == (np.diff(query_ptr) > 1).sum()
    expected = np.triu(kendall_matrix(X, query_ptr))
    np.testing.assert_allclose(np.triu(total) / n_voters, expected, rtol=1e-14)


@pytest.mark.parametrize("m", [63, 64, 65, 130, 300])
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
