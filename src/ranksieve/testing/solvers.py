"""Laws that every solver of strongly convex problems obeys."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from ranksieve.losses import SquaredHingeLoss
from ranksieve.problems import RidgePairs
from ranksieve.testing.base import Suite
from ranksieve.testing.cases import in_blocks, random_arrays
from ranksieve.testing.references import pair_differences


def problem(seed: int, C: float) -> RidgePairs:
    """Return RankSVM's problem on random data in two blocks."""
    X, y, query_ptr = random_arrays(seed)
    return RidgePairs(in_blocks(X, y, query_ptr, [4]), SquaredHingeLoss(), C)


class SolverSuite(Suite):
    """Laws that every solver of strongly convex problems obeys."""

    argument: ClassVar[str] = "solver"
    family: ClassVar[str] = "solvers"
    of_values: ClassVar[bool] = False

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 100.0])
    def test_optimum_is_that_of_an_outside_solver_on_explicit_pairs(
        self, solver: Any, seed: int, C: float
    ) -> None:
        X, y, query_ptr = random_arrays(seed)
        differences = pair_differences(X, y, query_ptr)

        def objective(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            slack = np.maximum(0, 1 - differences @ w)
            value = float(0.5 * w @ w + C * slack @ slack)
            return value, w - 2 * C * differences.T @ slack

        outside = minimize(
            objective,
            np.zeros(X.shape[1]),
            jac=True,
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 10_000},
        )
        solution = solver().solve(problem(seed, C))
        assert solution.converged
        assert solution.gap <= 1e-8
        assert solution.objective == pytest.approx(outside.fun, rel=1e-8)
        assert solution.objective == pytest.approx(objective(solution.weights)[0], rel=1e-12)

    @pytest.mark.parametrize("seed", range(3))
    def test_reported_gap_bounds_the_distance_to_the_optimum(self, solver: Any, seed: int) -> None:
        best = solver(tol=1e-14).solve(problem(seed, 1.0))
        rough = solver(tol=1e-3, max_iter=2).solve(problem(seed, 1.0))
        assert (rough.objective - best.objective) / rough.objective <= rough.gap

    def test_a_warm_start_never_ends_higher(self, solver: Any) -> None:
        cold = solver().solve(problem(1, 1.0))
        warm = solver().solve(problem(1, 1.0), start=cold)
        assert warm.objective <= cold.objective * (1 + 1e-12)
        assert warm.n_iter <= 1

    def test_running_out_of_iterations_is_said(self, solver: Any) -> None:
        solution = solver(tol=1e-15, max_iter=1).solve(problem(2, 100.0))
        assert not solution.converged
        assert solution.gap > 1e-15

    def test_a_start_of_mere_weights_reaches_the_optimum_too(self, solver: Any) -> None:
        cold = solver().solve(problem(1, 1.0))
        warm = solver().solve(problem(1, 1.0), start=1.5 * cold.weights)
        assert warm.converged
        assert warm.objective == pytest.approx(cold.objective, rel=1e-7)

    def test_the_solution_of_another_problem_is_a_fair_start(self, solver: Any) -> None:
        cold = solver().solve(problem(1, 1.0))
        warm = solver().solve(problem(1, 1.0), start=solver().solve(problem(2, 0.01)))
        assert warm.converged
        assert warm.objective == pytest.approx(cold.objective, rel=1e-7)
