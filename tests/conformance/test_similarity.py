"""Laws that every similarity in the catalog obeys."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import catalog
from ranksieve.data import from_arrays
from ranksieve.threads import threads
from tests.reference.cases import in_blocks, random_arrays, row_ids

ENTRIES = catalog.entries("similarity")
pytestmark = pytest.mark.parametrize(
    "similarity", [pytest.param(entry.load()(), id=entry.short_name) for entry in ENTRIES]
)


def data_of(seed):
    X, y, query_ptr = random_arrays(seed)
    return X, y, row_ids(query_ptr), query_ptr


@pytest.mark.parametrize("seed", range(3))
def test_matrix_is_finite_and_symmetric(similarity, seed):
    X, y, qid, _ = data_of(seed)
    matrix = similarity.matrix(from_arrays(X, y, qid))
    assert matrix.shape == (5, 5)
    assert np.isfinite(matrix).all()
    np.testing.assert_array_equal(matrix, matrix.T)


def test_a_copy_is_as_similar_as_the_feature_itself(similarity):
    X, y, qid, _ = data_of(1)
    doubled = similarity.matrix(from_arrays(np.hstack([X, X]), y, qid))
    np.testing.assert_allclose(doubled[:5, 5:], doubled[:5, :5], atol=1e-14)


def test_it_follows_a_permutation_of_columns(similarity):
    X, y, qid, _ = data_of(2)
    columns = np.array([3, 0, 4, 1, 2])
    straight = similarity.matrix(from_arrays(X, y, qid))
    moved = similarity.matrix(from_arrays(X[:, columns], y, qid))
    np.testing.assert_allclose(moved, straight[np.ix_(columns, columns)], atol=1e-14)


def test_row_and_query_order_do_not_matter(similarity):
    rng = np.random.default_rng(0)
    X, y, qid, _ = data_of(3)
    rows = np.concatenate([rng.permutation(np.flatnonzero(qid == q)) for q in rng.permutation(12)])
    np.testing.assert_allclose(
        similarity.matrix(from_arrays(X[rows], y[rows], qid[rows])),
        similarity.matrix(from_arrays(X, y, qid)),
        atol=1e-13,
    )


@pytest.mark.usefixtures("always_threads")
def test_blocks_and_threads_do_not_matter(similarity):
    X, y, _, query_ptr = data_of(4)
    with threads(1):
        one = similarity.matrix(in_blocks(X, y, query_ptr, []))
    many = similarity.matrix(in_blocks(X, y, query_ptr, list(range(1, 12))))
    np.testing.assert_allclose(many, one, atol=1e-13)
