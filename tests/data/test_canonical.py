"""Data in an order of its content: what is named and ordered otherwise gives the same copy."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.data import from_arrays
from ranksieve.data.canonical import in_content_order


def arrays(seed):
    """Features of few values, among them mirror-like pairs of columns, and small grades."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(40, 5)).astype(float)
    X[:, 4] = rng.normal(size=40)
    return X, rng.integers(0, 3, 40), np.repeat(np.arange(8), 5)


@pytest.mark.parametrize("seed", range(5))
def test_orders_and_names_of_queries_rows_and_columns_do_not_matter(seed):
    X, y, qid = arrays(seed)
    rng = np.random.default_rng(seed + 100)
    rows = np.concatenate([rng.permutation(np.flatnonzero(qid == q)) for q in rng.permutation(8)])
    columns = rng.permutation(5)
    names = rng.permutation(8) + 50
    straight, places = in_content_order(from_arrays(X, y, qid))
    moved, moved_places = in_content_order(
        from_arrays(X[np.ix_(rows, columns)], y[rows], names[qid[rows]])
    )
    np.testing.assert_array_equal(moved.X, straight.X)
    np.testing.assert_array_equal(moved.y, straight.y)
    np.testing.assert_array_equal(moved.query_ptr, straight.query_ptr)
    np.testing.assert_array_equal(moved.query_ids, straight.query_ids)
    np.testing.assert_array_equal(columns[moved_places], places)


@pytest.mark.parametrize("seed", range(3))
def test_the_copy_has_the_same_documents_in_the_same_queries(seed):
    X, y, qid = arrays(seed)
    own, places = in_content_order(from_arrays(X, y, qid))

    def queries(values, grades, starts):
        parts = np.split(np.column_stack([grades, values]), starts[1:-1])
        return sorted(sorted(map(tuple, part.tolist())) for part in parts)

    expected = queries(X[:, places], y, np.arange(0, 41, 5))
    assert queries(own.X, own.y, own.query_ptr) == expected
