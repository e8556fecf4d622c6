from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ranksieve import GAS, TopK, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import ConvergenceWarning, ParameterError
from ranksieve.selectors.filters.gas import greedy_order


def test_gas_prefers_new_information_to_a_copy():
    importance = np.array([0.9, 0.9, 0.5])  # feature 1 copies feature 0
    similarity = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1.0]])
    assert greedy_order(importance, similarity, balance=1.0)[0].tolist() == [0, 2, 1]
    assert greedy_order(importance, similarity, balance=0.0)[0].tolist() == [0, 1, 2]


def test_each_step_subtracts_twice_the_balance_times_the_similarity():
    importance = np.array([0.9, 0.8, 0.5])
    similarity = np.array([[1, 0.5, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1.0]])
    order, gains = greedy_order(importance, similarity, balance=0.5)
    # After 0: 0.8 - 0.5 = 0.3 and 0.5 - 0.1 = 0.4; after 2: 0.3 - 0.2.
    assert order.tolist() == [0, 2, 1]
    np.testing.assert_allclose(gains[order], [0.9, 0.4, 0.1])


def objective(chosen, importance, similarity, balance):
    inside = similarity[np.ix_(chosen, chosen)]
    return importance[chosen].sum() - balance * (inside.sum() - np.trace(inside))


@pytest.mark.parametrize("seed", range(5))
def test_gains_add_up_to_the_objective_and_each_step_is_the_best_single_one(seed):
    rng = np.random.default_rng(seed)
    importance = rng.random(8)
    similarity = rng.random((8, 8))
    similarity = (similarity + similarity.T) / 2
    order, gains = greedy_order(importance, similarity, balance=0.2)
    for k in range(1, 9):
        chosen = order[:k].tolist()
        value = objective(chosen, importance, similarity, 0.2)
        assert gains[chosen].sum() == pytest.approx(value)
        others = [
            objective([*order[: k - 1], f], importance, similarity, 0.2) for f in order[k - 1 :]
        ]
        assert value == pytest.approx(max(others))


@pytest.mark.parametrize("seed", range(3))
def test_with_constant_similarity_greedy_is_optimal(seed):
    importance = np.random.default_rng(seed).random(7)
    similarity = np.full((7, 7), 0.3)
    order, _ = greedy_order(importance, similarity, balance=0.1)
    best = max(
        combinations(range(7), 3), key=lambda c: objective(list(c), importance, similarity, 0.1)
    )
    assert sorted(order[:3].tolist()) == list(best)


def test_balance_zero_is_topk():
    data, _ = make_ranking(40, random_state=2)
    gas, top = GAS(balance=0.0).fit(data), TopK().fit(data)
    np.testing.assert_array_equal(gas.order_, top.order_)
    np.testing.assert_array_equal(gas.scores_, top.scores_)


def test_redundant_copies_are_passed_over():
    data, truth = make_ranking(
        150, n_relevant=4, n_redundant=8, n_irrelevant=0, redundancy_noise=0.05, random_state=0
    )

    def sources(order):
        return {truth.copies_of.get(int(feature), int(feature)) for feature in order[:4]}

    assert len(sources(GAS(4, balance=1.0).fit(data).order_)) == 4
    assert len(sources(TopK(n_features_to_select=4).fit(data).order_)) < 4


def test_constant_features_come_last_though_they_are_like_no_other():
    data, truth = make_ranking(50, n_constant=3, random_state=3)
    gas = GAS(balance=10.0).fit(data)
    assert sorted(gas.order_[-3:].tolist()) == truth.constant.tolist()
    assert np.isfinite(gas.scores_[gas.order_[:-3]]).all()
    assert (gas.scores_[truth.constant] == -np.inf).all()
    everything = GAS(data.n_features, balance=10.0).fit(data)
    assert everything.objective_ == pytest.approx(gas.scores_[gas.order_[:-3]].sum())


def test_objective_is_that_of_the_selected_features():
    data, _ = make_ranking(30, random_state=4)
    gas = GAS(5, balance=0.2).fit(data)
    chosen = gas.order_[:5].tolist()
    assert gas.objective_ == pytest.approx(objective(chosen, gas.importance_, gas.similarity_, 0.2))


