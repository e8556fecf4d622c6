from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr

from ranksieve.data import from_arrays
from ranksieve.similarity import SpearmanSimilarity
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.similarity import mean_matrix, spearman


@pytest.mark.parametrize("seed", range(3))
def test_matrix_equals_that_of_written_out_ranks(seed):
    X, y, query_ptr = random_arrays(seed)
    similarity = SpearmanSimilarity().matrix(in_blocks(X, y, query_ptr, [2, 7]))
    np.testing.assert_allclose(similarity, mean_matrix(spearman, X, query_ptr), atol=1e-14)


@pytest.mark.parametrize("levels", [3, 10, 1000])
def test_in_one_query_it_is_scipys_spearmanr(levels):
    rng = np.random.default_rng(levels)
    X = rng.integers(0, levels, size=(90, 4)).astype(np.float32)
    similarity = SpearmanSimilarity().matrix(from_arrays(X, np.zeros(90), np.zeros(90, dtype=int)))
    for f, g in itertools.product(range(4), repeat=2):
        assert similarity[f, g] == pytest.approx(spearmanr(X[:, f], X[:, g]).statistic)


def test_a_query_in_which_a_feature_is_constant_votes_zero():
    X = [[1.0, 1.0], [2.0, 2.0], [1.0, 3.0], [1.0, 4.0]]
    similarity = SpearmanSimilarity().matrix(from_arrays(X, np.zeros(4), [1, 1, 2, 2]))
    np.testing.assert_allclose(similarity, [[0.5, 0.5], [0.5, 1.0]], rtol=1e-14)


def test_a_feature_and_its_negative_have_minus_one():
    f = np.random.default_rng(0).permutation(30)
    data = from_arrays(np.column_stack([f, -f]), np.zeros(30), np.arange(30) // 10)
    assert SpearmanSimilarity().matrix(data)[0, 1] == pytest.approx(-1.0)
