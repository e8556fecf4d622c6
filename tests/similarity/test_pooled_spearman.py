from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr

from ranksieve.data import RankingData, from_arrays
from ranksieve.data.disk import stored_blocks
from ranksieve.data.memory import memory
from ranksieve.similarity import PooledSpearmanSimilarity, SpearmanSimilarity, as_similarity
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.similarity import spearman


@pytest.mark.parametrize("seed", range(3))
def test_matrix_equals_that_of_written_out_ranks_of_all_documents(seed):
    X, y, query_ptr = random_arrays(seed)
    matrix = PooledSpearmanSimilarity().matrix(in_blocks(X, y, query_ptr, [2, 7]))
    expected = [[abs(spearman(f, g)) for g in X.T] for f in X.T]
    np.testing.assert_allclose(matrix, expected, atol=1e-14)


@pytest.mark.parametrize("levels", [3, 10, 1000])
def test_it_is_the_size_of_scipys_spearmanr(levels):
    rng = np.random.default_rng(levels)
    X = rng.integers(0, levels, size=(90, 4)).astype(np.float32)
    matrix = PooledSpearmanSimilarity().matrix(from_arrays(X, np.zeros(90), np.arange(90) // 7))
    for f, g in itertools.product(range(4), repeat=2):
        assert matrix[f, g] == pytest.approx(abs(spearmanr(X[:, f], X[:, g]).statistic))


def test_queries_play_no_part():
    X, y, query_ptr = random_arrays(5)
    rng = np.random.default_rng(5)
    other = np.sort(rng.integers(0, 9, len(y)))
    np.testing.assert_array_equal(
        PooledSpearmanSimilarity().matrix(from_arrays(X, y, row_ids(query_ptr))),
        PooledSpearmanSimilarity().matrix(from_arrays(X, y, other)),
    )


def test_levels_of_queries_are_seen_and_orders_within_them_are_not():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(30), 8)
    X = rng.normal(size=(240, 2)) + 50.0 * qid[:, None]
    data = from_arrays(X, np.zeros(240), qid)
    assert PooledSpearmanSimilarity().matrix(data)[0, 1] > 0.99
    assert abs(SpearmanSimilarity().matrix(data)[0, 1]) < 0.2


@pytest.mark.parametrize("change", [np.exp, lambda f: -(f**3), np.arctan])
def test_a_rising_or_falling_function_of_a_feature_changes_nothing(change):
    rng = np.random.default_rng(1)
    X = rng.integers(-9, 9, size=(60, 3)).astype(float)
    qid = np.arange(60) // 6
    changed = X.copy()
    changed[:, 1] = change(X[:, 1])
    np.testing.assert_array_equal(
        PooledSpearmanSimilarity().matrix(from_arrays(changed, np.zeros(60), qid)),
        PooledSpearmanSimilarity().matrix(from_arrays(X, np.zeros(60), qid)),
    )


@pytest.mark.parametrize("n_columns", [1, 2, 3, 4, 6])
def test_with_room_for_few_columns_groups_give_the_same_bit_for_bit(n_columns):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 50, size=(400, 7)).astype(np.float32)
    data = from_arrays(X, np.zeros(400), np.arange(400) // 20)
    together = PooledSpearmanSimilarity().matrix(data)
    stored = RankingData(stored_blocks(data.blocks()), data.feature_names)
    with memory(max(4 * 400 * n_columns, 4000)):
        np.testing.assert_array_equal(PooledSpearmanSimilarity().matrix(data), together)
        np.testing.assert_array_equal(PooledSpearmanSimilarity().matrix(stored), together)


def test_more_documents_than_a_product_takes_at_once_are_all_counted():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40_000, 2))
    X[:, 1] += X[:, 0]
    matrix = PooledSpearmanSimilarity().matrix(
        from_arrays(X, np.zeros(40_000), np.arange(40_000) // 100)
    )
    assert matrix[0, 1] == pytest.approx(spearmanr(X[:, 0], X[:, 1]).statistic, rel=1e-12)
    assert matrix[0, 0] == 1.0


@pytest.mark.parametrize("text", ["pooled-spearman", "PooledSpearmanSimilarity()"])
def test_it_goes_by_its_name(text):
    assert as_similarity(text) == PooledSpearmanSimilarity()
