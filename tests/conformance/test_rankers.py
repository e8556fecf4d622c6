"""Laws that every ranker in the catalog obeys."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import NDCG, catalog, make_ranking

RANKERS = [pytest.param(entry.load(), id=entry.class_name) for entry in catalog.entries("rankers")]
pytestmark = pytest.mark.parametrize("ranker", RANKERS)


def test_separable_data_is_ranked_perfectly(ranker):
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 2, 3], 30)
    X = np.column_stack([y + rng.uniform(-0.2, 0.2, len(y)), rng.normal(size=len(y))])
    qid = np.arange(len(y)) // 4
    model = ranker().fit(X[:80], y[:80], qid=qid[:80])
    assert NDCG()(y[80:], model.predict(X[80:]), qid=qid[80:]) == 1.0


def test_scores_are_finite_and_one_a_document(ranker):
    data, _ = make_ranking(n_queries=20, n_constant=2)
    scores = ranker().fit(data).predict(data)
    assert scores.shape == (data.n_documents,)
    assert np.isfinite(scores).all()


def test_same_data_gives_the_same_model_and_survives_pickle(ranker):
    data, _ = make_ranking(n_queries=20)
    model = ranker().fit(data)
    again = clone(model).fit(data)
    kept = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(data), model.predict(data))
    np.testing.assert_array_equal(kept.predict(data), model.predict(data))


def test_text_form_builds_the_same_ranker(ranker):
    assert repr(catalog.parse(repr(ranker()), "rankers")) == repr(ranker())
