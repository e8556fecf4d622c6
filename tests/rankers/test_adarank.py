from __future__ import annotations

import math

import numpy as np
import pytest

from ranksieve import MAP, NDCG, AdaRank, KendallTau, Precision, make_ranking
from ranksieve.data import letor_folds
from ranksieve.errors import ConvergenceWarning, DataError, ParameterError
from tests.reference.boosting import adarank
from tests.reference.cases import random_arrays, row_ids


def test_two_rounds_are_those_of_pencil_and_paper():
    # Feature 0 is right in query 1 and puts the relevant document second in query 2;
    # feature 1 does the same the other way round.
    X = [[4.0, 2.0], [1.0, 3.0], [0.0, 0.0], [2.0, 4.0], [3.0, 1.0], [0.0, 0.0]]
    model = AdaRank("map").fit(X, [1, 0, 0, 1, 0, 0], qid=[1, 1, 1, 2, 2, 2])
    first = (1 + 1 / 2) / 2  # both features, so the first is taken
    alpha_1 = math.log((1 + first) / (1 - first)) / 2
    weight_1, weight_2 = math.exp(-1), math.exp(-1 / 2)
    second = (weight_1 / 2 + weight_2) / (weight_1 + weight_2)
    alpha_2 = math.log((1 + second) / (1 - second)) / 2
    np.testing.assert_array_equal(model.features_, [0, 1])
    np.testing.assert_allclose(model.alphas_, [alpha_1, alpha_2])
    np.testing.assert_allclose(model.coef_, [alpha_1, alpha_2])
    # Both relevant documents are first now: 4 a + 2 b > a + 3 b, and 2 a + 4 b > 3 a + b.
    assert model.objective_ == 1.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("max_uses", [1, 2, None])
@pytest.mark.parametrize("measure", ["map", "ndcg@3", "letor-ndcg@5", "p@2", "err@4", "mrr"])
def test_rounds_are_those_of_plain_python(seed, max_uses, measure):
    X, y, query_ptr = random_arrays(seed)
    qid = row_ids(query_ptr)
    model = AdaRank(measure, n_rounds=7, max_uses=max_uses).fit(X, y, qid=qid)
    rounds = adarank(X, y, qid, model.stopping_measure(), 7, max_uses)
    best = int(np.argmax([round(reached, 9) for *_, reached in rounds]))
    kept = rounds[: best + 1]
    np.testing.assert_array_equal(model.features_, [feature for feature, *_ in kept])
    np.testing.assert_allclose(model.alphas_, [alpha for _, alpha, _ in kept], rtol=1e-9)
    assert model.objective_ == pytest.approx(kept[-1][2])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("measure", [MAP(), NDCG(5), KendallTau()])
def test_both_directions_are_those_of_plain_python(seed, measure):
    X, y, query_ptr = random_arrays(seed)
    X[:, 1] = -y + np.random.default_rng(seed).normal(size=len(y))
    qid = row_ids(query_ptr)
    model = AdaRank(measure, n_rounds=4, both_directions=True).fit(X, y, qid=qid)
    rounds = adarank(X, y, qid, model.stopping_measure(), 4, 1, both=True)
    kept = rounds[: model.n_iter_]
    np.testing.assert_array_equal(model.features_, [feature for feature, *_ in kept])
    np.testing.assert_allclose(model.alphas_, [alpha for _, alpha, _ in kept], rtol=1e-9)
    assert model.objective_ == pytest.approx(max(reached for *_, reached in rounds))
    assert model.alphas_[0] < 0


def test_without_validation_queries_the_best_round_on_training_queries_is_kept():
    data, _ = make_ranking(40, 12, random_state=2)
    whole = AdaRank("ndcg", patience=50).fit(data)
    prefixes = [
        AdaRank("ndcg", n_rounds=rounds, patience=50).fit(data).objective_
        for rounds in range(1, data.n_features + 1)
    ]
    assert whole.objective_ == max(prefixes)
    assert whole.n_iter_ == int(np.argmax(prefixes)) + 1
    assert whole.validation_values_ is None


def test_patience_ends_the_training_on_training_queries_too():
    data, _ = make_ranking(40, 12, random_state=2)
    hasty = AdaRank("ndcg", patience=1).fit(data)
    assert hasty.objective_ <= AdaRank("ndcg", patience=50).fit(data).objective_
    assert hasty.n_iter_ < 20


