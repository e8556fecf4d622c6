from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
from ranksieve.similarity import (
    KendallSimilarity,
    TauBSimilarity,
    _kendall_forms,
    as_similarity,
)
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.pairs import kendall_matrix


@pytest.mark.parametrize("seed", range(3))
def test_matrix_equals_that_over_written_out_pairs(seed):
    X, y, query_ptr = random_arrays(seed)
    similarity = KendallSimilarity().matrix(in_blocks(X, y, query_ptr, [2, 7]))
    np.testing.assert_allclose(similarity, kendall_matrix(X, query_ptr), atol=1e-14)


def test_without_ties_it_is_half_of_scipys_tau_plus_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    similarity = KendallSimilarity().matrix(from_arrays(X, np.zeros(40), np.zeros(40, dtype=int)))
    for f in range(3):
        for g in range(3):
            tau = kendalltau(X[:, f], X[:, g]).statistic
            assert similarity[f, g] == pytest.approx((tau + 1) / 2)


def test_ties_are_no_agreement_and_a_constant_is_like_none():
    X = [[1.0, 5.0], [1.0, 5.0], [2.0, 5.0]]
    similarity = KendallSimilarity().matrix(from_arrays(X, [0, 0, 1], [1, 1, 1]))
    np.testing.assert_allclose(similarity, [[2 / 3, 0], [0, 0]])


def test_a_feature_and_its_negative_have_similarity_zero():
    X, y, query_ptr = random_arrays(1)
    both = np.column_stack([X[:, 0], -X[:, 0]])
    similarity = KendallSimilarity().matrix(from_arrays(both, y, row_ids(query_ptr)))
    assert similarity[0, 1] == 0.0
    assert similarity[0, 0] == 1.0


def test_one_document_queries_do_not_vote():
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [5.0, 5.0]]), np.zeros(3)
    with_single = KendallSimilarity().matrix(from_arrays(X, y, [1, 1, 2]))
    without = KendallSimilarity().matrix(from_arrays(X[:2], y[:2], [1, 1]))
    np.testing.assert_array_equal(with_single, without)
    only_singles = KendallSimilarity().matrix(from_arrays(X, y, [1, 2, 3]))
    assert not only_singles.any()


@pytest.mark.parametrize("seed", range(3))
def test_half_counted_ties_are_the_mean_over_random_orders_of_tied_documents(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(6, 2)).astype(float), np.zeros(6)
    qid = np.ones(6, dtype=int)
    half = KendallSimilarity(ties="half").matrix(from_arrays(X, y, qid))

    def mean_over_orders(n_orders):
        # A query for each order: the similarity is the mean over queries.
        orders = np.tile(X, (n_orders, 1)) + 0.5 * rng.random((6 * n_orders, 2))
        queries = np.repeat(np.arange(n_orders), 6)
        return KendallSimilarity().matrix(from_arrays(orders, np.zeros(len(orders)), queries))[0, 1]

    means = [mean_over_orders(100) for _ in range(20)]
    assert abs(np.mean(means) - half[0, 1]) <= 5 * np.std(means, ddof=1) / np.sqrt(20) + 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_half_counted_ties_of_f_with_g_and_with_its_mirror_image_add_up_to_one(seed):
    X, y, query_ptr = random_arrays(seed)
    both = from_arrays(np.hstack([X, -X]), y, row_ids(query_ptr))
    similarity = KendallSimilarity(ties="half").matrix(both)
    np.testing.assert_allclose(similarity[:5, :5] + similarity[:5, 5:], 1.0, rtol=1e-13)
    np.testing.assert_allclose(similarity[4], 0.5)  # a constant is half like any feature


def test_the_rule_for_ties_has_a_text_and_is_checked():
    half = KendallSimilarity(ties="half")
    for text in (repr(half), "kendall(ties='half')", 'kendall(ties="half")'):
        assert as_similarity(text) == half != KendallSimilarity()
    assert repr(KendallSimilarity()) == "KendallSimilarity()"
    with pytest.raises(ParameterError, match="ties must be one of 'strict', 'half'"):
        KendallSimilarity(ties="all").matrix(from_arrays([[1.0], [2.0]], [0, 1], [1, 1]))


@pytest.mark.parametrize(
    "similarity", [KendallSimilarity(), KendallSimilarity(ties="half"), TauBSimilarity()]
)
def test_nothing_changes_where_long_queries_are_counted_another_way(similarity, monkeypatch):
    X, y, query_ptr = random_arrays(2)
    data = in_blocks(X, y, query_ptr, [3])
    by_bits = similarity.matrix(data)
    monkeypatch.setattr(_kendall_forms, "LONGEST_BY_BITS", 1)
    np.testing.assert_array_equal(similarity.matrix(data), by_bits)


def test_a_query_beyond_the_handover_is_counted_right():
    m = _kendall_forms.LONGEST_BY_BITS + 1
    f = np.arange(m, dtype=np.float64)
    data = from_arrays(np.column_stack([f, -f, f // 2]), np.zeros(m), np.zeros(m, dtype=int))
    tied = (m // 2) / (m * (m - 1) / 2)
    np.testing.assert_allclose(
        KendallSimilarity().matrix(data),
        [[1, 0, 1 - tied], [0, 1, 0], [1 - tied, 0, 1 - tied]],
        atol=1e-15,
    )
