"""Laws that every solver of risk plus charge obeys."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import Charge
from ranksieve.problems import PairRisk
from ranksieve.progress import listening
from ranksieve.solvers import Penalised
from ranksieve.testing.base import Suite
from ranksieve.testing.cases import Arrays, in_blocks, random_arrays
from ranksieve.testing.references import (
    pair_differences,
    penalised_objective,
    penalised_optimum,
)

CHARGES = ("l1", "weighted", "fixed", "ridge", "redundancy", "sums", "signed", "mirrored")


def charge_of(kind: str, X: NDArray[np.float64], seed: int = 0) -> Charge:
    """Return a charge of a kind on the weights of the features of X."""
    rng = np.random.default_rng(seed)
    d = X.shape[1]
    linear = 0.02 + 0.05 * np.asarray(rng.random(d))
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


def problem_of(arrays: Arrays, charge: Charge) -> Penalised:
    """Return the problem on arrays, in two blocks where there are enough queries."""
    X, y, query_ptr = arrays
    borders = [4] if len(query_ptr) > 6 else []
    return Penalised(PairRisk(in_blocks(X, y, query_ptr, borders), SquaredHingeLoss()), charge)


def case(seed: int, kind: str = "l1") -> tuple[NDArray[np.float64], Charge, Penalised]:
    """Return the differences of all pairs of random data, a charge, and the problem of both."""
    arrays = random_arrays(seed)
    charge = charge_of(kind, arrays[0], seed)
    return pair_differences(*arrays), charge, problem_of(arrays, charge)


@cache
def least_objective(seed: int, kind: str) -> float:
    """Return the optimum by an outside solver on explicit pairs."""
    differences, charge, _ = case(seed, kind)
    return penalised_objective(differences, charge, penalised_optimum(differences, charge))


class PenalisedSolverSuite(Suite):
    """Laws that every solver of risk plus charge obeys.

    Attributes
    ----------
    distances : class of solver to the relative distance to the optimum that it reaches at a
        tolerance of 1e-8, where a method is slow; 1e-7 for all others
    options : class of solver to the options for that law
    refuses : class of solver to the charges that it refuses, with an error that names another
    """

    argument: ClassVar[str] = "solver"
    family: ClassVar[str] = "solvers"
    of_values: ClassVar[bool] = False
    distances: ClassVar[Mapping[type, float]] = {}
    options: ClassVar[Mapping[type, dict[str, Any]]] = {}
    refuses: ClassVar[Mapping[type, tuple[str, ...]]] = {}

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("kind", CHARGES)
    def test_optimum_is_that_of_an_outside_solver_on_explicit_pairs(
        self, solver: Any, kind: str, seed: int
    ) -> None:
        differences, charge, problem = case(seed, kind)
        if kind in self.refuses.get(solver, ()):
            with pytest.raises(ParameterError, match=r"Use [A-Z]"):
                solver().solve(problem)
            return
        solution = solver(**{"tol": 1e-8} | self.options.get(solver, {})).solve(problem)
        reached = penalised_objective(differences, charge, solution.weights)
        least = least_objective(seed, kind)
        assert solution.objective == pytest.approx(reached, rel=1e-12)
        assert solution.objective >= least * (1 - 1e-9)
        assert solution.objective <= least * (1 + self.distances.get(solver, 1e-7))
        assert (solution.objective - least) / solution.objective <= solution.gap + 1e-9
        assert np.all(solution.weights[~np.isfinite(charge.linear)] == 0.0)

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("kind", ["l1", "fixed", "ridge", "signed"])
    @pytest.mark.parametrize("max_iter", [1, 3, 20])
    def test_reported_gap_bounds_the_distance_to_the_optimum(
        self, solver: Any, kind: str, seed: int, max_iter: int
    ) -> None:
        _, _, problem = case(seed, kind)
        rough = solver(tol=1e-12, max_iter=max_iter).solve(problem)
        assert (rough.objective - least_objective(seed, kind)) / rough.objective <= rough.gap + 1e-9
        assert 0.0 <= rough.gap <= 1.0

    @pytest.mark.parametrize("seed", range(3))
    def test_a_warm_start_never_ends_higher(self, solver: Any, seed: int) -> None:
        _, _, problem = case(seed)
        cold = solver(tol=1e-4, max_iter=30).solve(problem)
        for start in (cold, cold.weights):
            warm = solver(tol=1e-4, max_iter=30).solve(problem, start=start)
            assert warm.objective <= cold.objective * (1 + 1e-12)

    def test_a_start_is_left_as_it_was(self, solver: Any) -> None:
        _, _, problem = case(1)
        start = np.array([0.1, -0.2, 0.3, 0.0, 0.0])
        before = start.copy()
        solver(max_iter=5).solve(problem, start=start)
        assert np.array_equal(start, before)

    def test_a_start_with_a_weight_that_must_be_zero_is_mended(self, solver: Any) -> None:
        _, charge, problem = case(2, "fixed")
        solution = solver(max_iter=3).solve(problem, start=np.ones(5))
        assert np.isfinite(solution.objective)
        assert np.all(solution.weights[~np.isfinite(charge.linear)] == 0.0)

    def test_running_out_of_iterations_is_said(self, solver: Any) -> None:
        # Grades that follow a feature: margins pass 1, so that no single step reaches the optimum.
        X, y, query_ptr = random_arrays(2)
        X[:, 1] = y + np.random.default_rng(2).normal(size=len(y))
        problem = problem_of((X, y, query_ptr), Charge(np.full(5, 0.003)))
        solution = solver(tol=1e-15, max_iter=1).solve(problem)
        assert not solution.converged
        assert solution.gap > 1e-15
        assert solution.n_iter == 1

    @pytest.mark.parametrize("max_iter", [2, 7, 1000])
    def test_the_trace_ends_at_the_solution(self, solver: Any, max_iter: int) -> None:
        _, _, problem = case(1)
        solution = solver(tol=1e-5, max_iter=max_iter).solve(problem)
        assert solution.trace.objectives[-1] == solution.objective
        assert solution.trace.gaps[-1] == solution.gap
        assert len(solution.trace.objectives) == solution.n_iter + 1
        assert np.all(np.diff(solution.trace.seconds) >= 0)

    def test_data_without_pairs_gives_zeros_at_once(self, solver: Any) -> None:
        X, y, query_ptr = random_arrays(0)
        problem = problem_of((X, np.zeros_like(y), query_ptr), Charge(np.full(5, 0.1)))
        solution = solver().solve(problem)
        assert np.all(solution.weights == 0.0)
        assert (solution.objective, solution.gap, solution.n_iter, solution.converged) == (
            0.0,
            0.0,
            0,
            True,
        )

    @pytest.mark.parametrize("grade", [0.0, 1.0])
    def test_features_that_tell_no_pair_apart_get_no_weight_from_any_start(
        self, solver: Any, grade: float
    ) -> None:
        X, y, query_ptr = random_arrays(0)
        arrays = (np.asfortranarray(np.ones_like(X)), grade * y, query_ptr)
        solution = solver().solve(problem_of(arrays, Charge(np.full(5, 0.1))), start=np.ones(5))
        assert np.all(solution.weights == 0.0)
        assert (solution.objective, solution.gap, solution.converged) == (
            pytest.approx(grade),
            0.0,
            True,
        )

    def test_a_charge_above_the_gradient_at_zero_gives_zeros(self, solver: Any) -> None:
        arrays = random_arrays(3)
        risk = problem_of(arrays, Charge(np.zeros(5))).risk
        _, gradient = risk.value_and_grad(np.zeros(5))
        solution = solver().solve(Penalised(risk, Charge(np.abs(gradient) + 1e-3)))
        assert np.all(solution.weights == 0.0)
        assert solution.objective == 1.0
        assert solution.converged

    @pytest.mark.parametrize("seed", range(3))
    def test_a_constant_feature_gets_no_weight(self, solver: Any, seed: int) -> None:
        _, _, problem = case(seed)
        solution = solver(max_iter=200).solve(problem)
        assert solution.weights[-1] == 0.0
        assert np.any(solution.weights != 0.0)

    @pytest.mark.parametrize("strength", [0.01, 0.1])
    def test_one_feature_and_one_pair_are_solved_as_by_hand(
        self, solver: Any, strength: float
    ) -> None:
        # (1 - w)^2 + strength |w| is least at w = 1 - strength / 2.
        X, y = np.asfortranarray([[0.0], [1.0]]), np.array([0.0, 1.0])
        problem = problem_of((X, y, np.array([0, 2])), Charge(np.array([strength])))
        solution = solver(tol=1e-8).solve(problem)
        assert solution.converged
        assert solution.weights == pytest.approx([1 - strength / 2], abs=1e-4)

    def test_progress_is_reported(self, solver: Any) -> None:
        _, _, problem = case(1)
        seen: list[tuple[str, float, float | None]] = []
        with listening(lambda label, done, total: seen.append((label, done, total))):
            solver(tol=1e-12, max_iter=3).solve(problem)
        assert any(
            label == "solving" and done <= 3 and total is None for label, done, total in seen
        )
