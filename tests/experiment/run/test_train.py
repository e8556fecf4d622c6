"""One trial: what is trained is what is measured."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import RankSVM
from ranksieve.experiment.folds import load_fold
from ranksieve.experiment.run.train import FoldWork
from ranksieve.measures import parse_measure


@pytest.fixture(scope="module")
def work(folds):
    return FoldWork(load_fold(str(folds), 0), ("ndcg@10", "map"))


class Without:
    """A fold without a validation part."""

    def __init__(self, fold):
        self.name, self.train, self.vali, self.test = fold.name, fold.train, None, fold.test


@pytest.mark.parametrize("features", [[4, 1], [7, 0, 3], list(range(8))])
def test_a_trained_model_does_not_depend_on_the_order_of_its_features(work, features):
    one, other = (work.trained("RankSVM(C=1)", np.array(f)) for f in (features, features[::-1]))
    assert one.features.tolist() == other.features.tolist() == sorted(features)
    assert one.weights.tobytes() == other.weights.tobytes()
    assert one.test.tobytes() == other.test.tobytes()
    fold = work.fold
    model = RankSVM(C=1).fit(fold.train.X[:, one.features], fold.train.y, qid=fold.train.qid)
    scores = model.predict(fold.vali.X[:, one.features])
    wanted = [
        parse_measure(m).per_query(fold.vali.y, scores, qid=fold.vali.qid)
        for m in ("ndcg@10", "map")
    ]
    assert one.validation.tolist() == np.array(wanted).tolist()


def test_a_model_without_features_is_measured_as_nothing(work):
    found = work.weighted(np.array([], dtype=np.int64), np.zeros(8), {}, (0.0, None))
    assert np.isnan(found.test).all()
    assert np.isnan(found.validation).all()


def test_only_the_weights_of_the_chosen_features_rank(work):
    w = np.arange(1.0, 9.0)
    found = work.weighted(np.array([5, 2]), w, {"n_iter": 3}, (1.5, 7))
    test = work.fold.test
    scores = test.X[:, [2, 5]].astype(np.float64) @ np.array([3.0, 6.0])
    assert (
        found.test[1].tolist()
        == parse_measure("map").per_query(test.y, scores, qid=test.qid).tolist()
    )
    assert found.weights.tolist() == [6.0, 3.0]
    assert (found.seconds, found.peak_memory, found.ending) == (1.5, 7, {"n_iter": 3})


def test_validation_means_are_minus_infinity_where_nothing_is_measured(work):
    rows = np.array([np.zeros(8), np.arange(8.0)])
    found = work.validation_means(rows)
    assert found[0] == -np.inf
    vali = work.fold.vali
    assert found[1] == parse_measure("ndcg@10")(vali.y, vali.X @ rows[1], qid=vali.qid)


def test_without_a_validation_part_nothing_is_measured_on_it(work):
    blind = FoldWork(Without(work.fold), ("map",))
    assert blind.trained("RankSVM(C=1)", np.arange(8)).validation is None
    assert blind.validation_means(np.ones((3, 8))).tolist() == [0.0, 0.0, 0.0]
