"""Cutting planes on functions with kinks, and their line search."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from ranksieve.errors import ParameterError
from ranksieve.losses import HingeLoss
from ranksieve.problems import RidgeScores
from ranksieve.solvers import CuttingPlane
from ranksieve.solvers._cutting_plane_search import LinePoint, fall_along
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.pairs import pair_differences


def hinge_problem(seed, C):
    X, y, query_ptr = random_arrays(seed)
    return RidgeScores(in_blocks(X, y, query_ptr, [4]), HingeLoss(), C)


class Piecewise:
    """|w|^2 / 2 + the highest of 0 and some planes, without `along`."""

    strong_convexity = 1.0

    def __init__(self, slopes, offsets):
        self.slopes, self.offsets = np.array(slopes), np.array(offsets)
        self.n_weights = self.slopes.shape[1]

    def value_and_grad(self, w):
        heights = np.append(self.offsets + self.slopes @ w, 0.0)
        highest = int(heights.argmax())
        slope = np.vstack([self.slopes, np.zeros(self.n_weights)])[highest]
        return 0.5 * w @ w + heights[highest], w + slope


def random_planes(seed, n_planes=30, n_weights=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_planes, n_weights)) * 3.0, rng.normal(size=n_planes)


def outside_mixture(slopes, offsets):
    shares = cp.Variable(len(offsets), nonneg=True)
    target = offsets @ shares - 0.5 * cp.sum_squares(slopes.T @ shares)
    problem = cp.Problem(cp.Maximize(target), [cp.sum(shares) == 1])
    return problem.solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_of_the_hinge_is_that_of_an_outside_solver_on_explicit_pairs(seed, C):
    differences = pair_differences(*random_arrays(seed))
    w = cp.Variable(5)
    loss = 0.5 * cp.sum_squares(w) + C * cp.sum(cp.pos(1 - differences @ w))
    outside = cp.Problem(cp.Minimize(loss)).solve(solver=cp.CLARABEL)
    found = CuttingPlane().solve(hinge_problem(seed, C))
    assert found.converged
    assert found.objective == pytest.approx(outside, rel=1e-6)
    slack = np.maximum(0.0, 1.0 - differences @ found.weights)
    own = 0.5 * found.weights @ found.weights + C * slack.sum()
    assert found.objective == pytest.approx(own, rel=1e-12)


@pytest.mark.parametrize("rounds", [1, 3, 8])
@pytest.mark.parametrize("seed", range(3))
def test_the_gap_at_any_round_bounds_the_distance_to_the_optimum(seed, rounds):
    best = CuttingPlane(tol=1e-12).solve(hinge_problem(seed, 1.0))
    rough = CuttingPlane(max_iter=rounds).solve(hinge_problem(seed, 1.0))
    assert (rough.objective - best.objective) / rough.objective <= rough.gap + 1e-12
    assert rough.n_iter <= rounds


def test_values_fall_and_gaps_too_from_round_to_round():
    trace = CuttingPlane().solve(hinge_problem(1, 10.0)).trace
    assert np.all(np.diff(trace.objectives) <= 1e-12 * trace.objectives[0])
    assert np.all(np.diff(trace.gaps) <= 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_problem_without_a_way_along_lines_is_solved_alike(seed):
    slopes, offsets = random_planes(seed)
    found = CuttingPlane(tol=1e-10).solve(Piecewise(slopes, offsets))
    zero = np.vstack([slopes, np.zeros(6)]), np.append(offsets, 0.0)
    assert found.converged
    assert found.objective == pytest.approx(outside_mixture(*zero), rel=1e-6)


def test_two_planes_meet_at_the_kink_of_pencil_and_paper():
    # w^2 / 2 + max(0, 1 - w, 3 - 5 w): the last two meet at w = 1/2, with slopes -1 and -5;
    # on the first the slope is w - 1 < 0 up to w = 1, where it ends: w = 1.
    found = CuttingPlane(tol=1e-12).solve(Piecewise([[-1.0], [-5.0]], [1.0, 3.0]))
    assert found.weights[0] == pytest.approx(1.0, abs=1e-6)
    assert found.objective == pytest.approx(0.5, rel=1e-10)


def test_a_solution_as_start_needs_no_round_and_a_smaller_C_few():
    cold = CuttingPlane().solve(hinge_problem(2, 1.0))
    again = CuttingPlane().solve(hinge_problem(2, 1.0), start=cold)
    assert again.n_iter <= 1
    warm = CuttingPlane().solve(hinge_problem(2, 0.9), start=cold)
    other = CuttingPlane().solve(hinge_problem(2, 0.9))
    assert warm.objective == pytest.approx(other.objective, rel=1e-7)
    assert warm.n_iter < other.n_iter


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1e6, 1e50])
def test_units_far_from_one_still_give_a_direction(unit):
    X, y, query_ptr = random_arrays(3)
    data = in_blocks(X * unit, y, query_ptr, [])
    found = CuttingPlane(tol=1e-6, max_iter=500).solve(RidgeScores(data, HingeLoss(), 1.0))
    assert np.isfinite(found.weights).all()
    assert found.weights.any()
    assert 0.0 <= found.gap <= 1.0


def test_nothing_to_learn_gives_zero_at_once():
    found = CuttingPlane().solve(Piecewise(np.zeros((1, 3)), [1.0]))
    assert not found.weights.any()
    assert found.objective == 1.0
    assert (found.gap, found.n_iter, found.converged) == (0.0, 0, True)


def test_a_problem_without_enough_convexity_is_refused():
    problem = Piecewise([[1.0]], [1.0])
    problem.strong_convexity = 0.5
    with pytest.raises(ParameterError, match=r"at least 1, but has 0\.5"):
        CuttingPlane().solve(problem)


def test_planes_out_of_use_are_dropped_without_harm(monkeypatch):
    monkeypatch.setattr("ranksieve.solvers._cutting_plane_model._MAX_IDLE", 3)
    monkeypatch.setattr("ranksieve.solvers._cutting_plane_model._DROPPED_TOGETHER", 2)
    kept = CuttingPlane().solve(hinge_problem(1, 10.0))
    monkeypatch.undo()
    every = CuttingPlane().solve(hinge_problem(1, 10.0))
    assert kept.converged
    assert kept.objective == pytest.approx(every.objective, rel=1e-7)


def kinked(curvature, breaks, rises):
    """A parabola plus kinks: value and slope at t, and the minimum by a fine grid."""

    def at(t):
        value = 0.5 * curvature * t * t - 3.0 * t + rises @ np.maximum(0.0, t - breaks)
        return value, curvature * t - 3.0 + rises @ (t > breaks)

    grid = np.append(np.linspace(0.0, 50.0, 5001), breaks)
    return at, min(at(t)[0] for t in grid)


@pytest.mark.parametrize("first", [1e-6, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_line_search_finds_most_of_the_fall(seed, first):
    rng = np.random.default_rng(seed)
    at, least = kinked(0.2, rng.uniform(0.0, 10.0, 20), rng.uniform(0.0, 0.6, 20))
    found = fall_along(at, LinePoint(0.0, 0.0, -3.0), 0.0, curvature=0.2, first=first, worth=0.0)
    assert found.value == at(found.length)[0]
    assert found.value <= 0.9 * least


def test_a_line_that_only_rises_is_left_at_its_start():
    def at(t):
        return 0.5 * t * t + t, t + 1.0

    # The line below promises a fall that the function does not keep.
    found = fall_along(at, LinePoint(0.0, -1.0, -1.0), 0.0, curvature=1.0, first=1.0, worth=1e-6)
    assert found.length == 0.0
    assert found.value == 0.0


def test_a_fall_that_rounding_hides_is_believed_by_its_slope():
    def at(t):
        return 1e20 + (0.5 * t * t - 3.0 * t), t - 3.0

    found = fall_along(at, LinePoint(0.0, 1e20, -3.0), 1e20, curvature=1.0, first=0.5, worth=0.0)
    assert 0.5 < found.length <= 6.0
