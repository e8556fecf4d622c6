"""TopK on sparse input: the same as on dense, without a dense matrix."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from scipy import sparse

from ranksieve import GAS, TopK


@pytest.fixture
def words():
    draw = np.random.default_rng(3)
    X = draw.random((60, 23)) * (draw.random((60, 23)) < 0.2)
    X[:, 5] = 0.0
    y = draw.integers(0, 3, 60)
    return X, y, np.repeat(np.arange(6), 10)


@pytest.mark.parametrize("unproven", ["last", "published"])
@pytest.mark.parametrize("importance", ["map", "ndcg@10", "pearson", "spearman", "kendall-tau"])
def test_sparse_input_gives_the_scores_and_order_of_dense_input(
    words, importance, unproven, monkeypatch
):
    module = import_module("ranksieve.selectors.filters._sparse_columns")
    monkeypatch.setattr(module, "_PIECE_BYTES", 60 * 8 * 4)  # four features at a time
    X, y, qid = words
    dense = TopK(importance, unproven=unproven).fit(X, y, qid=qid)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        top = TopK(importance, unproven=unproven).fit(kind(X), y, qid=qid)
        np.testing.assert_array_equal(top.scores_, dense.scores_)
        np.testing.assert_array_equal(top.order_, dense.order_)
        assert top.n_features_ == dense.n_features_


def test_no_more_than_some_features_are_dense_at_a_time(words, monkeypatch):
    X, y, qid = words

    def refuse(n_documents, n_features, itemsize):
        raise ValueError("made dense as a whole")

    monkeypatch.setattr(import_module("ranksieve.estimator"), "check_dense_size", refuse)
    TopK("pearson").fit(sparse.csc_array(X), y, qid=qid)
    with pytest.raises(ValueError, match="made dense as a whole"):
        GAS().fit(sparse.csc_array(X), y, qid=qid)


def test_what_needs_a_dense_matrix_says_its_size_and_what_does_not():
    X = sparse.csc_array((40_000, 30_000_000))
    y, qid = np.zeros(40_000), np.repeat(np.arange(400), 100)
    with pytest.raises(ValueError, match=r"[\d,]+ GiB as a dense matrix.*TopK takes sparse input"):
        GAS().fit(X, y, qid=qid)
