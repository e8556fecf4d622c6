from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ranksieve import GAS, TopK, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
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
