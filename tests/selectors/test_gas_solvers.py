"""GAS's solvers on its 0-1 problem: the local search, the bound, and the proven optimum."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations

import numpy as np
import pytest

from ranksieve.selectors.filters._gas.exact import (
    PairModel,
    is_optimal,
    lagrangian_bound,
    solve_exactly,
)
from ranksieve.selectors.filters._gas.search import (
    Problem,
    Solution,
    descend,
    greedy,
    greedy_order,
    swap_search,
)
from tests.reference.subsets import best_subset, objective, random_problem


def solved(problem, size, *, time_limit=30.0):
    start = swap_search(problem, size, n_restarts=3, random_state=0)
    return solve_exactly(problem, size, start=start, time_limit=time_limit)


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("balance", [0.05, 0.5, 4.0])
@pytest.mark.parametrize(
    ("seed", "n_features", "size"), [(0, 5, 2), (1, 9, 4), (2, 12, 9), (3, 16, 5)]
)
def test_the_exact_solver_finds_the_best_of_all_subsets(seed, n_features, size, balance, negative):
    importance, similarity = random_problem(seed, n_features, negative=negative)
    problem = Problem.of(importance, similarity, balance)
    # A poor start, so that the optimum is the solver's own.
    worst = np.argsort(importance, kind="stable")[:size]
    start = Solution(np.sort(worst), problem.value(worst))
    found = solve_exactly(problem, size, start=start, time_limit=30.0)
    best = best_subset(importance, similarity, balance, size)
    assert found.objective == pytest.approx(best, abs=1e-9)
    assert found.objective == pytest.approx(
        objective(found.chosen, importance, similarity, balance), abs=1e-12
    )
    assert len(set(found.chosen.tolist())) == size
    assert is_optimal(problem, found)
    assert found.bound >= best - 1e-6


@pytest.mark.parametrize("scale", [1e-4, 1e5])
def test_the_exact_solver_does_not_depend_on_the_units(scale):
    importance, similarity = random_problem(4, 10)
    plain = solved(Problem.of(importance, similarity, 0.5), 4)
    scaled = solved(Problem.of(importance * scale, similarity * scale, 0.5), 4)
    np.testing.assert_array_equal(plain.chosen, scaled.chosen)


@pytest.mark.parametrize(
    ("size", "balance"),
    [(0, 0.3), (1, 0.3), (40, 0.3), (13, 0.0)],
    ids=["none", "one", "all", "c0"],
)
def test_trivial_problems_are_exact_without_a_search(monkeypatch, size, balance):
    monkeypatch.setattr(PairModel, "maximise", None)
    importance, similarity = random_problem(5, 40)
    problem = Problem.of(importance, similarity, balance)
    found = solved(problem, size)
    assert found.bound == found.objective
    best_first = np.argsort(-importance)
    np.testing.assert_array_equal(found.chosen, np.sort(best_first[:size]))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("negative", [False, True])
def test_swaps_end_at_a_set_that_no_exchange_improves_and_never_below_greedy(seed, negative):
    importance, similarity = random_problem(seed, 14, negative=negative)
    problem = Problem.of(importance, similarity, 0.4)
    for size in (1, 5, 13, 14):
        found = swap_search(problem, size, n_restarts=4, random_state=seed)
        assert found.objective >= greedy(problem, size).objective
        inside = set(found.chosen.tolist())
        for leaving in inside:
            for entering in set(range(14)) - inside:
                other = sorted((inside - {leaving}) | {entering})
                assert objective(other, importance, similarity, 0.4) <= found.objective + 1e-9


def test_swaps_improve_a_greedy_set_by_hand():
    # Feature 0 is the best one, but like the others; 1 and 2 are unlike each other.
    importance = np.array([1.0, 0.9, 0.9])
    similarity = np.array([[1, 0.6, 0.6], [0.6, 1, 0], [0.6, 0, 1.0]])
    problem = Problem.of(importance, similarity, 0.5)
    assert greedy(problem, 2).objective == pytest.approx(1.0 + 0.9 - 0.6)
    found = descend(problem, greedy(problem, 2).chosen)
    assert found.chosen.tolist() == [1, 2]
    assert found.objective == pytest.approx(0.9 + 0.9)


def test_more_restarts_are_never_worse_and_seeds_repeat():
    importance, similarity = random_problem(11, 60)
    problem = Problem.of(importance, similarity, 0.3)
    values = [
        swap_search(problem, 20, n_restarts=n, random_state=3).objective for n in (0, 1, 5, 20)
    ]
    assert values == sorted(values)
    again = swap_search(problem, 20, n_restarts=20, random_state=3)
    assert again.objective == values[-1]


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_is_above_every_set(seed):
    importance, similarity = random_problem(seed, 12, negative=seed % 2 == 1)
    for size in (2, 4, 8, 11):
        problem = Problem.of(importance, similarity, 0.3)
        reached = greedy(problem, size).objective
        bound = lagrangian_bound(problem, size, reached=reached)
        assert bound.value >= best_subset(importance, similarity, 0.3, size) - 1e-9
        values = {
            chosen: problem.value(np.array(chosen)) for chosen in combinations(range(12), size)
        }
        for feature in range(12):
            having = max(value for chosen, value in values.items() if feature in chosen)
            lacking = max(value for chosen, value in values.items() if feature not in chosen)
            assert bound.with_feature[feature] >= having - 1e-9
            assert bound.without_feature[feature] >= lacking - 1e-9


def test_features_that_no_good_set_has_are_left_out_before_the_search(monkeypatch):
    searched = []
    model = import_module("ranksieve.selectors.filters._gas.exact").PairModel

    def watched(problem, n_chosen):
        searched.append(problem.n_features)
        return model(problem, n_chosen)

    monkeypatch.setattr("ranksieve.selectors.filters._gas.exact.PairModel", watched)
    importance, similarity = random_problem(3, 16)
    importance[:8] += 5.0
    problem = Problem.of(importance, similarity, 0.3)
    start = greedy(problem, 4)
    found = solve_exactly(problem, 4, start=start, time_limit=60.0)
    assert found.objective == pytest.approx(best_subset(importance, similarity, 0.3, 4))
    assert len(searched) == 1
    assert searched[0] <= 8


def test_the_bound_is_tight_where_similarities_are_equal():
    importance = np.random.default_rng(0).random(10)
    problem = Problem.of(importance, np.full((10, 10), 0.5), 0.2)
    best = np.sort(importance)[-4:].sum() - 0.2 * 4 * 3 * 0.5
    assert lagrangian_bound(problem, 4, reached=best).value == pytest.approx(best)


@pytest.mark.slow
@pytest.mark.parametrize("time_limit", [1e-6, 2.0])
def test_the_time_limit_leaves_a_valid_set_and_a_valid_bound(time_limit):
    importance, similarity = random_problem(0, 136)
    problem = Problem.of(importance, similarity, 0.1)
    start = swap_search(problem, 20, n_restarts=2, random_state=0)
    found = solve_exactly(problem, 20, start=start, time_limit=time_limit)
    assert len(np.unique(found.chosen)) == 20
    assert found.objective >= start.objective
    assert np.isfinite(found.bound)
    assert found.bound > found.objective
    assert not is_optimal(problem, found)


@pytest.mark.parametrize("seed", range(3))
def test_an_order_with_a_given_head_stays_greedy_in_both_parts(seed):
    importance, similarity = random_problem(seed, 9)
    first = np.zeros(9, dtype=bool)
    first[[1, 4, 7]] = True
    order, gains = greedy_order(importance, similarity, balance=0.3, first=first)
    assert sorted(order[:3].tolist()) == [1, 4, 7]
    for k in range(1, 10):
        head, rest = order[: k - 1].tolist(), order[k - 1 :].tolist()
        allowed = [f for f in rest if first[f]] if k <= 3 else rest
        values = [objective([*head, f], importance, similarity, 0.3) for f in allowed]
        assert objective(order[:k].tolist(), importance, similarity, 0.3) == pytest.approx(
            max(values)
        )
        assert gains[order[:k]].sum() == pytest.approx(max(values))
