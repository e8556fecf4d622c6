from __future__ import annotations

import numpy as np

from ranksieve.data import from_arrays
from ranksieve.rankers._row_order import in_own_order


def test_documents_whose_projections_round_to_one_number_are_told_apart_by_their_values():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(40, 3)), np.full(40, 1e18)])
    y, qid = np.repeat([0.0, 1.0], 20), np.repeat([1, 2], 20)
    y[::2] = 2.0
    rows = np.concatenate([rng.permutation(20), 20 + rng.permutation(20)])
    own = in_own_order(from_arrays(X, y, qid))
    np.testing.assert_array_equal(in_own_order(from_arrays(X[rows], y[rows], qid)).X, own.X)


def test_projections_that_overflow_still_leave_an_order():
    X = np.array([[1e308, 1e308, 1.0], [1e308, 1e308, 2.0], [1e308, 1e308, 3.0]])
    y, qid = np.array([0, 1, 0]), [1, 1, 1]
    own = in_own_order(from_arrays(X, y, qid))
    np.testing.assert_array_equal(in_own_order(from_arrays(X[::-1], y[::-1], qid)).X, own.X)