def test_equal_features_go_by_index():
    column = np.array([0.0, 1.0, 2.0, 0.0, 1.0, 2.0])
    data = from_arrays(np.column_stack([column] * 3), [0, 1, 2] * 2, [1, 1, 1, 2, 2, 2])
    assert GAS().fit(data).order_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("balance", [-0.1, np.nan, np.inf, "x", None])
def test_bad_balance_is_named(balance):
    data, _ = make_ranking(5)
    with pytest.raises(ParameterError, match="balance must be a number of at least 0"):
        GAS(balance=balance).fit(data)


def blocks_of_copies(seed):
    return make_ranking(
        60, 15, n_relevant=4, n_redundant=6, n_irrelevant=3, n_constant=2, random_state=seed
    )


@pytest.mark.parametrize("trade_off", ["sum", "pareto"])
@pytest.mark.parametrize("solver", ["greedy", "swap", "exact"])
def test_the_selected_set_comes_first_and_gains_add_up_for_every_solver(solver, trade_off):
    data, _ = blocks_of_copies(0)
    gas = GAS(5, solver=solver, trade_off=trade_off, balance=0.5).fit(data)
    order, chosen = gas.order_, gas.order_[:5].tolist()
    assert sorted(order.tolist()) == list(range(15))
    for k in range(1, 14):
        value = objective(order[:k].tolist(), gas.importance_, gas.similarity_, gas.balance_)
        assert gas.scores_[order[:k]].sum() == pytest.approx(value)
    value = objective(chosen, gas.importance_, gas.similarity_, gas.balance_)
    assert gas.objective_ == pytest.approx(value)
    assert (gas.scores_[order[-2:]] == -np.inf).all()
    assert gas.converged_


def allowed_sets(gas, constant, number):
    """Every set of a size; with unproven="last", features not better than random only in need."""
    offered = np.setdiff1d(range(gas.n_features_in_), constant)
    better = getattr(gas, "better_than_random_", np.ones(gas.n_features_in_, dtype=bool))
    n_early = min(number, int(better[offered].sum()) or number)
    sets = combinations(offered, number)
    return (list(chosen) for chosen in sets if better[list(chosen)].sum() >= n_early)


@pytest.mark.parametrize("unproven", ["last", "published"])
@pytest.mark.parametrize("number", [5, 11, 12])
@pytest.mark.parametrize("seed", range(3))
def test_solvers_get_better_and_say_by_how_much_greedy_falls_short(seed, number, unproven):
    data, truth = blocks_of_copies(seed)
    greedy, swap, exact = (
        GAS(number, solver=solver, balance=0.5, unproven=unproven).fit(data)
        for solver in ("greedy", "swap", "exact")
    )
    assert greedy.greedy_objective_ == greedy.objective_
    assert greedy.greedy_shortfall_ == 0.0
    assert exact.objective_ >= swap.objective_ - 1e-12 >= greedy.objective_ - 2e-12
    for better in (swap, exact):
        assert better.greedy_objective_ == pytest.approx(greedy.objective_)
        assert better.greedy_shortfall_ == pytest.approx(better.objective_ - greedy.objective_)
    assert np.isnan([greedy.bound_, greedy.gap_, swap.bound_, swap.gap_]).all()
    assert exact.bound_ - exact.objective_ == exact.gap_ <= 1e-6
    best = max(
        objective(list(chosen), exact.importance_, exact.similarity_, 0.5)
        for chosen in allowed_sets(exact, truth.constant, number)
    )
    assert exact.objective_ == pytest.approx(best)


def test_a_missed_optimum_warns_with_the_numbers():
    data, _ = make_ranking(20, 10, n_relevant=5, n_redundant=15, n_irrelevant=20, random_state=0)
    gas = GAS(15, solver="exact", balance=1.0, time_limit=1e-3)
    with pytest.warns(ConvergenceWarning, match=r"time_limit=0.001 s: the objective is .* above"):
        gas.fit(data)
    assert not gas.converged_
    assert gas.gap_ == gas.bound_ - gas.objective_ > 0
    assert gas.get_support().sum() == 15
    front = GAS(15, solver="exact", trade_off="pareto", time_limit=1e-3)
    with pytest.warns(ConvergenceWarning, match="points of the front are not proven"):
        front.fit(data)
    assert not front.converged_
    assert front.get_support().sum() == 15