def test_a_feature_is_used_no_more_often_than_allowed():
    data, _ = make_ranking(30, random_state=0)
    for max_uses in (1, 2):
        model = AdaRank("map", max_uses=max_uses, patience=1000).fit(data, validation=data)
        assert np.bincount(model.features_).max() <= max_uses
    endless = AdaRank("map", n_rounds=40, max_uses=None, patience=1000).fit(data)
    assert endless.n_iter_ <= 40


def test_weights_are_the_sums_of_the_rounds():
    data, _ = make_ranking(30, random_state=1)
    model = AdaRank("ndcg@5", max_uses=3).fit(data)
    sums = np.bincount(model.features_, model.alphas_, minlength=data.n_features)
    np.testing.assert_allclose(model.coef_, sums)


def test_queries_that_the_measure_cannot_tell_have_no_part():
    X, y, query_ptr = random_arrays(1)
    qid = row_ids(query_ptr)
    rng = np.random.default_rng(0)
    # Without relevant documents, of relevant ones alone, and of one document.
    more = np.vstack([X, rng.normal(size=(7, X.shape[1]))])
    grades, ids = np.append(y, [0, 0, 0, 1, 2, 1, 1]), np.append(qid, [90, 90, 90, 91, 91, 91, 92])
    first = AdaRank("map", n_rounds=5).fit(X, y, qid=qid)
    second = AdaRank("map", n_rounds=5).fit(more, grades, qid=ids)
    np.testing.assert_array_equal(second.coef_, first.coef_)
    assert second.objective_ == first.objective_


def test_a_constant_feature_in_a_file_sorted_by_grade_is_worth_a_random_order():
    rng = np.random.default_rng(0)
    y, qid = np.tile([2.0, 1.0, 0.0, 0.0], 20), np.arange(80) // 4
    X = np.column_stack([np.ones(80), y + rng.normal(size=80)])
    assert AdaRank("map", n_rounds=1).fit(X, y, qid=qid).features_[0] == 1


def test_a_measure_that_tells_no_query_is_an_error():
    X, y, qid = [[0.0], [1.0], [2.0]], [0, 1, 1], [1, 1, 1]
    with pytest.raises(DataError, match=r"MAP\(threshold=3.*same for every order of each of the 1"):
        AdaRank(MAP(threshold=3)).fit(X, y, qid=qid)
    # Every order is perfect by the measure.
    assert AdaRank(Precision(2)).fit(X, [1, 2, 2], qid=qid).objective_ == 1.0


def test_a_measure_that_no_feature_raises_above_zero_gives_a_warning():
    X, y, qid = [[2.0], [1.0], [0.0]], [0, 1, 2], [1, 1, 1]
    with pytest.warns(ConvergenceWarning, match="Try both_directions=True"):
        model = AdaRank(KendallTau()).fit(X, y, qid=qid)
    np.testing.assert_array_equal(model.coef_, [0.0])
    assert AdaRank(KendallTau(), both_directions=True).fit(X, y, qid=qid).objective_ == 1.0


def test_sums_that_are_not_finite_are_an_error():
    X, y, qid = [[1.7e308], [0.0], [1.0]], [1, 0, 0], [1, 1, 1]
    with pytest.raises(DataError, match=r"1 of 3 documents are not\. Scale the features"):
        AdaRank().fit(X, y, qid=qid)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_rounds": 0}, "n_rounds must be a whole number of at least 1, but is 0"),
        ({"max_uses": 0}, "max_uses must be"),
        ({"patience": 1.5}, "patience must be"),
        ({"both_directions": "yes"}, "both_directions must be True or False, but is 'yes'"),
        ({"measure": "mpa"}, "did you mean"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        AdaRank(**parameters).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


@pytest.mark.slow
def test_real_data_is_ranked_at_least_as_well_as_by_its_best_feature(real_data):
    fold = letor_folds(real_data / "OHSUMED")[0]
    train, measure = fold.train, MAP(ties="average")
    best = max(measure(train.y, column, qid=train.qid) for column in train.X.T)
    model = AdaRank("map").fit(train)
    assert measure(train.y, model.predict(train), qid=train.qid) >= best
