"""Randomised elimination: plain loops, what the starts promise, and corners."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import RandomRFE, RankRFE, RankSVM, make_ranking
from ranksieve.errors import ParameterError
from ranksieve.measures import NDCG
from ranksieve.selectors.wrappers._rankrfe_rounds import number_to_drop
from ranksieve.selectors.wrappers.randomrfe import _best, _Elimination, _Trail
from tests.reference.brtree import eliminated


def some(seed, n_irrelevant=6):
    return make_ranking(
        60, 10, n_relevant=2, n_redundant=0, n_irrelevant=n_irrelevant, random_state=seed
    )


@pytest.mark.parametrize("step", [1, 3, 0.3, 0.5])
@pytest.mark.parametrize("seed", range(2))
def test_a_start_is_eliminated_as_by_a_plain_loop(seed, step):
    data, _ = some(seed)
    training, judged = data.queries(range(40)).gathered(), data.queries(range(40, 60)).gathered()
    measure = NDCG(5, ties="average")

    def judge(left):
        model = RankSVM(C=0.1).fit(training.features(left))
        scores = model.predict(judged.features(left))
        value = measure.values(judged.y, scores, judged.query_ptr).mean()
        return np.abs(model.coef_).tolist(), value

    start = np.array([0, 1, 3, 4, 6, 7])
    trail = _Elimination(training, judged, RankSVM(C=0.1), measure, step)(start)
    order, values = eliminated(start.tolist(), judge, lambda n: number_to_drop(step, n))
    assert trail.order.tolist() == order
    assert [size for size, _ in trail.values] == [size for size, _ in values]
    np.testing.assert_allclose([v for _, v in trail.values], [v for _, v in values], atol=1e-9)
    assert (np.diff(trail.rounds) <= 0).all()


def test_the_value_of_a_number_is_that_of_the_smallest_set_with_so_many():
    trail = _Trail(np.arange(8), np.ones(8), [(8, 0.5), (4, 0.7), (1, 0.2)], np.ones(8))
    assert [trail.value(n) for n in (8, 5, 4, 2, 1)] == [0.5, 0.5, 0.7, 0.7, 0.2]
    assert np.isnan(trail.value(9))
    small = _Trail(np.arange(3), np.ones(3), [(3, 0.9), (1, 0.1)], np.ones(3))
    assert [_best([trail, small], n) for n in (8, 3, 2, 1)] == [0, 1, 1, 0]


@pytest.mark.parametrize("seed", range(3))
def test_planted_features_are_selected_and_no_start_is_judged_better(seed):
    data, truth = some(seed)
    best = RandomRFE(2).fit(data)
    assert best.get_support(indices=True).tolist() == truth.relevant.tolist()
    assert best.start_values_[best.best_start_] == np.nanmax(best.start_values_)
    assert best.start_values_[best.best_start_] >= best.start_values_[0]
    assert len(best.start_values_) == 5


def test_one_start_is_a_plain_elimination_on_the_training_queries():
    data, _ = some(4)
    ranker = "RankSVM(C=0.1)"
    best = RandomRFE(3, ranker=ranker, n_starts=1, step=1, judged_share=0.01).fit(data)
    rfe = RankRFE(ranker, 3).fit(data)
    assert best.best_start_ == 0
    # One query of sixty is missing: the strongest features are the same.
    assert set(best.order_[:2].tolist()) == set(rfe.order_[:2].tolist())
    assert best.n_fits_ == data.n_features


def test_sets_of_different_numbers_come_from_the_start_that_is_best_for_each():
    data, _ = some(5)
    sets = RandomRFE(n_starts=6).feature_sets(data)
    for number in (1, 2, 4, 8):
        fitted = RandomRFE(number, n_starts=6).fit(data)
        assert set(sets.of_size(number).tolist()) == set(fitted.order_[:number].tolist())


def test_features_that_the_best_start_does_not_have_come_after_it():
    data, _ = some(6)
    fitted = RandomRFE(1, n_starts=8, random_state=3).fit(data)
    inside = fitted.scores_ > 0
    assert inside[fitted.order_[: inside.sum()]].all()
    assert (np.diff(fitted.scores_[fitted.order_[: inside.sum()]]) <= 0).all()


def test_nothing_to_learn_or_to_judge_by_is_no_problem():
    data, _ = some(0)
    nothing = RandomRFE().fit(data.X, np.ones(data.n_documents), qid=data.qid)
    assert nothing.n_fits_ == 0
    assert nothing.order_.tolist() == list(range(data.n_features))
    one_query = np.concatenate([data.y[:10], np.zeros(data.n_documents - 10)])
    fitted = RandomRFE(2).fit(data.X, one_query, qid=data.qid)
    assert sorted(fitted.order_.tolist()) == list(range(data.n_features))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_starts": 0}, "n_starts"),
        ({"start_share": 1.0}, "start_share must be below 1"),
        ({"judged_share": 0.0}, "judged_share"),
        ({"step": 1.0}, "step"),
        ({"measure": "ndgc"}, "did you mean"),
        ({"ranker": "TopK"}, "TopK is a selector"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        RandomRFE(**wrong).fit(some(0)[0])
