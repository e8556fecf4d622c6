"""What the papers say about their own methods, and what is particular to each."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import ParameterError
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import Charge
from ranksieve.problems import PairRisk
from ranksieve.solvers import (
    FISTA,
    AcceleratedGradient,
    Penalised,
    Subgradient,
    lipschitz_bound,
    rate_bound,
)
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.penalised import objective, optimum


def unit_arrays(seed, n_features=6):
    """Random arrays with every feature in [0, 1], as the theorems assume."""
    X, y, query_ptr = random_arrays(seed, n_features=n_features)
    spans = np.ptp(X, axis=0)
    X = np.asfortranarray((X - X.min(axis=0)) / np.where(spans > 0, spans, 1.0))
    return X, y, query_ptr


def penalised(arrays, charge):
    return Penalised(PairRisk(in_blocks(*arrays, [4]), SquaredHingeLoss()), charge)


def charges(d):
    rng = np.random.default_rng(d)
    factors = rng.random((d, 3))
    similarity = factors @ factors.T
    yield Charge(np.full(d, 0.02))
    yield Charge(0.01 + 0.1 * rng.random(d))
    yield Charge(np.full(d, 0.01), 0.5 * similarity / similarity.max())


class Counted:
    """A risk that counts its passes."""

    def __init__(self, risk):
        self._risk, self.passes = risk, 0

    def __getattr__(self, name):
        return getattr(self._risk, name)

    def value_and_grad(self, w):
        self.passes += 1
        return self._risk.value_and_grad(w)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("warm", [False, True])
def test_the_objective_stays_below_theorem_2(seed, index, warm):
    arrays = unit_arrays(seed)
    charge = list(charges(6))[index]
    best = optimum(*arrays, charge)
    start = np.random.default_rng(seed).normal(size=6) if warm else np.zeros(6)
    found = AcceleratedGradient(tol=1e-9, max_iter=300).solve(penalised(arrays, charge), start)
    steps = np.arange(1, found.n_iter + 1)
    bound = rate_bound(lipschitz_bound(charge), start, best, steps)
    distance = found.trace.objectives[1:] - objective(*arrays, charge, best)
    assert np.all(distance <= bound + 1e-10)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_theorem_1_bounds_the_curvature_of_the_doubled_problem(seed, index):
    arrays = unit_arrays(seed)
    charge = list(charges(6))[index]
    risk = penalised(arrays, charge).risk
    risk.value_and_grad(np.zeros(6))
    risk.accept()
    hessian = risk.hessian(np.arange(6))
    matrix = np.zeros((6, 6)) if charge.matrix is None else charge.matrix
    doubled = np.block([[hessian + matrix, matrix - hessian], [matrix - hessian, hessian + matrix]])
    assert np.linalg.eigvalsh(doubled).max() <= lipschitz_bound(charge)


def test_bounds_are_the_papers_formulas():
    # (4 + 2 lambda1) d with d = 3 and a matrix of at most 0.5.
    assert lipschitz_bound(Charge(np.ones(3), np.full((3, 3), 0.5))) == 15.0
    # 2 * 5 * (1 + 4 + 9) / (t + 1)^2: w goes from (0, 2, 1) to (1, 0, -2), where 1 and -2 are
    # on different sides, so that their squares add up as 1^2 + 2^2 in the doubled form.
    start, best = np.array([0.0, 2.0, 1.0]), np.array([1.0, 0.0, -2.0])
    distance = 1**2 + 2**2 + (1**2 + 2**2)
    assert rate_bound(5.0, start, best, 3) == pytest.approx(2 * 5 * distance / 16)


@pytest.mark.parametrize("seed", range(3))
def test_the_papers_stop_ends_when_the_objective_barely_changes(seed):
    arrays = unit_arrays(seed)
    problem = penalised(arrays, Charge(np.full(6, 0.003)))
    early = AcceleratedGradient(stopping="paper").solve(problem)
    late = AcceleratedGradient().solve(problem)
    changes = -np.diff(early.trace.objectives) / early.trace.objectives[:-1]
    assert early.n_iter < late.n_iter
    assert early.n_iter <= 400
    assert abs(changes[-1]) <= 1e-4
    assert early.gap > 1e-6
    assert not early.converged
    assert late.converged


@pytest.mark.parametrize("scale", [1e-3, 50.0, 1e6])
def test_features_of_any_range_are_solved(scale):
    X, y, query_ptr = random_arrays(4)
    arrays = (np.asfortranarray(X * scale), y, query_ptr)
    charge = Charge(np.full(5, 0.03 * scale))
    best = objective(
        *random_arrays(4),
        Charge(np.full(5, 0.03)),
        optimum(*random_arrays(4), Charge(np.full(5, 0.03))),
    )
    for solver in (AcceleratedGradient(lipschitz=20.0 * min(scale, 1.0) ** 2), FISTA()):
        found = solver.solve(penalised(arrays, charge))
        assert found.converged
        assert found.objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("solver", [AcceleratedGradient, FISTA])
def test_an_iteration_takes_two_passes_and_the_first_two_one(solver):
    problem = penalised(unit_arrays(1), Charge(np.full(6, 0.01)))
    counted = Counted(problem.risk)
    # From a constant that needs no growing: the start, and 1 + 1 + 2 * (n - 2) passes.
    lipschitz = 24.0 * (2**10 if solver is AcceleratedGradient else 1)
    solver(tol=1e-15, max_iter=10, lipschitz=lipschitz).solve(Penalised(counted, problem.charge))
    assert counted.passes == 1 + 1 + 1 + 2 * 8


def test_a_subgradient_iteration_takes_one_pass():
    problem = penalised(unit_arrays(1), Charge(np.full(6, 0.01)))
    counted = Counted(problem.risk)
    Subgradient(max_iter=10).solve(Penalised(counted, problem.charge))
    assert counted.passes == 1 + 10


def test_fista_names_what_takes_a_full_matrix():
    matrix = np.eye(6)
    matrix[1, 2] = matrix[2, 1] = 0.5
    problem = penalised(unit_arrays(0), Charge(np.ones(6), matrix))
    with pytest.raises(ParameterError, match=r"2 entries off the diagonal.*\(1, 2\).*Accelerated"):
        FISTA().solve(problem)


def test_an_unknown_stop_is_refused():
    problem = penalised(unit_arrays(0), Charge(np.ones(6)))
    with pytest.raises(ParameterError, match=r"stopping must be one of .*'never'"):
        AcceleratedGradient(stopping="never").solve(problem)


@pytest.mark.parametrize("seed", range(3))
def test_subgradient_steps_close_the_gap_slowly_and_never_report_less(seed):
    arrays = unit_arrays(seed)
    charge = list(charges(6))[seed]
    found = Subgradient(tol=1e-6, max_iter=400).solve(penalised(arrays, charge))
    best = objective(*arrays, charge, optimum(*arrays, charge))
    truth = (found.trace.objectives - best) / found.trace.objectives
    assert np.all(truth <= found.trace.gaps + 1e-9)
    assert np.all(np.diff(found.trace.gaps) <= 1e-15)
    assert found.gap < 0.5 * found.trace.gaps[0]
    assert not found.converged


@pytest.mark.parametrize("solver", [AcceleratedGradient, FISTA])
@pytest.mark.parametrize("lipschitz", [0.0, -1.0, np.inf])
def test_a_lipschitz_constant_must_be_positive(solver, lipschitz):
    problem = penalised(unit_arrays(0), Charge(np.ones(6)))
    with pytest.raises(ParameterError, match="lipschitz must be a number above 0"):
        solver(lipschitz=lipschitz).solve(problem)
