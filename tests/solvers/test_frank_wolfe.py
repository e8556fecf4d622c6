"""Frank-Wolfe over an l1 ball, and the quadratic that its corrections solve."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from ranksieve.data import letor_folds
from ranksieve.errors import ParameterError
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import Charge
from ranksieve.problems import PairRisk
from ranksieve.solvers import FrankWolfe
from ranksieve.solvers._fully_corrective import minimise_in_ball
from ranksieve.solvers._line_search import Point, minimum_along
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.penalised import objective, optimum, optimum_in_ball


def risk_of(X, y, query_ptr):
    return PairRisk(in_blocks(X, y, query_ptr, []), SquaredHingeLoss())


def copied_arrays(seed):
    """Random arrays with a copy, a near copy, and a feature in small units."""
    X, y, query_ptr = random_arrays(seed, n_features=5)
    noise = 1e-3 * np.random.default_rng(seed).normal(size=len(X))
    return (
        np.asfortranarray(np.column_stack([X, X[:, 0], X[:, 1] + noise, 1e-3 * X[:, 2]])),
        y,
        query_ptr,
    )


@pytest.mark.parametrize("steps", ["pairwise", "away"])
@pytest.mark.parametrize("radius", [0.01, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_optimum_is_that_of_an_outside_solver_on_explicit_pairs(seed, radius, steps):
    arrays = copied_arrays(seed)
    found = FrankWolfe(radius=radius, steps=steps).solve(risk_of(*arrays))
    assert found.converged
    assert found.objective == pytest.approx(optimum_in_ball(*arrays, radius), rel=1e-7)
    assert np.abs(found.weights).sum() <= radius * (1 + 1e-12)
    assert found.weights[4] == 0.0


@pytest.mark.parametrize("strength", [0.003, 0.03])
@pytest.mark.parametrize("seed", range(3))
def test_the_ball_of_an_l1_optimum_has_the_same_optimum(seed, strength):
    arrays = random_arrays(seed)
    charge = Charge(np.full(5, strength))
    best = optimum(*arrays, charge)
    radius = np.abs(best).sum()
    found = FrankWolfe(radius=radius).solve(risk_of(*arrays))
    total = objective(*arrays, charge, best)
    assert found.objective + strength * radius == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("steps", ["pairwise", "away"])
@pytest.mark.parametrize("seed", range(3))
def test_steps_alone_reach_the_optimum_too(seed, steps):
    arrays = random_arrays(seed)
    found = FrankWolfe(radius=0.2, steps=steps, corrective=False, tol=1e-7).solve(risk_of(*arrays))
    assert found.converged
    assert found.objective == pytest.approx(optimum_in_ball(*arrays, 0.2), rel=2e-7)


def test_plain_steps_end_at_a_vertex_where_that_is_the_optimum():
    # (1 - w)^2 over |w| <= 0.5: the vertex 0.5, value 0.25, in one step.
    risk = risk_of(np.asfortranarray([[0.0], [1.0]]), np.array([0.0, 1.0]), np.array([0, 2]))
    found = FrankWolfe(radius=0.5, steps="plain").solve(risk)
    assert found.weights == pytest.approx([0.5])
    assert (found.objective, found.n_iter, found.converged) == (0.25, 1, True)


@pytest.mark.parametrize("seed", range(3))
def test_plain_steps_bound_their_distance(seed):
    arrays = random_arrays(seed)
    found = FrankWolfe(radius=0.3, steps="plain", max_iter=50).solve(risk_of(*arrays))
    best = optimum_in_ball(*arrays, 0.3)
    truth = (found.trace.objectives - best) / found.trace.objectives
    assert np.all(truth <= found.trace.gaps + 1e-9)
    assert np.all(np.diff(found.trace.objectives) <= 1e-15)
    assert truth[-1] < 0.01


@pytest.mark.parametrize("steps", ["pairwise", "away", "plain"])
def test_a_step_from_within_the_ball_is_one_of_its_vertices_weights(steps):
    # Two features, one pair with difference (1, 0): within the ball a step moves feature 0 only.
    X = np.asfortranarray([[0.0, 0.0], [1.0, 0.0]])
    risk = risk_of(X, np.array([0.0, 1.0]), np.array([0, 2]))
    found = FrankWolfe(radius=4.0, steps=steps).solve(risk)
    assert found.weights == pytest.approx([1.0, 0.0])
    assert found.objective == pytest.approx(0.0, abs=1e-12)
    assert found.converged


@pytest.mark.parametrize("steps", ["pairwise", "away", "plain"])
def test_a_warm_start_never_ends_higher(steps):
    risk = risk_of(*random_arrays(1))
    cold = FrankWolfe(radius=0.5, steps=steps, max_iter=5).solve(risk)
    for start in (cold, cold.weights):
        warm = FrankWolfe(radius=0.5, steps=steps, max_iter=5).solve(risk, start=start)
        assert warm.objective <= cold.objective


def test_a_start_outside_the_ball_is_scaled_to_it():
    risk = risk_of(*random_arrays(1))
    start = np.array([3.0, -1.0, 0.0, 0.0, 0.0])
    found = FrankWolfe(radius=0.5, max_iter=0).solve(risk, start=start)
    assert found.weights == pytest.approx(start / 8)
    assert not found.converged
    assert found.n_iter == 0


def test_the_trace_ends_at_the_solution_and_running_out_is_said():
    found = FrankWolfe(radius=5.0, max_iter=2, corrective=False).solve(risk_of(*random_arrays(2)))
    assert found.trace.objectives[-1] == found.objective
    assert found.trace.gaps[-1] == found.gap
    assert len(found.trace.gaps) == 3
    assert not found.converged


def test_data_without_pairs_gives_zeros_at_once():
    X, y, query_ptr = random_arrays(0)
    found = FrankWolfe(radius=2.0).solve(risk_of(X, np.zeros_like(y), query_ptr))
    assert np.all(found.weights == 0.0)
    assert (found.objective, found.gap, found.n_iter, found.converged) == (0.0, 0.0, 0, True)


@pytest.mark.parametrize("radius", [0.0, -1.0, np.inf, np.nan])
def test_a_radius_must_be_positive(radius):
    with pytest.raises(ParameterError, match="radius must be a number above 0"):
        FrankWolfe(radius=radius).solve(risk_of(*random_arrays(0)))


def test_unknown_steps_are_refused():
    with pytest.raises(ParameterError, match=r"steps must be one of .*'sideways'"):
        FrankWolfe(steps="sideways").solve(risk_of(*random_arrays(0)))


@pytest.mark.parametrize("radius", [0.1, 1.0, 10.0, 100.0])
def test_correlated_features_are_solved_to_a_tight_gap(real_data, radius):
    data = letor_folds(real_data / "OHSUMED")[0].train
    found = FrankWolfe(radius=radius).solve(PairRisk(data, SquaredHingeLoss()))
    assert found.gap <= 1e-7
    assert found.n_iter <= 30


@pytest.mark.parametrize("radius", [0.3, 3.0])
@pytest.mark.parametrize("seed", range(2))
def test_more_features_than_a_correction_looks_at_are_solved(seed, radius):
    arrays = random_arrays(seed, n_features=130)
    found = FrankWolfe(radius=radius, tol=1e-7).solve(risk_of(*arrays))
    assert found.converged
    assert found.objective == pytest.approx(optimum_in_ball(*arrays, radius), rel=2e-7)


@pytest.mark.parametrize("rank", [2, 6])
@pytest.mark.parametrize("radius", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_quadratic_over_the_ball_is_that_of_an_outside_solver(seed, radius, rank):
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(6, rank))
    hessian = factor @ factor.T
    # In the range of the Hessian, as a loss's gradient is.
    gradient = hessian @ rng.normal(size=6)
    start = rng.normal(size=6)
    start *= radius / np.abs(start).sum() * (0.5 if seed % 2 else 1.0)
    found = minimise_in_ball(hessian, gradient, start, radius)
    x = cp.Variable(6)
    value = gradient @ x + 0.5 * cp.quad_form(x, cp.psd_wrap(hessian))
    outside = cp.Problem(cp.Minimize(value), [cp.norm1(x) <= radius]).solve(solver="CLARABEL")
    assert gradient @ found + 0.5 * found @ hessian @ found == pytest.approx(
        outside, rel=1e-6, abs=1e-7
    )
    assert np.abs(found).sum() <= radius * (1 + 1e-9)


def test_a_quadratic_without_curvature_stays_where_it_is():
    start = np.array([0.1, 0.0])
    assert np.array_equal(minimise_in_ball(np.zeros((2, 2)), np.zeros(2), start, 1.0), start)


@pytest.mark.parametrize("curvature", [0.0, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_a_line_search_ends_at_the_minimum_from_any_first_guess(seed, curvature):
    risk = risk_of(*random_arrays(seed))
    at = Point.of(risk, np.zeros(5))
    found = minimum_along(risk, at, -at.gradient, curvature=curvature, longest=1e3)
    grid = np.linspace(0.0, 2.0, 21) * (found.w @ at.gradient) / (at.gradient @ at.gradient)
    lowest = min(risk.value_and_grad(length * at.gradient)[0] for length in grid)
    assert found.value <= lowest + 1e-6 * (at.value - lowest)
    assert found.value < at.value


def test_a_line_search_does_not_go_up():
    risk = risk_of(*random_arrays(0))
    at = Point.of(risk, np.zeros(5))
    assert minimum_along(risk, at, at.gradient, curvature=1.0, longest=1.0) is at
