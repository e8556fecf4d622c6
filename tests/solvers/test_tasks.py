from __future__ import annotations

import numpy as np
import pytest

from ranksieve.losses import LogisticLoss, SquaredHingeLoss
from ranksieve.penalties import Charge, RowCharge, as_penalty, row_sizes
from ranksieve.problems import PairRisk, TaskRisk
from ranksieve.solvers import (
    FISTA,
    Penalised,
    ProximalNewton,
    TaskPenalised,
    TaskRegularised,
    TaskReweighting,
)
from ranksieve.testing.cases import in_blocks, random_arrays
from tests.reference.multi_task import optimum

OWN = [np.inf, 0.75]


def data_of(seed, n_queries=18, **options):
    X, y, query_ptr = random_arrays(seed, n_queries=n_queries, **options)
    return in_blocks(X, y, query_ptr, [7])


def parts_of(n_queries, n_tasks):
    return [np.arange(task, n_queries, n_tasks) for task in range(n_tasks)]


def risk_of(seed, n_tasks=3, loss=None, **options):
    data = data_of(seed, **options)
    return TaskRisk(data, parts_of(data.n_queries, n_tasks), loss or SquaredHingeLoss())


def problem_of(risk, strength, own=np.inf):
    rows = np.full(risk.n_features, strength)
    return TaskPenalised(risk, RowCharge.of(rows, risk.n_tasks, own * strength))


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_a_slow_reference_on_explicit_pairs(seed, own):
    data, strength = data_of(seed, largest=7), 0.05
    parts = parts_of(data.n_queries, 3)
    expected = optimum([data.queries(part) for part in parts], strength, own * strength)
    solution = ProximalNewton(tol=1e-10).solve(problem_of(risk_of(seed, largest=7), strength, own))
    assert solution.converged
    assert solution.objective == pytest.approx(expected, rel=1e-5)
    assert solution.objective <= expected * (1 + 1e-10)


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("loss", [SquaredHingeLoss(), LogisticLoss()])
def test_both_solvers_agree_and_their_gaps_are_bounds(loss, seed, own):
    # Of fewer queries the problem is worse conditioned: FISTA would take three times as many steps.
    problem = problem_of(risk_of(seed, loss=loss, n_queries=36), 0.03, own)
    best = ProximalNewton(tol=1e-11).solve(problem)
    fista = FISTA(tol=1e-6).solve(problem)
    assert best.converged
    assert fista.converged
    assert fista.objective == pytest.approx(best.objective, rel=2e-6)
    for solver in (ProximalNewton(tol=1e-3, max_iter=1), FISTA(tol=1e-3, max_iter=5)):
        rough = solver.solve(problem)
        assert rough.objective - best.objective <= rough.gap * rough.objective * (1 + 1e-9)


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_is_below_the_objective_of_every_point(seed, own):
    problem, rng = problem_of(risk_of(seed), 0.04, own), np.random.default_rng(seed)
    points = [size * rng.normal(size=problem.risk.n_weights) for size in (0.0, 0.1, 1.0, 5.0)]
    bounds, objectives = [], []
    for w in points:
        value, gradient = problem.risk.value_and_grad(w)
        bounds.append(problem.lower_bound(w, value, gradient))
        objectives.append(value + problem.charge.value(w))
    assert max(bounds) <= min(objectives) + 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_one_task_is_the_problem_of_single_weights(seed):
    data = data_of(seed)
    charge = Charge(np.full(data.n_features, 0.03))
    single = ProximalNewton(tol=1e-10).solve(Penalised(PairRisk(data, SquaredHingeLoss()), charge))
    for own in (np.inf, 2.0):
        ours = ProximalNewton(tol=1e-10).solve(problem_of(risk_of(seed, 1), 0.03, own))
        np.testing.assert_allclose(ours.weights, single.weights, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_own_weights_at_their_cheapest_are_tasks_by_themselves(seed):
    risk, strength = risk_of(seed), 0.05
    own = 0.999 / np.sqrt(3)
    together = ProximalNewton(tol=1e-10).solve(problem_of(risk, strength, own))
    charge = Charge(np.full(risk.n_features, own * strength))
    alone = [ProximalNewton(tol=1e-10).solve(Penalised(task, charge)) for task in risk.tasks]
    total = sum(solution.objective for solution in alone)
    assert together.objective == pytest.approx(total, rel=1e-8)
    weights = np.concatenate([solution.weights for solution in alone])
    np.testing.assert_allclose(together.weights, weights, atol=1e-5)


@pytest.mark.parametrize("own", OWN)
def test_a_warm_start_and_a_start_of_mere_weights_reach_the_same(own):
    problem = problem_of(risk_of(1), 0.02, own)
    cold = ProximalNewton(tol=1e-9).solve(problem)
    warm = ProximalNewton(tol=1e-9).solve(problem, cold)
    assert warm.n_iter <= 1
    elsewhere = ProximalNewton(tol=1e-9).solve(problem, 2.0 * cold.weights)
    assert elsewhere.objective == pytest.approx(cold.objective, rel=1e-8)


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("name", ["log", "mcp", "lp", "scad"])
@pytest.mark.parametrize("seed", range(2))
def test_reweighting_never_raises_the_objective_after_its_first_round(seed, name, own):
    risk = risk_of(seed)
    problem = TaskRegularised(risk, as_penalty(name), 0.02, own)
    solution = TaskReweighting(ProximalNewton(tol=1e-8), tol=1e-7).solve(problem)
    objectives = solution.trace.objectives
    assert (np.diff(objectives) <= 1e-9 * objectives[:-1]).all()
    assert solution.converged
    # Stationary: the solution solves the problem that is tangent at itself.
    tangent = problem.tangent(solution.shared)
    again = ProximalNewton(tol=1e-10).solve(tangent, solution.task_weights.ravel())
    start = tangent.gap(
        solution.task_weights.ravel(), *risk.value_and_grad(solution.task_weights.ravel())
    )[0]
    assert start - again.objective <= 1e-6 * solution.objective
    value = risk.value_and_grad(solution.task_weights.ravel())[0]
    expected = value + as_penalty(name).value(row_sizes(solution.shared), 0.02)
    if own < np.inf:
        expected += own * 0.02 * np.abs(solution.task_weights - solution.shared).sum()
    assert solution.objective == pytest.approx(expected, rel=1e-12)


def test_task_risk_is_the_sum_of_its_tasks_and_its_product_that_of_its_hessians():
    risk, rng = risk_of(0), np.random.default_rng(0)
    w = rng.normal(size=risk.n_weights)
    value, gradient = risk.value_and_grad(w)
    parts = [t.value_and_grad(row) for t, row in zip(risk.tasks, w.reshape(3, -1), strict=True)]
    assert value == pytest.approx(sum(part[0] for part in parts))
    np.testing.assert_array_equal(gradient, np.concatenate([part[1] for part in parts]))
    risk.accept()
    v = rng.normal(size=risk.n_weights)
    hessians = risk.hessian(np.arange(risk.n_features))
    expected = np.einsum("tjk,tk->tj", hessians, v.reshape(3, -1)).ravel()
    np.testing.assert_allclose(risk.product(v), expected, atol=1e-12)


def test_tasks_whose_models_foresaw_their_last_move_are_not_measured_again():
    risk, rng = risk_of(0), np.random.default_rng(0)
    problem = problem_of(risk, 0.02)
    w = np.zeros(risk.n_weights)
    _, gradient = risk.value_and_grad(w)
    risk.accept()
    model = problem.model(w, gradient, 1)
    move = 0.1 * rng.normal(size=risk.n_weights)
    image = risk.product(move)
    # Of the first task the change of the gradient is what its matrix says, of the others not.
    change = image * np.repeat([1.0, 1.5, 1.5], risk.n_features)
    learnt = model.learnt_from(move, change)
    assert learnt.foreseen.tolist() == [True, False, False]
    kept = problem.model(w, gradient, 1, learnt)
    assert not kept.whole
    np.testing.assert_array_equal(kept.hessians[0], learnt.hessians[0])
    np.testing.assert_array_equal(kept.hessians[1:], model.hessians[1:])
