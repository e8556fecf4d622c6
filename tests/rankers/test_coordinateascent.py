"""Coordinate ascent: laws of its climb, brute force along one weight, and corners."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import CoordinateAscent, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.measures import counting_queries, parse_measure
from tests.reference.cases import random_arrays, row_ids


def some(seed, n_queries=30):
    return make_ranking(
        n_queries, 10, n_relevant=3, n_redundant=1, n_irrelevant=3, random_state=seed
    )[0]


def mean_of(data, w, measure="ndcg@10"):
    """The mean of a measure over the queries that count, ties averaged, by plain sums."""
    measure = parse_measure(measure).with_ties("average")
    X = data.X.astype(np.float64)
    means = np.add.reduceat(X, data.query_ptr[:-1]) / np.diff(data.query_ptr)[:, None]
    scores = (X - np.repeat(means, np.diff(data.query_ptr), axis=0)) @ w
    values = measure.values(data.y, np.round(scores, 12), data.query_ptr)
    return values[counting_queries(data, measure)].mean()


def units_of(data):
    X = data.X.astype(np.float64)
    means = np.add.reduceat(X, data.query_ptr[:-1]) / np.diff(data.query_ptr)[:, None]
    return np.abs(X - np.repeat(means, np.diff(data.query_ptr), axis=0)).mean(axis=0)


@pytest.mark.parametrize("measure", ["ndcg@10", "map", "ndcg@3", "err@5"])
@pytest.mark.parametrize("seed", range(2))
def test_it_never_ends_below_its_start_or_says_what_it_did_not_reach(measure, seed):
    data = some(seed)
    model = CoordinateAscent(measure).fit(data)
    assert model.objective_ >= model.start_objective_
    assert model.objective_ == max(model.restart_objectives_)
    assert model.objective_ == pytest.approx(mean_of(data, model.coef_, measure), abs=1e-6)
    more = CoordinateAscent(measure, n_restarts=6).fit(data)
    assert more.objective_ >= model.objective_


@pytest.mark.parametrize("seed", range(3))
def test_no_step_along_one_weight_is_better_where_it_ends(seed):
    data = some(seed)
    model = CoordinateAscent(n_restarts=1, tol=0.0, n_steps=8).fit(data)
    w, best = model.coef_ * units_of(data), mean_of(data, model.coef_)
    assert model.n_iter_ < 100
    for feature in range(data.n_features):
        for step in 0.001 * (2.0 ** np.arange(1, 9) - 1):
            for sign in (1.0, -1.0):
                moved = w.copy()
                moved[feature] += sign * step
                assert mean_of(data, moved / units_of(data)) <= best + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_two_weights_are_those_of_brute_force_over_the_steps(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 2))
    y = np.clip(np.round(1 + X @ [1.0, 0.4] + rng.normal(size=90)), 0, 2)
    data = from_arrays(X, y, np.repeat(np.arange(9), 10))
    model = CoordinateAscent("map", n_restarts=1, n_rounds=1).fit(data)
    units = units_of(data)
    alone = [[mean_of(data, sign * np.eye(2)[f], "map") for sign in (1, -1)] for f in (0, 1)]
    signs = np.array([1.0 if up >= down else -1.0 for up, down in alone])
    reached = []
    for order in ([0, 1], [1, 0]):
        w, value = signs / 2, mean_of(data, signs / 2 / units, "map")
        for f in order:
            w, value = climbed(data, w, f, signs[f], value, units)
        reached.append(value)
    assert min(abs(model.objective_ - value) for value in reached) < 1e-9


def climbed(data, w, f, sign, value, units):
    """The best of all steps along a weight, the better direction first."""
    steps = sign * 0.001 * (2.0 ** np.arange(1, 15) - 1)
    drop = [-w[f]] if w[f] and np.count_nonzero(w) > 1 else []
    for candidates in (steps, [*-steps, *drop]):
        moved = []
        for t in candidates:
            new = w.copy()
            new[f] += t
            moved.append((mean_of(data, new / units, "map"), new / np.abs(new).sum()))
        best = max(moved, key=lambda pair: pair[0])
        if best[0] > value + 1e-12:
            return best[1], best[0]
    return w, value


@pytest.mark.parametrize("seed", range(3))
def test_one_feature_is_ranked_in_its_better_direction(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=60)
    y = (x + rng.normal(size=60) < 0).astype(float)  # small values are better
    data = from_arrays(x[:, None], y, np.repeat(np.arange(6), 10))
    model = CoordinateAscent().fit(data)
    assert model.coef_[0] < 0
    assert model.objective_ == pytest.approx(mean_of(data, np.array([-1.0])))


@pytest.mark.parametrize("seed", range(3))
def test_a_mirror_image_of_a_feature_gets_the_weight_with_the_other_sign(seed):
    data = some(seed)
    signs = np.where(np.arange(data.n_features) % 2, -1.0, 1.0)
    straight = CoordinateAscent(n_restarts=2).fit(data)
    mirrored = CoordinateAscent(n_restarts=2).fit(data.X * signs, data.y, qid=data.qid)
    np.testing.assert_allclose(mirrored.coef_ * signs, straight.coef_, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_units_of_features_change_weights_and_nothing_else(seed):
    data = some(seed)
    units = 2.0 ** np.arange(-3, data.n_features - 3)
    straight = CoordinateAscent(n_restarts=2).fit(data)
    scaled = CoordinateAscent(n_restarts=2).fit(data.X * units, data.y, qid=data.qid)
    np.testing.assert_allclose(scaled.coef_ * units, straight.coef_, rtol=1e-9)


def test_a_shift_of_all_values_of_a_query_changes_nothing():
    data = some(1)
    shifts = np.repeat(np.arange(data.n_queries) % 4, np.diff(data.query_ptr))[:, None]
    X = data.X.astype(np.float64)
    straight = CoordinateAscent(n_restarts=1).fit(X, data.y, qid=data.qid)
    moved = CoordinateAscent(n_restarts=1).fit(X + 8.0 * shifts, data.y, qid=data.qid)
    assert moved.objective_ == pytest.approx(straight.objective_, abs=5e-3)


def test_a_planted_order_is_reached():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    y = np.argsort(np.argsort((X @ [2.0, -1.0, 0.0, 0.5]).reshape(30, 10)), axis=1).ravel() // 4
    model = CoordinateAscent("map", n_restarts=4, tol=0.0).fit(X, y, qid=np.repeat(range(30), 10))
    assert model.objective_ > 0.99


def test_constant_features_and_those_of_the_query_have_no_weight():
    X, y, query_ptr = random_arrays(0)
    X[:, 1] = np.repeat(np.arange(len(query_ptr) - 1), np.diff(query_ptr))
    model = CoordinateAscent().fit(X, y, qid=row_ids(query_ptr))
    assert model.coef_[[1, -1]].tolist() == [0.0, 0.0]
    assert model.coef_.any()
    constant = CoordinateAscent().fit(np.ones_like(X), y, qid=row_ids(query_ptr))
    assert not constant.coef_.any()


def test_it_can_begin_where_another_model_ended():
    data = some(2)
    before = CoordinateAscent(n_restarts=3, tol=0.0).fit(data)
    model = CoordinateAscent(n_restarts=1)
    model.start_from(before.coef_)
    assert model.fit(data).start_objective_ == pytest.approx(before.objective_)
    assert model.objective_ >= before.objective_ - 1e-12
    nowhere = CoordinateAscent(n_restarts=1)
    nowhere.start_from(np.zeros(data.n_features))
    assert nowhere.fit(data).objective_ == CoordinateAscent(n_restarts=1).fit(data).objective_


def test_names_of_queries_and_the_order_of_columns_do_not_matter():
    data = some(3)
    columns = np.random.default_rng(0).permutation(data.n_features)
    straight = CoordinateAscent().fit(data)
    renamed = from_arrays(data.X[:, columns], data.y, np.char.add("q", data.qid.astype(str)))
    np.testing.assert_array_equal(CoordinateAscent().fit(renamed).coef_, straight.coef_[columns])


def test_the_quick_copy_starts_once():
    assert repr(CoordinateAscent("map", tol=0.01).quick()) == repr(
        CoordinateAscent("map", n_restarts=1, tol=0.01)
    )


@pytest.mark.parametrize(
    "wrong", [{"n_restarts": 0}, {"n_rounds": 0}, {"n_steps": 0.5}, {"tol": -1}]
)
def test_wrong_parameters_are_named(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        CoordinateAscent(**wrong).fit(some(0))


def test_a_measure_that_no_order_changes_is_an_error_that_says_so():
    with pytest.raises(DataError, match="the same for every order"):
        CoordinateAscent("precision@3").fit([[1.0], [2.0], [3.0]], [1, 0, 2], qid=[1, 1, 1])
