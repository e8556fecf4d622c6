from __future__ import annotations

import math

import numpy as np
import pytest

from ranksieve import NDCG, RankBoost, make_ranking
from ranksieve.data import from_arrays, letor_folds
from ranksieve.errors import ConvergenceWarning, ParameterError
from ranksieve.rankers import rankboost as module
from ranksieve.rankers._stumps import binned, thresholds_of
from tests.reference.boosting import rankboost
from tests.reference.cases import random_arrays, row_ids
from tests.reference.pairs import preference_pairs


def test_two_rounds_are_those_of_pencil_and_paper():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    model = RankBoost(2).fit(X, y, qid=[1, 1, 1])
    # Three pairs of 1/3. Both thresholds order two of them and tie one: r = 2/3, the first wins.
    alpha_1 = math.log((1 + 2 / 3) / (1 - 2 / 3)) / 2
    assert alpha_1 == pytest.approx(math.log(5) / 2)
    # Pairs (1 over 0) and (2 over 0) are down to e^-alpha = 1 / sqrt(5), (2 over 1) is not.
    root = math.sqrt(5)
    total = 1 / root + 1 / root + 1
    r = (1 / root + 1) / total  # threshold 1.5 orders (2 over 0) and (2 over 1)
    alpha_2 = math.log((1 + r) / (1 - r)) / 2
    np.testing.assert_array_equal(model.features_, [0, 0])
    np.testing.assert_array_equal(model.thresholds_, [0.5, 1.5])
    np.testing.assert_allclose(model.alphas_, [alpha_1, alpha_2])
    np.testing.assert_allclose(model.predict(X), [0, alpha_1, alpha_1 + alpha_2])
    loss_2 = (math.exp(-alpha_1) + math.exp(-alpha_1 - alpha_2) + math.exp(-alpha_2)) / 3
    np.testing.assert_allclose(model.losses_, [total / 3, loss_2])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("counted", ["pairs", "queries"])
def test_rounds_are_those_over_explicit_pairs(seed, counted):
    X, y, query_ptr = random_arrays(seed, n_grades=2 + seed)
    rounds = rankboost(X, y, query_ptr, 8, counted)
    model = RankBoost(8, counted=counted).fit(X, y, qid=row_ids(query_ptr))
    expected = {}
    for feature, threshold, alpha, _ in rounds:
        expected[feature, threshold] = expected.get((feature, threshold), 0.0) + alpha
    stumps = list(zip(model.features_.tolist(), model.thresholds_.tolist(), strict=True))
    assert stumps == sorted(expected)
    np.testing.assert_allclose(model.alphas_, [expected[stump] for stump in stumps], rtol=1e-9)
    np.testing.assert_allclose(model.losses_, [loss for *_, loss in rounds], rtol=1e-9)
    importances = np.zeros(X.shape[1])
    for feature, _, alpha, _ in rounds:
        importances[feature] += abs(alpha)
    np.testing.assert_allclose(model.feature_importances_, importances / importances.sum())


@pytest.mark.parametrize("seed", range(3))
def test_loss_falls_with_every_round_and_bounds_the_misordered_pairs(seed):
    X, y, query_ptr = random_arrays(seed, n_queries=30)
    qid, pairs = row_ids(query_ptr), preference_pairs(y, query_ptr)
    whole = RankBoost(60).fit(X, y, qid=qid)
    assert (np.diff([1.0, *whole.losses_]) < 0).all()
    for n_rounds in (1, 5, 20, 60):
        model = RankBoost(n_rounds).fit(X, y, qid=qid)
        scores = model.predict(X)
        misordered = np.mean([scores[i] <= scores[j] for i, j in pairs])
        assert misordered <= model.objective_ == whole.losses_[n_rounds - 1]
        # The loss of the scores themselves.
        mean = np.mean([math.exp(scores[j] - scores[i]) for i, j in pairs])
        assert model.objective_ == pytest.approx(mean, rel=1e-9)


def test_small_values_first_is_a_negative_weight():
    model = RankBoost(1).fit([[5.0], [1.0], [9.0]], [1, 2, 0], qid=[1, 1, 1])
    assert model.alphas_[0] < 0