@pytest.mark.parametrize("solver", ["greedy", "swap", "exact"])
def test_the_knee_is_selected_and_is_the_optimum_of_its_balance(solver):
    data, truth = blocks_of_copies(1)
    gas = GAS(4, trade_off="pareto", solver=solver, balance=123.0).fit(data)
    front = gas.front_
    np.testing.assert_array_equal(gas.get_support(), front.sets[front.knee])
    assert gas.balance_ == front.balance
    assert not front.sets[:, truth.constant].any()
    if solver == "exact":
        alone = GAS(4, solver="exact", balance=gas.balance_).fit(data)
        assert gas.objective_ == pytest.approx(alone.objective_)
        assert gas.gap_ == 0.0


def test_turned_features_are_as_similar_as_the_features_themselves():
    data, _ = make_ranking(40, 12, n_relevant=3, n_redundant=0, n_irrelevant=3, random_state=6)
    both = from_arrays(np.hstack([data.X, -data.X]), data.y, data.qid)
    gas = GAS(orient=True).fit(both)
    own = np.diag(gas.similarity_)
    np.testing.assert_allclose(np.diag(gas.similarity_, 6), own[:6])
    np.testing.assert_array_equal(gas.directions_[:6], -gas.directions_[6:])
    # What the paper does: f and -f agree on no pair.
    plain = GAS().fit(both)
    np.testing.assert_array_equal(np.diag(plain.similarity_, 6), np.zeros(6))
    assert not hasattr(plain, "directions_")
    turned = data.X * gas.directions_[:6].astype(np.float32)
    by_hand = GAS().fit(turned, data.y, qid=data.qid)
    np.testing.assert_allclose(gas.similarity_[:6, :6], by_hand.similarity_)


ALL_OPTIONS = [
    {"solver": solver, "trade_off": trade_off, "orient": orient}
    for solver in ("greedy", "swap", "exact")
    for trade_off in ("sum", "pareto")
    for orient in (False, True)
]


@pytest.mark.parametrize("options", ALL_OPTIONS)
def test_corners_of_data_are_no_problem(options):
    rng = np.random.default_rng(0)
    y, qid = [0, 1, 2] * 2, [1, 1, 1, 2, 2, 2]
    column = np.array([0.0, 1.0, 2.0, 0.0, 2.0, 1.0])
    cases = {
        "two equal features": (np.column_stack([column, column]), y, qid),
        "one feature": (column[:, None], y, qid),
        "constant features alone": (np.ones((6, 3)), y, qid),
        "one that varies": (np.column_stack([np.ones(6), column]), y, qid),
        "one grade": (rng.random((6, 4)), [1] * 6, qid),
        "one-document queries": (rng.random((6, 4)), y, np.arange(6)),
    }
    for X, grades, queries in cases.values():
        n_features = X.shape[1]
        for k in (1, n_features):
            gas = GAS(k, **options).fit(X, grades, qid=queries)
            assert sorted(gas.order_.tolist()) == list(range(n_features))
            assert gas.get_support().sum() == k
            assert np.isfinite(gas.objective_)
            assert gas.converged_
    with pytest.raises(ParameterError, match="between 1 and the number of features, 2"):
        GAS(3, **options).fit(*cases["two equal features"][:2], qid=qid)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"solver": "exakt"}, "solver must be one of 'greedy', 'swap', 'exact', but is 'exakt'"),
        ({"trade_off": "max"}, "trade_off must be one of 'sum', 'pareto', but is 'max'"),
        ({"orient": "yes"}, "orient must be True or False, but is 'yes'"),
        ({"time_limit": 0}, "time_limit must be a number above 0"),
        ({"n_restarts": -1}, "n_restarts must be a whole number of at least 0"),
        ({"random_state": 1.5}, "random_state must be a whole number"),
    ],
)
def test_bad_options_are_named(change, message):
    data, _ = make_ranking(5)
    with pytest.raises(ParameterError, match=message):
        GAS(**change).fit(data)
