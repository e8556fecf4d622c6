"""Laws that every solver of risk plus charge in the catalog obeys."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import Charge
from ranksieve.problems import PairRisk
from ranksieve.progress import listening
from ranksieve.solvers import Penalised
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.penalised import objective, optimum

LOADED = {entry.short_name: entry.load() for entry in catalog.entries("solvers")}
SOLVERS = [
    pytest.param(solver, id=name) for name, solver in LOADED.items() if solver.solves is Penalised
]
# Relative distance to the optimum at a tolerance of 1e-8, and options, where a method is slow.
DISTANCE = {"subgradient": 0.05}
OPTIONS = {"subgradient": {"max_iter": 500}}
# Charges that a solver refuses, with an error that names another solver.
REFUSES = {"fista": ("redundancy", "sums", "mirrored")}
CHARGES = ("l1", "weighted", "fixed", "ridge", "redundancy", "sums", "signed", "mirrored")

pytestmark = pytest.mark.parametrize("solver", SOLVERS)


def name_of(solver):
    return next(name for name, found in LOADED.items() if found is solver)


def charge_of(kind, X, seed=0):
    rng = np.random.default_rng(seed)
    d = X.shape[1]
    linear = 0.02 + 0.05 * rng.random(d)
    if kind == "l1":
        return Charge(np.full(d, 0.03))
    if kind == "weighted":
        return Charge(linear)
    if kind == "fixed":
        return Charge(np.where(np.arange(d) == 1, np.inf, linear))
    if kind == "ridge":
        return Charge(linear, np.diag(0.1 + rng.random(d)))
    if kind == "signed":
        factors = rng.normal(size=(d, 2))
        return Charge(linear, np.diag(0.1 + rng.random(d)), 0.3 * factors @ factors.T)
    if kind == "mirrored":
        agreeing, signs = rng.random((d, 2)), rng.normal(size=(d, 3))
        return Charge(linear, 0.3 * agreeing @ agreeing.T, 0.3 * signs @ signs.T)
    if kind == "sums":
        factors = rng.random((d, 2))
        return Charge(linear, 0.3 * factors @ factors.T)
    # As FSMRank's: absolute correlations with the negative eigenvalues away, and nonnegative.
    noise = X + 0.1 * rng.normal(size=X.shape)
    values, vectors = np.linalg.eigh(np.abs(np.corrcoef(noise, rowvar=False)))
    matrix = (vectors * np.maximum(values, 0)) @ vectors.T
    return Charge(linear, 0.2 * (matrix + max(0.0, -matrix.min())))


def problem_of(arrays, charge):
    X, y, query_ptr = arrays
    borders = [4] if len(query_ptr) > 6 else []
    return Penalised(PairRisk(in_blocks(X, y, query_ptr, borders), SquaredHingeLoss()), charge)


def case(seed, kind="l1", **sizes):
    arrays = random_arrays(seed, **sizes)
    charge = charge_of(kind, arrays[0], seed)
    return arrays, charge, problem_of(arrays, charge)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", CHARGES)
def test_optimum_is_that_of_an_outside_solver_on_explicit_pairs(solver, kind, seed):
    arrays, charge, problem = case(seed, kind)
    if kind in REFUSES.get(name_of(solver), ()):
        with pytest.raises(ParameterError, match="Use AcceleratedGradient"):
            solver().solve(problem)
        return
    found = solver(**{"tol": 1e-8} | OPTIONS.get(name_of(solver), {})).solve(problem)
    outside = objective(*arrays, charge, optimum(*arrays, charge))
    assert found.objective == pytest.approx(objective(*arrays, charge, found.weights), rel=1e-12)
    assert found.objective >= outside * (1 - 1e-9)
    assert found.objective <= outside * (1 + DISTANCE.get(name_of(solver), 1e-7))
    assert (found.objective - outside) / found.objective <= found.gap + 1e-9
    assert np.all(found.weights[~np.isfinite(charge.linear)] == 0.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["l1", "fixed", "ridge", "signed"])
@pytest.mark.parametrize("max_iter", [1, 3, 20])
def test_reported_gap_bounds_the_distance_to_the_optimum(solver, kind, seed, max_iter):
    arrays, charge, problem = case(seed, kind)
    rough = solver(tol=1e-12, max_iter=max_iter).solve(problem)
    best = objective(*arrays, charge, optimum(*arrays, charge))
    assert (rough.objective - best) / rough.objective <= rough.gap + 1e-9
    assert 0.0 <= rough.gap <= 1.0


@pytest.mark.parametrize("seed", range(3))
def test_a_warm_start_never_ends_higher(solver, seed):
    _, _, problem = case(seed)
    cold = solver(tol=1e-4, max_iter=30).solve(problem)
    for start in (cold, cold.weights):
        warm = solver(tol=1e-4, max_iter=30).solve(problem, start=start)
        assert warm.objective <= cold.objective * (1 + 1e-12)


def test_a_start_is_left_as_it_was(solver):
    _, _, problem = case(1)
    start = np.array([0.1, -0.2, 0.3, 0.0, 0.0])
    before = start.copy()
    solver(max_iter=5).solve(problem, start=start)
    assert np.array_equal(start, before)


def test_a_start_with_a_weight_that_must_be_zero_is_mended(solver):
    _, charge, problem = case(2, "fixed")
    found = solver(max_iter=3).solve(problem, start=np.ones(5))
    assert np.isfinite(found.objective)
    assert np.all(found.weights[~np.isfinite(charge.linear)] == 0.0)


def test_running_out_of_iterations_is_said(solver):
    # Grades that follow a feature: margins pass 1, so that no single step reaches the optimum.
    X, y, query_ptr = random_arrays(2)
    X[:, 1] = y + np.random.default_rng(2).normal(size=len(y))
    problem = problem_of((X, y, query_ptr), Charge(np.full(5, 0.003)))
    found = solver(tol=1e-15, max_iter=1).solve(problem)
    assert not found.converged
    assert found.gap > 1e-15
    assert found.n_iter == 1


@pytest.mark.parametrize("max_iter", [2, 7, 1000])
def test_the_trace_ends_at_the_solution(solver, max_iter):
    _, _, problem = case(1)
    found = solver(tol=1e-5, max_iter=max_iter).solve(problem)
    assert found.trace.objectives[-1] == found.objective
    assert found.trace.gaps[-1] == found.gap
    assert len(found.trace.objectives) == found.n_iter + 1
    assert np.all(np.diff(found.trace.seconds) >= 0)


def test_data_without_pairs_gives_zeros_at_once(solver):
    X, y, query_ptr = random_arrays(0)
    problem = problem_of((X, np.zeros_like(y), query_ptr), Charge(np.full(5, 0.1)))
    found = solver().solve(problem)
    assert np.all(found.weights == 0.0)
    assert (found.objective, found.gap, found.n_iter, found.converged) == (0.0, 0.0, 0, True)


@pytest.mark.parametrize("grade", [0.0, 1.0])
def test_features_that_tell_no_pair_apart_get_no_weight_from_any_start(solver, grade):
    X, y, query_ptr = random_arrays(0)
    arrays = (np.asfortranarray(np.ones_like(X)), grade * y, query_ptr)
    found = solver().solve(problem_of(arrays, Charge(np.full(5, 0.1))), start=np.ones(5))
    assert np.all(found.weights == 0.0)
    assert (found.objective, found.gap, found.converged) == (pytest.approx(grade), 0.0, True)


def test_a_charge_above_the_gradient_at_zero_gives_zeros(solver):
    arrays = random_arrays(3)
    risk = problem_of(arrays, Charge(np.zeros(5))).risk
    _, gradient = risk.value_and_grad(np.zeros(5))
    found = solver().solve(Penalised(risk, Charge(np.abs(gradient) + 1e-3)))
    assert np.all(found.weights == 0.0)
    assert found.objective == 1.0
    assert found.converged


@pytest.mark.parametrize("seed", range(3))
def test_a_constant_feature_gets_no_weight(solver, seed):
    _, _, problem = case(seed)
    found = solver(max_iter=200).solve(problem)
    assert found.weights[-1] == 0.0
    assert np.any(found.weights != 0.0)


@pytest.mark.parametrize("strength", [0.01, 0.1])
def test_one_feature_and_one_pair_are_solved_as_by_hand(solver, strength):
    # (1 - w)^2 + strength |w| is least at w = 1 - strength / 2.
    X, y = np.asfortranarray([[0.0], [1.0]]), np.array([0.0, 1.0])
    problem = problem_of((X, y, np.array([0, 2])), Charge(np.array([strength])))
    found = solver(tol=1e-8).solve(problem)
    assert found.converged
    assert found.weights == pytest.approx([1 - strength / 2], abs=1e-4)


def test_progress_is_reported(solver):
    _, _, problem = case(1)
    seen = []
    with listening(lambda label, done, total: seen.append((label, done, total))):
        solver(tol=1e-12, max_iter=3).solve(problem)
    assert any(label == "solving" and done <= 3 and total is None for label, done, total in seen)
