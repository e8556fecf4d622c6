"""The search: laws of the ladder, of canonical order, of permutation and of the elimination."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import NDCG, RankSVM, load, make_ranking
from ranksieve.data.canonical import in_own_order
from ranksieve.importance.permutation import features_used, permutation_losses
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.search.elimination import Verdict, eliminate, elimination_order
from ranksieve.sieve.search.folds import Folds
from ranksieve.sieve.search.ladder import ladder, shrink

MEASURE = NDCG(10, ties="average")


def permuted(data, rng):
    """The same data with columns, rows and queries in another order."""
    columns = rng.permutation(data.n_features)
    rows = np.concatenate(
        [
            rng.permutation(np.arange(data.query_ptr[query], data.query_ptr[query + 1]))
            for query in rng.permutation(data.n_queries)
        ]
    )
    X = data.X[rows][:, columns]
    names = [data.feature_names[column] for column in columns]
    return load((X, data.y[rows], data.qid[rows])).features(np.arange(len(names))), columns


@pytest.mark.parametrize("n_features", [1, 2, 5, 6, 46, 136, 300])
def test_a_ladder_falls_from_all_features_to_one(n_features):
    rungs = ladder(Costs.alike(n_features))
    assert rungs[0] == n_features
    assert rungs[-1] == 1
    assert (np.diff(rungs) < 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_ladder_of_prices_falls_by_a_factor(seed):
    prices = np.random.default_rng(seed).lognormal(sigma=2.0, size=30)
    rungs = np.array(ladder(Costs(np.arange(30), prices)))
    assert rungs[0] == pytest.approx(prices.sum())
    assert (rungs[1:] / rungs[:-1] <= 0.8 + 1e-9).all()


@pytest.mark.parametrize("seed", range(6))
def test_what_is_shrunk_is_a_part_within_its_price_and_the_best_units(seed):
    rng = np.random.default_rng(seed)
    costs = Costs(rng.integers(0, 8, size=15), rng.uniform(0.5, 3.0, size=8))
    selected, importance = rng.random(15) < 0.8, rng.normal(size=15)
    target = 0.5 * costs.price(selected)
    smaller = shrink(selected, importance, costs, target)
    assert not (smaller & ~selected).any()
    n_units = len(np.unique(costs.units[smaller]))
    assert costs.price(smaller) <= target * (1 + 1e-9) or n_units == 1
    density = [
        importance[selected & (costs.units == unit)].sum() / costs.prices[unit] for unit in range(8)
    ]
    stay, gone = np.unique(costs.units[smaller]), np.unique(costs.units[selected & ~smaller])
    assert min(density[unit] for unit in stay) >= max(density[unit] for unit in gone)


@pytest.mark.parametrize("seed", range(3))
def test_data_in_its_own_order_does_not_know_the_order_it_came_in(seed):
    rng = np.random.default_rng(seed)
    data, _ = make_ranking(12, 5, n_relevant=3, n_irrelevant=4, random_state=seed)
    own, columns = in_own_order(data)
    other, moved = permuted(data, rng)
    own_of_other, columns_of_other = in_own_order(other)
    np.testing.assert_array_equal(own.X, own_of_other.X)
    np.testing.assert_array_equal(own.y, own_of_other.y)
    np.testing.assert_array_equal(own.qid, own_of_other.qid)
    np.testing.assert_array_equal(columns, moved[columns_of_other])
    np.testing.assert_array_equal(np.sort(own.X[:, 0]), np.sort(data.X[:, columns[0]]))


class OneFeature:
    """A ranker that looks at its first feature alone."""

    coef_ = np.array([1.0, 0.0, 0.0])

    def predict(self, data):
        return np.asarray(data.X[:, 0], dtype=float)


def three_features(seed, n_queries=30, n_documents=6):
    rng = np.random.default_rng(seed)
    n = n_queries * n_documents
    y = rng.integers(0, 3, size=n).astype(float)
    X = np.column_stack([y + 0.1 * rng.random(n), rng.random(n), y])
    return load((X, y, np.repeat(np.arange(n_queries), n_documents)))


@pytest.mark.parametrize("seed", range(3))
def test_permuting_costs_what_a_random_order_costs_and_nothing_elsewhere(seed):
    data = three_features(seed)
    losses = permutation_losses(OneFeature(), data, MEASURE, seed=0, times=40)
    constant = MEASURE.values(data.y, np.zeros(data.n_documents), data.query_ptr)
    perfect = MEASURE.values(data.y, data.y, data.query_ptr)
    assert losses[:, 0].mean() == pytest.approx((perfect - constant).mean(), abs=0.02)
    np.testing.assert_array_equal(losses[:, 1:], 0.0)


def test_features_that_a_model_does_not_use_are_not_permuted():
    data = three_features(0)

    class Counting(OneFeature):
        calls = 0

        def predict(self, view):
            Counting.calls += 1
            return super().predict(view)

    used = features_used(Counting(), 3)
    np.testing.assert_array_equal(used, [True, False, False])
    permutation_losses(Counting(), data, MEASURE, seed=0, used=used)
    assert Counting.calls == 2


def test_a_feature_that_is_constant_in_queries_is_permuted_across_them():
    rng = np.random.default_rng(0)
    n_queries, n_documents = 40, 6
    level = np.repeat(rng.integers(0, 2, size=n_queries) * 2.0 - 1.0, n_documents)
    y = rng.integers(0, 2, size=n_queries * n_documents).astype(float)
    X = np.column_stack([level * y, level])
    data = load((X, y, np.repeat(np.arange(n_queries), n_documents)))

    class Product:
        def predict(self, view):
            return view.X[:, 0] * view.X[:, 1]

    losses = permutation_losses(Product(), data, MEASURE, seed=0, times=3)
    assert losses[:, 1].mean() > 0.05


def judge_by(worth, n_per_fold, rng):
    """Verdicts in which every feature is worth what it is said to, in every query."""

    def judge(tasks):
        for task in tasks:
            losses = np.where(task.selected, worth, 0.0)[None, :].repeat(n_per_fold, axis=0)
            values = losses.sum(axis=1) + 0.001 * rng.random(n_per_fold)
            yield Verdict(values, losses)

    return judge


@pytest.mark.parametrize("seed", range(4))
def test_an_elimination_drops_what_is_worth_least(seed):
    rng = np.random.default_rng(seed)
    worth = rng.permutation(np.arange(1.0, 24.0))
    folds = Folds(np.repeat(np.arange(5), 4)[None])
    start = np.ones(23, dtype=bool)
    start[3] = False
    counting = np.ones(20, dtype=bool)
    rungs = eliminate(judge_by(worth, 4, rng), folds, counting, start, Costs.alike(23)).rungs
    assert [rung.n_features for rung in rungs] == [int(size) for size in ladder(Costs.alike(22))]
    for rung in rungs:
        assert not rung.selected[3]
        best = np.argsort(-np.where(start, worth, -1.0))[: rung.n_features]
        assert set(np.flatnonzero(rung.selected)) == set(best)
        assert (rung.fold_selected == rung.selected).all()
    np.testing.assert_array_equal(
        elimination_order(rungs), np.argsort(-np.where(start, worth, -1.0))[:22]
    )


def test_a_fold_does_not_choose_for_itself():
    """Fold 0 alone likes feature 0: its own set loses it, those of the others keep it."""

    def judge(tasks):
        for task in tasks:
            worth = np.array([9.0 if task.fold == 0 else 0.0, 1.0, 1.5, 2.0, 2.5, 3.0])
            losses = np.where(task.selected, worth, 0.0)[None, :].repeat(2, axis=0)
            yield Verdict(losses.sum(axis=1), losses)

    folds = Folds(np.repeat(np.arange(3), 2)[None])
    counting = np.ones(6, dtype=bool)
    start = np.ones(6, dtype=bool)
    rungs = eliminate(judge, folds, counting, start, Costs.alike(6)).rungs
    after = rungs[2].fold_selected
    assert not after[0, 0]
    assert after[1, 0]
    assert after[2, 0]


def test_linear_rankers_say_which_features_they_use():
    data, _ = make_ranking(20, 5, n_relevant=2, n_irrelevant=2)
    np.testing.assert_array_equal(features_used(RankSVM(C=0.1).fit(data), 4), True)
