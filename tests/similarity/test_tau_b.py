from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import kendalltau

from ranksieve.data import from_arrays
from ranksieve.similarity import TauBSimilarity
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.similarity import mean_matrix, tau_b


@pytest.mark.parametrize("seed", range(3))
def test_matrix_equals_that_over_written_out_pairs(seed):
    X, y, query_ptr = random_arrays(seed)
    similarity = TauBSimilarity().matrix(in_blocks(X, y, query_ptr, [2, 7]))
    np.testing.assert_allclose(similarity, mean_matrix(tau_b, X, query_ptr), atol=1e-14)


@pytest.mark.parametrize("levels", [3, 10, 1000])
def test_it_is_scipys_tau_also_with_ties(levels):
    rng = np.random.default_rng(levels)
    X = rng.integers(0, levels, size=(90, 4)).astype(np.float64)
    similarity = TauBSimilarity().matrix(from_arrays(X, np.zeros(90), np.zeros(90, dtype=int)))
    for f, g in itertools.product(range(4), repeat=2):
        assert similarity[f, g] == pytest.approx(kendalltau(X[:, f], X[:, g]).statistic)


def test_a_query_in_which_a_feature_is_constant_votes_zero():
    X = [[1.0, 1.0], [2.0, 2.0], [1.0, 3.0], [1.0, 4.0]]
    similarity = TauBSimilarity().matrix(from_arrays(X, np.zeros(4), [1, 1, 2, 2]))
    assert similarity.tolist() == [[0.5, 0.5], [0.5, 1.0]]


def test_values_worked_out_by_hand_with_a_tie():
    # f ties one of three pairs; g orders the other two once alike, once contrarily.
    X = [[1.0, 1.0], [1.0, 3.0], [2.0, 2.0]]
    similarity = TauBSimilarity().matrix(from_arrays(X, np.zeros(3), [1, 1, 1]))
    assert similarity[0, 1] == (1 - 1) / np.sqrt(2 * 3)
    X = [[1.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    similarity = TauBSimilarity().matrix(from_arrays(X, np.zeros(3), [1, 1, 1]))
    assert similarity[0, 1] == (2 - 0) / np.sqrt(2 * 3)


def test_a_feature_and_its_negative_have_minus_one():
    f = np.random.default_rng(0).permutation(30)
    data = from_arrays(np.column_stack([f, -f]), np.zeros(30), np.arange(30) // 10)
    assert TauBSimilarity().matrix(data)[0, 1] == pytest.approx(-1.0)
