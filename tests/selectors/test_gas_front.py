"""The Pareto front against the one of all subsets."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import ParameterError
from ranksieve.selectors import pareto_front
from tests.reference.subsets import front as front_of_all_subsets
from tests.reference.subsets import random_problem, totals

CASES = [(0, 6, 3, False), (1, 9, 2, False), (2, 9, 6, True), (3, 12, 4, False), (4, 12, 7, True)]


@pytest.mark.parametrize("solver", ["greedy", "swap", "exact"])
@pytest.mark.parametrize(("seed", "n_features", "size", "negative"), CASES)
def test_points_are_their_sets_and_rise_together(solver, seed, n_features, size, negative):
    importance, similarity = random_problem(seed, n_features, negative=negative)
    front = pareto_front(importance, similarity, size, solver=solver)
    assert front.sets.shape == (len(front), n_features)
    assert (front.sets.sum(axis=1) == size).all()
    for chosen, w, e in zip(front.sets, front.importance, front.similarity, strict=True):
        assert totals(np.flatnonzero(chosen), importance, similarity) == pytest.approx((w, e))
    assert (np.diff(front.importance) > 0).all()
    assert (np.diff(front.similarity) > 0).all()


@pytest.mark.parametrize(("seed", "n_features", "size", "negative"), CASES)
def test_exact_points_are_pareto_optimal_with_both_ends_and_the_knee(
    seed, n_features, size, negative
):
    importance, similarity = random_problem(seed, n_features, negative=negative)
    front = pareto_front(importance, similarity, size, solver="exact")
    every = front_of_all_subsets(importance, similarity, size)
    found = np.column_stack([front.importance, front.similarity])
    distances = np.abs(found[:, None] - every[None]).max(axis=2)
    assert (distances.min(axis=1) < 1e-9).all()
    assert front.proven.all()
    np.testing.assert_allclose(found[[0, -1]], every[[0, -1]])
    # The knee of all points: furthest above the line between the ends, axes from 0 to 1.
    scaled = (every - every[0]) / (every[-1] - every[0])
    best = every[np.argmax(scaled[:, 0] - scaled[:, 1])]
    np.testing.assert_allclose(found[front.knee], best)


@pytest.mark.parametrize(("seed", "n_features", "size", "negative"), CASES)
def test_every_limit_of_the_similarity_has_its_best_set(seed, n_features, size, negative):
    importance, similarity = random_problem(seed, n_features, negative=negative)
    front = pareto_front(importance, similarity, size, solver="exact", n_points=6)
    every = front_of_all_subsets(importance, similarity, size)
    for limit in np.linspace(every[0, 1], every[-1, 1], 6):
        best = every[every[:, 1] <= limit + 1e-9, 0].max()
        assert front.importance[front.similarity <= limit + 1e-6].max() == pytest.approx(best)


@pytest.mark.parametrize(("seed", "n_features", "size", "negative"), CASES)
def test_swaps_reach_both_ends_of_small_fronts(seed, n_features, size, negative):
    importance, similarity = random_problem(seed, n_features, negative=negative)
    swept = pareto_front(importance, similarity, size, solver="swap")
    every = front_of_all_subsets(importance, similarity, size)
    found = np.column_stack([swept.importance, swept.similarity])
    np.testing.assert_allclose(found[[0, -1]], every[[0, -1]])
    assert not swept.proven.any()


def test_equally_important_features_leave_the_choice_to_similarity():
    importance = np.array([0.9, 0.5, 0.5, 0.5])
    similarity = np.array(
        [[1, 0.7, 0.2, 0.6], [0.7, 1, 0, 0], [0.2, 0, 1, 0.3], [0.6, 0, 0.3, 1.0]]
    )
    front = pareto_front(importance, similarity, 2)
    # 0 and 2: 1.4 and 2 * 0.2; 1 and 2 or 1 and 3: 1.0 and 0.
    np.testing.assert_allclose(front.importance, [1.0, 1.4])
    np.testing.assert_allclose(front.similarity, [0.0, 0.4])
    assert front.sets[1].tolist() == [True, False, True, False]


def test_one_point_is_its_own_knee():
    importance, similarity = random_problem(0, 5)
    for size in (1, 5):
        for solver in ("greedy", "swap", "exact"):
            front = pareto_front(importance, similarity, size, solver=solver)
            assert len(front) == 1
            assert (front.knee, front.balance) == (0, 0.0)
    flat = pareto_front(np.ones(6), np.zeros((6, 6)), 3)
    assert (len(flat), flat.proven.all()) == (1, True)


def test_too_little_time_leaves_a_front_that_says_so():
    importance, similarity = random_problem(1, 60)
    front = pareto_front(importance, similarity, 20, time_limit=1e-6, n_points=4)
    assert len(front) >= 2
    assert not front.proven.all()
    assert front.proven[-1]  # the most important features need no search


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_features": 6}, "at most the 5 features"),
        ({"n_features": 1.5}, "n_features must be a whole number"),
        ({"solver": "best"}, "solver must be one of"),
        ({"n_points": 1}, "n_points must be a whole number of at least 2"),
        ({"time_limit": 0}, "time_limit must be a number above 0"),
        ({"similarity": np.eye(4)}, r"their shapes are \(5,\) and \(4, 4\)"),
    ],
)
def test_mistakes_are_named(change, message):
    importance, similarity = random_problem(0, 5)
    asked = {"importance": importance, "similarity": similarity, "n_features": 2, **change}
    with pytest.raises(ParameterError, match=message):
        pareto_front(**asked)
