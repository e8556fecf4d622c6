"""Truncated gradient: what a step is, and that learnt lengths of steps pay."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import Charge
from ranksieve.problems import PairRisk
from ranksieve.solvers import Penalised, ProximalNewton, TruncatedGradient
from ranksieve.testing.cases import in_blocks, uneven_arrays


def problem(seed, strength=0.02):
    X, y, query_ptr = uneven_arrays(seed, n_features=8)
    X = np.asfortranarray(X @ np.random.default_rng(seed).normal(size=(8, 8)))
    risk = PairRisk(in_blocks(X, y, query_ptr, []), SquaredHingeLoss())
    return Penalised(risk, Charge(np.full(8, strength)))


def truncated(w, gravity):
    """Langford, Li and Zhang's T1 with theta = infinity, weight by weight."""
    return np.array([max(0.0, v - gravity) if v > 0 else min(0.0, v + gravity) for v in w])


@pytest.mark.parametrize("seed", range(3))
def test_the_first_step_is_a_gradient_step_and_a_truncation(seed):
    part = problem(seed)
    step = 1 / part.risk.curvatures.max()
    _, gradient = part.risk.value_and_grad(np.zeros(8))
    while True:  # halved until the objective falls
        expected = truncated(-step * gradient, step * 0.02)
        value, _ = part.risk.value_and_grad(expected)
        if value + 0.02 * np.abs(expected).sum() <= 1:
            break
        step /= 2
    solution = TruncatedGradient(tol=1e-12, max_iter=1).solve(part)
    np.testing.assert_allclose(solution.weights, expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_left_by_no_step(seed):
    part = problem(seed)
    best = ProximalNewton(tol=1e-13, max_iter=500).solve(part)
    again = TruncatedGradient(tol=1e-15, max_iter=5).solve(part, start=best)
    np.testing.assert_allclose(again.weights, best.weights, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_learnt_steps_take_fewer_passes_than_fixed_ones(seed):
    part = problem(seed)
    solution = TruncatedGradient(tol=1e-6).solve(part)
    bound, w = part.risk.curvatures.sum(), np.zeros(8)
    for _ in range(solution.n_iter):
        w = truncated(w - part.risk.value_and_grad(w)[1] / bound, 0.02 / bound)
    fixed = part.risk.value_and_grad(w)[0] + 0.02 * np.abs(w).sum()
    assert solution.converged
    assert solution.objective < fixed


def test_it_ends_where_double_precision_has_no_more_to_give():
    solution = TruncatedGradient(tol=1e-300, max_iter=100_000).solve(problem(0))
    assert solution.n_iter < 5000
    assert solution.gap < 1e-12