def test_one_threshold_that_orders_all_pairs_ends_the_training_with_a_finite_weight():
    X, y, qid = [[0.0, 3.0], [1.0, 1.0], [0.5, 2.0], [4.0, 9.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    model = RankBoost(100).fit(X, y, qid=qid)
    assert model.n_iter_ == 1
    assert model.thresholds_[0] == 0.75
    assert 10 < model.alphas_[0] < 15


def test_features_that_say_nothing_give_scores_of_zero_and_a_warning():
    X, y, qid = [[1.0], [1.0], [2.0], [2.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    with pytest.warns(ConvergenceWarning, match="no threshold of a feature"):
        model = RankBoost().fit(X, y, qid=qid)
    assert model.n_iter_ == 0
    np.testing.assert_array_equal(model.predict(X), np.zeros(4))
    np.testing.assert_array_equal(model.feature_importances_, [0.0])


def test_queries_without_pairs_have_no_part_in_thresholds():
    X, y, query_ptr = random_arrays(0)
    qid = row_ids(query_ptr)
    lonely = np.full((3, X.shape[1]), 77.0) + np.arange(3)[:, None]
    more = np.vstack([X, lonely]), np.append(y, [1, 1, 1]), np.append(qid, [99, 99, 99])
    first, second = RankBoost(20).fit(X, y, qid=qid), RankBoost(20).fit(*more[:2], qid=more[2])
    np.testing.assert_array_equal(second.thresholds_, first.thresholds_)
    np.testing.assert_array_equal(second.alphas_, first.alphas_)


def test_counting_queries_gives_a_long_query_no_more_weight_than_a_short_one():
    rng = np.random.default_rng(0)
    # One long query that feature 0 orders, three short ones that feature 1 orders.
    y = np.concatenate([np.arange(40) % 2, [0, 1], [0, 1], [0, 1]]).astype(float)
    qid = np.concatenate([np.zeros(40), [1, 1], [2, 2], [3, 3]]).astype(int)
    X = rng.normal(size=(46, 2))
    X[:40, 0], X[40:, 1] = y[:40], y[40:]
    assert RankBoost(1, counted="pairs").fit(X, y, qid=qid).features_[0] == 0
    assert RankBoost(1, counted="queries").fit(X, y, qid=qid).features_[0] == 1


@pytest.mark.parametrize("n_thresholds", [3, 255])
def test_float32_and_float64_copies_get_the_same_scores(n_thresholds):
    rng = np.random.default_rng(1)
    X = rng.random((400, 3))
    y, qid = (X[:, 0] + 0.3 * rng.normal(size=400) > 0.5).astype(float), np.arange(400) // 20
    single = X.astype(np.float32)
    for fitted in (X, single):
        model = RankBoost(50, n_thresholds=n_thresholds).fit(fitted, y, qid=qid)
        np.testing.assert_array_equal(model.predict(single), model.predict(X))
    by_single = RankBoost(50).fit(single, y, qid=qid)
    by_copy = RankBoost(50).fit(single.astype(np.float64), y, qid=qid)
    np.testing.assert_array_equal(by_single.thresholds_, by_copy.thresholds_)
    np.testing.assert_array_equal(by_single.alphas_, by_copy.alphas_)


@pytest.mark.parametrize("seed", range(3))
def test_a_threshold_parts_its_neighbours_in_both_precisions(seed):
    rng = np.random.default_rng(seed)
    column = np.unique(rng.normal(size=200) * 10.0 ** rng.uniform(-40, 38, size=200))
    thresholds = thresholds_of(column, 255)
    assert len(thresholds) == len(column) - 1
    assert ((column[:-1] <= thresholds) & (thresholds < column[1:])).all()
    single = column.astype(np.float32)
    apart = single[:-1] < single[1:]
    assert ((single[:-1] <= thresholds) & (thresholds < single[1:]))[apart].all()


@pytest.mark.parametrize(
    "pair",
    [
        (1.0, np.nextafter(1.0, 2)),
        (-1e308, 1.7e308),
        (1.6e308, 1.7e308),
        (0.0, 5e-324),
        (5e-324, 1e-323),
        (-1e-300, 1e-300),
    ],
)
def test_neighbours_of_any_size_are_parted(pair):
    (threshold,) = thresholds_of(np.array(pair), 255)
    assert pair[0] <= threshold < pair[1]


def test_many_values_are_cut_at_quantiles_and_ties_stay_together():
    column = np.concatenate([np.zeros(500), np.arange(1, 501)])
    thresholds = thresholds_of(column, 4)
    np.testing.assert_array_equal(thresholds, [0.5, 100.5, 300.5])
    data = from_arrays(column[:, None], np.arange(1000) % 2, np.zeros(1000, dtype=int))
    table = binned(data, 4)
    np.testing.assert_array_equal(np.bincount(table.bins[0]), [500, 100, 200, 200])


def test_threads_do_not_change_the_model(monkeypatch):
    data, _ = make_ranking(30, random_state=0)
    first = RankBoost(30).fit(data)
    monkeypatch.setattr(module, "_SMALL_ROUND", 0)
    second = RankBoost(30).fit(data)
    np.testing.assert_array_equal(second.thresholds_, first.thresholds_)
    np.testing.assert_array_equal(second.alphas_, first.alphas_)


def test_ties_of_validation_scores_do_not_go_by_row():
    X, y, query_ptr = random_arrays(2, n_queries=30)
    qid = row_ids(query_ptr)
    # By falling grade, so that the order of rows is perfect.
    rows = np.lexsort((-y, qid))
    plain = RankBoost(5).fit(X, y, qid=qid, validation=(X, y, qid))
    by_grade = RankBoost(5).fit(X, y, qid=qid, validation=(X[rows], y[rows], qid[rows]))
    np.testing.assert_allclose(by_grade.validation_values_, plain.validation_values_, rtol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_rounds": 0}, "n_rounds must be a whole number of at least 1, but is 0"),
        ({"n_thresholds": 0}, "n_thresholds must be"),
        ({"n_thresholds": 256}, "n_thresholds must be at most 255, but is 256"),
        ({"counted": "query"}, "counted must be one of 'pairs', 'queries', but is 'query'"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ParameterError, match=message):
        RankBoost(**parameters).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


def test_planted_features_have_the_importance():
    data, truth = make_ranking(200, n_relevant=3, n_redundant=0, n_irrelevant=7, random_state=3)
    importances = RankBoost(100).fit(data).feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert set(np.argsort(importances)[-3:]) == set(truth.relevant.tolist())


@pytest.mark.slow
def test_real_data_is_ranked_better_than_by_its_best_feature(real_data):
    fold = letor_folds(real_data / "OHSUMED")[0]
    model = RankBoost(100).fit(fold.train, validation=fold.vali)
    measure, test = NDCG(10, ties="average"), fold.test
    by_feature = [measure(test.y, column, qid=test.qid) for column in test.X.T]
    assert model.score(test) > np.quantile(by_feature, 0.9)
