"""Reweighting: a sequence of weighted l1 problems that ends where the objective is stationary."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import cvxpy as cp
import numpy as np
import pytest

from ranksieve import make_ranking
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import (
    Charge,
    L1Penalty,
    LogPenalty,
    LpPenalty,
    MCPPenalty,
    SCADPenalty,
    WeightedL1Penalty,
)
from ranksieve.problems import PairRisk
from ranksieve.progress import listening
from ranksieve.solvers import ProximalNewton, Regularised, Reweighting, with_tolerance
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.pairs import pair_differences
from tests.reference.penalised import optimum

NONCONVEX = [
    pytest.param(MCPPenalty(), id="mcp"),
    pytest.param(MCPPenalty(0.5), id="mcp-narrow"),
    pytest.param(SCADPenalty(), id="scad"),
    pytest.param(LogPenalty(), id="log"),
    pytest.param(LpPenalty(), id="lp"),
    pytest.param(LpPenalty(0.2), id="lp-small"),
]


def graded(seed, n_queries=20):
    X, y, query_ptr = random_arrays(seed, n_features=6, n_queries=n_queries)
    noise = np.random.default_rng(seed).normal(size=len(y))
    y = np.clip(np.round(1.5 + X[:, 0] - 2.0 * (X[:, 1] - 0.5) + 0.7 * noise), 0, 3)
    return X, y, query_ptr


def risk_of(arrays):
    return PairRisk(in_blocks(*arrays, [3]), SquaredHingeLoss())


def solver(tol=1e-9):
    return with_tolerance(ProximalNewton(), tol, 200, nonconvex=True)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strength", [0.2, 0.03])
@pytest.mark.parametrize("penalty", NONCONVEX)
def test_the_objective_never_increases_from_the_second_round_on(penalty, strength, seed):
    found = solver().solve(Regularised(risk_of(graded(seed)), penalty, strength))
    objectives = found.trace.objectives
    assert len(objectives) >= 2
    assert np.all(np.diff(objectives[1:]) <= 1e-9 * objectives[1:-1])
    assert objectives[-1] == found.objective
    assert found.trace.gaps[-1] == found.gap


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strength", [0.2, 0.03])
@pytest.mark.parametrize("penalty", NONCONVEX)
def test_the_end_is_stationary(penalty, strength, seed):
    arrays = graded(seed)
    found = solver().solve(Regularised(risk_of(arrays), penalty, strength))
    w, differences = found.weights, pair_differences(*arrays)
    slack = np.maximum(0, 1 - differences @ w)
    gradient = -2 * slack @ differences / len(differences)
    slopes = penalty.derivative(w, strength)
    assert found.converged
    assert found.gap <= 1e-9
    value = np.mean(slack**2) + penalty.value(w, strength)
    assert found.objective == pytest.approx(value, rel=1e-12)
    used = w != 0
    assert np.abs(gradient[used] + np.sign(w[used]) * slopes[used]).max(initial=0.0) < 1e-4
    assert np.all(np.abs(gradient[~used]) <= slopes[~used] + 1e-6)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("strength", [0.2, 0.03])
@pytest.mark.parametrize("penalty", NONCONVEX)
def test_every_round_is_the_weighted_l1_problem_of_an_outside_solver(penalty, strength, seed):
    arrays = graded(seed, n_queries=8)
    weights, rounds = _slow_rounds(arrays, penalty, strength)
    found = solver().solve(Regularised(risk_of(arrays), penalty, strength))
    assert rounds >= 2
    np.testing.assert_allclose(found.weights, weights, atol=1e-5)


def _slow_rounds(arrays, penalty, strength):
    """Pairs written out, a conic solver a round, until weights change no more."""
    outside = _WeightedL1(arrays)
    w, rounds = outside.optimum(np.full(arrays[0].shape[1], strength)), 1
    while rounds < 400:
        before = w
        w = outside.optimum(penalty.derivative(w, strength))
        rounds += 1
        if np.abs(w - before).max() < 1e-7:
            break
    return w, rounds


class _WeightedL1:
    """Weighted l1 problems of the same pairs, which the conic solver is given in one form."""

    def __init__(self, arrays):
        differences = pair_differences(*arrays)
        n_features = differences.shape[1]
        self.plus, self.minus = (cp.Variable(n_features, nonneg=True) for _ in range(2))
        self.charge = cp.Parameter(n_features, nonneg=True)
        slack = cp.pos(1 - differences @ (self.plus - self.minus))
        total = cp.sum_squares(slack) / len(differences) + self.charge @ (self.plus + self.minus)
        self.problem = cp.Problem(cp.Minimize(total))
        # No slope of the risk is steeper from where it is 1, at w = 0, down to its optimum.
        self.steepest = 2 * np.abs(differences).max()

    def optimum(self, charge):
        # Where a charge is infinite, one that no slope exceeds keeps the weight at 0 too.
        self.charge.value = np.minimum(charge, 2 * self.steepest)
        tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-10)
        self.problem.solve(solver="CLARABEL", **tight)
        return _cleaned(self.plus.value - self.minus.value)


def _cleaned(w):
    # An interior point method ends near 0 where the optimum is at 0.
    return np.where(np.abs(w) < 1e-6, 0.0, w)


@pytest.mark.parametrize("seed", range(3))
def test_a_weight_of_lp_that_reached_zero_stays_there(seed):
    problem = Regularised(risk_of(graded(seed)), LpPenalty(0.5), 0.03)
    seen = _Recording(tol=1e-10)
    Reweighting(seen, 1e-9).solve(problem)
    supports = [set(np.flatnonzero(w).tolist()) for w in seen.weights]
    assert len(supports) > 2
    assert all(later <= earlier for earlier, later in itertools.pairwise(supports))


@dataclass(frozen=True)
class _Recording(ProximalNewton):
    """The default solver, which notes what each round ends with."""

    weights: list = field(default_factory=list)

    def solve(self, problem, start=None):
        found = super().solve(problem, start)
        self.weights.append(found.weights)
        return found


@pytest.mark.parametrize("penalty", [LpPenalty(), MCPPenalty()])
def test_the_next_strength_starts_reweighting_anew_from_l1(penalty):
    risk = risk_of(graded(0))
    none = solver().solve(Regularised(risk, penalty, 10.0))
    assert not none.weights.any()
    warm = solver().solve(Regularised(risk, penalty, 0.03), none)
    cold = solver().solve(Regularised(risk, penalty, 0.03))
    assert warm.weights.any()
    np.testing.assert_allclose(warm.weights, cold.weights, atol=1e-5)


@pytest.mark.parametrize("penalty", [L1Penalty(), WeightedL1Penalty([1, 2, 3, 1, 2, 3])])
def test_a_convex_penalty_takes_one_round(penalty):
    seen = _Recording(tol=1e-8)
    found = Reweighting(seen, 1e-8).solve(Regularised(risk_of(graded(1)), penalty, 0.05))
    assert len(seen.weights) == 1
    assert found.converged


def test_rounds_are_bounded_and_that_is_said():
    problem = Regularised(risk_of(graded(0)), LogPenalty(), 0.03)
    rough = Reweighting(ProximalNewton(), 1e-12, max_iter=2).solve(problem)
    assert not rough.converged
    assert len(rough.trace.objectives) == 2
    assert rough.gap > 1e-12


@pytest.mark.parametrize("seed", [1, 2, 4, 6])
@pytest.mark.parametrize("penalty", [MCPPenalty(), SCADPenalty()])
def test_pairs_without_loss_and_weights_without_charge_are_an_end_too(penalty, seed):
    # Weights beyond the reach of the penalty order these few pairs without a loss, but for
    # rounding: of the tangent problem nothing is left that a gap could be a share of.
    data, _ = make_ranking(8, 8, n_relevant=3, n_redundant=1, n_irrelevant=5, random_state=seed)
    for strength in (1e-4, 0.003485527984255851):
        found = solver(1e-8).solve(
            Regularised(PairRisk(data, SquaredHingeLoss()), penalty, strength)
        )
        assert found.converged
        reach = penalty.value(np.full(1, 1e9), strength)  # what a weight costs at most
        n_used = np.count_nonzero(found.weights)
        assert found.objective <= n_used * reach * (1 + 1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e-4])
def test_weights_without_a_charge_have_a_proven_gap_in_any_units(scale):
    X, y, query_ptr = graded(2)
    X = np.asfortranarray(np.where(np.arange(6) == 1, scale * X, X))
    factors = [1.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    problem = Regularised(risk_of((X, y, query_ptr)), WeightedL1Penalty(factors), 0.1)
    found = solver(1e-8).solve(problem)
    assert found.converged
    best = optimum(graded(2)[0], y, query_ptr, Charge(0.1 * np.array(factors)), tol=1e-10)
    best[1] /= scale
    np.testing.assert_allclose(found.weights, best, rtol=1e-3, atol=1e-3)


def test_progress_is_reported():
    labels = set()
    with listening(lambda label, done, total: labels.add(label)):
        solver().solve(Regularised(risk_of(graded(0)), LogPenalty(), 0.03))
    assert "reweighting" in labels
