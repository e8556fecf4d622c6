"""Laws that every importance in the catalog obeys."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import catalog, make_ranking
from ranksieve.data import from_arrays
from ranksieve.importance import as_importance
from tests.reference.cases import in_blocks, random_arrays, row_ids

NAMED = [entry.load()() for entry in catalog.entries("importance")]
MEASURED = [as_importance(entry.short_name) for entry in catalog.entries("measures")]
pytestmark = pytest.mark.parametrize("importance", [*NAMED, *MEASURED], ids=repr)


@pytest.mark.parametrize("seed", range(2))
def test_scores_are_finite_and_one_a_feature(importance, seed):
    X, y, query_ptr = random_arrays(seed)
    scores = importance.scores(from_arrays(X, y, row_ids(query_ptr)))
    assert scores.shape == (5,)
    assert np.isfinite(scores).all()


def test_scores_follow_a_permutation_of_columns(importance):
    X, y, query_ptr = random_arrays(2)
    columns = np.array([3, 0, 4, 1, 2])
    straight = importance.scores(from_arrays(X, y, row_ids(query_ptr)))
    moved = importance.scores(from_arrays(X[:, columns], y, row_ids(query_ptr)))
    np.testing.assert_array_equal(moved, straight[columns])


def test_row_and_query_order_do_not_matter(importance):
    rng = np.random.default_rng(0)
    X, y, query_ptr = random_arrays(3)
    qid = row_ids(query_ptr)
    rows = np.concatenate([rng.permutation(np.flatnonzero(qid == q)) for q in rng.permutation(12)])
    np.testing.assert_allclose(
        importance.scores(from_arrays(X[rows], y[rows], qid[rows])),
        importance.scores(from_arrays(X, y, qid)),
        rtol=1e-12,
    )


def test_blocks_do_not_matter(importance):
    X, y, query_ptr = random_arrays(4)
    np.testing.assert_allclose(
        importance.scores(in_blocks(X, y, query_ptr, [1, 2, 9])),
        importance.scores(in_blocks(X, y, query_ptr, [])),
        rtol=1e-12,
    )


def test_a_constant_feature_scores_as_random_orders_do_on_average(importance):
    rng = np.random.default_rng(0)
    _, y, query_ptr = random_arrays(5, n_queries=4, largest=5)
    constant = np.full((len(y), 1), 0.5)
    measured = importance.both_directions(from_arrays(constant, y, row_ids(query_ptr)))
    draws = rng.random((len(y), 4000))
    random_orders, _ = importance.both_directions(from_arrays(draws, y, row_ids(query_ptr)))
    spread = random_orders.std() / np.sqrt(4000)
    assert measured[0][0] == measured[1][0]
    assert abs(measured[0][0] - random_orders.mean()) <= 5 * spread + 1e-12


def test_a_planted_feature_scores_above_noise(importance):
    data, truth = make_ranking(200, n_relevant=1, n_redundant=0, n_irrelevant=5, random_state=1)
    scores = importance.scores(data)
    assert scores.argmax() == truth.relevant[0]
