from __future__ import annotations

import warnings
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from ranksieve import load, make_ranking
from ranksieve.errors import DataError
from ranksieve.losses import LogisticLoss, SquaredHingeLoss
from ranksieve.penalties import Charge
from ranksieve.problems import PairRisk
from ranksieve.solvers import Penalised, ProximalNewton
from ranksieve.solvers._quadratic_model import QuadraticModel
from tests.reference.cases import in_blocks, random_arrays, row_ids
from tests.reference.pairs import pair_differences

LOSSES = [SquaredHingeLoss(), LogisticLoss()]


def risk_of(arrays, loss=None, borders=()):
    return PairRisk(in_blocks(*arrays, borders), loss or SquaredHingeLoss())


def critical(risk):
    return np.abs(risk.value_and_grad(np.zeros(risk.n_weights))[1]).max()


def l1(risk, strength):
    return Penalised(risk, Charge(np.full(risk.n_weights, strength)))


def graded(seed, **sizes):
    """Random arrays with one feature that follows the grades, so that margins pass one."""
    X, y, query_ptr = random_arrays(seed, **sizes)
    X[:, 1] = y + np.random.default_rng(seed).normal(size=len(y))
    return X, y, query_ptr


def charge_of(kind, d, strength):
    rng = np.random.default_rng(d)
    linear = np.full(d, strength) if kind == "l1" else strength * (0.5 + rng.random(d))
    factors = rng.random((d, 2))
    return Charge(linear, strength * factors @ factors.T if kind == "matrix" else None)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["l1", "weighted", "matrix"])
def test_the_logistic_optimum_is_that_of_an_outside_solver(kind, seed):
    arrays = random_arrays(seed, n_queries=6, largest=9)
    charge = charge_of(kind, 5, 0.02)
    found = ProximalNewton(tol=1e-9).solve(Penalised(risk_of(arrays, LogisticLoss()), charge))
    differences = pair_differences(*arrays)
    plus, minus = (cp.Variable(5, nonneg=True) for _ in range(2))
    total = cp.sum(cp.logistic(-differences @ (plus - minus))) / len(differences)
    total += charge.linear @ (plus + minus)
    if charge.matrix is not None:
        total += 0.5 * cp.quad_form(plus + minus, cp.psd_wrap(charge.matrix))
    best = cp.Problem(cp.Minimize(total)).solve(solver="CLARABEL")
    assert found.converged
    assert found.objective == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_the_solution_depends_neither_on_rows_nor_queries_nor_blocks(seed, loss):
    X, y, query_ptr = graded(seed)
    rng = np.random.default_rng(seed)
    qid = row_ids(query_ptr)
    found = ProximalNewton(tol=1e-10).solve(l1(risk_of((X, y, query_ptr), loss), 0.01))
    # Queries in another order, and the rows inside each too.
    rows = np.lexsort((rng.random(len(y)), rng.permutation(qid.max() + 1)[qid]))
    moved = PairRisk(load((X[rows], y[rows], qid[rows])), loss)
    cut = risk_of((X, y, query_ptr), loss, borders=[3, 7])
    for risk in (moved, cut):
        again = ProximalNewton(tol=1e-10).solve(l1(risk, 0.01))
        assert again.objective == pytest.approx(found.objective, rel=1e-9)
        np.testing.assert_allclose(again.weights, found.weights, atol=1e-6)


def test_many_pieces_give_what_one_block_gives(monkeypatch):
    data, _ = make_ranking(300, 40, n_relevant=4, n_redundant=2, n_irrelevant=4)
    small = PairRisk(data, SquaredHingeLoss())
    monkeypatch.setattr("ranksieve.problems.pair_risk._SMALL_DATA", 0)
    pieces = PairRisk(data, SquaredHingeLoss())
    strength = 0.01 * critical(small)
    one, other = (ProximalNewton(tol=1e-9).solve(l1(risk, strength)) for risk in (small, pieces))
    assert other.objective == pytest.approx(one.objective, rel=1e-9)
    np.testing.assert_allclose(other.weights, one.weights, atol=1e-6)


@pytest.mark.parametrize("kind", ["l1", "weighted", "matrix"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_path_solved_warm_is_that_solved_cold(kind, loss):
    risk = risk_of(graded(1), loss)
    solver, warm = ProximalNewton(tol=1e-7), None
    for strength in critical(risk) * np.geomspace(1, 1e-3, 12):
        problem = Penalised(risk, charge_of(kind, 5, strength))
        warm, cold = solver.solve(problem, warm), solver.solve(problem)
        assert warm.converged
        assert cold.converged
        assert warm.objective == pytest.approx(cold.objective, rel=1e-6)


def test_a_path_may_go_back_to_large_strengths():
    risk = risk_of(graded(2))
    solver, found = ProximalNewton(tol=1e-8), None
    for share in (1e-3, 0.5, 1e-2, 2.0):
        found = solver.solve(l1(risk, share * critical(risk)), found)
        assert found.converged
    assert not found.weights.any()


def test_a_sampled_model_costs_steps_and_no_accuracy():
    data, _ = make_ranking(400, 20, n_relevant=4, n_redundant=2, n_irrelevant=4)
    whole, sampled = PairRisk(data, SquaredHingeLoss()), PairRisk(data, SquaredHingeLoss())
    sampled.sampling = 50
    strength = 0.01 * critical(whole)
    exact, rough = (ProximalNewton().solve(l1(risk, strength)) for risk in (whole, sampled))
    assert rough.converged
    assert rough.objective == pytest.approx(exact.objective, rel=2e-6)


def test_unscaled_features_are_solved_to_the_gap():
    X, y, query_ptr = graded(3, n_features=8)
    X = np.asfortranarray(X * 10.0 ** np.array([-3, 0, 7, 2, 5, -2, 4, 1]))
    risk = risk_of((X, y, query_ptr))
    for share in (1e-1, 1e-2, 1e-3, 1e-4):
        found = ProximalNewton(max_iter=60).solve(l1(risk, share * critical(risk)))
        assert found.converged, share


@pytest.mark.parametrize("size", [1e-140, 1e100, 1e150])
def test_the_unit_of_features_does_not_matter(size):
    X, y, query_ptr = graded(4)
    one = risk_of((X, y, query_ptr))
    other = risk_of((np.asfortranarray(X * size), y, query_ptr))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ProximalNewton().solve(l1(other, 0.01 * critical(other)))
    expected = ProximalNewton().solve(l1(one, 0.01 * critical(one)))
    assert found.converged
    assert found.objective == pytest.approx(expected.objective, rel=1e-6)


def test_features_whose_squares_overflow_are_refused_with_advice():
    X, y, query_ptr = random_arrays(0)
    X[:, 2] *= 1e200
    with pytest.raises(DataError, match=r"must be finite, but those of 1 of 5.*'x2'.*Scale"):
        risk_of((X, y, query_ptr))


@pytest.mark.parametrize("copies", [1, 3])
def test_copies_of_features_change_no_objective(copies):
    X, y, query_ptr = graded(5)
    one = risk_of((X, y, query_ptr))
    more = risk_of((np.asfortranarray(np.hstack([X] * (1 + copies))), y, query_ptr))
    for strength in (0.1, 0.01, 0.001):
        alone, shared = (ProximalNewton().solve(l1(risk, strength)) for risk in (one, more))
        assert shared.converged
        assert shared.objective == pytest.approx(alone.objective, rel=1e-6)


def test_features_that_join_later_are_found():
    # More features than the first working set holds, of which weak ones matter at last.
    data, _ = make_ranking(80, 15, n_relevant=10, n_redundant=10, n_irrelevant=80)
    risk = PairRisk(data, SquaredHingeLoss())
    solver, found = ProximalNewton(), None
    for share in (0.9, 0.3, 0.01):
        found = solver.solve(l1(risk, share * critical(risk)), found)
        assert found.converged
    assert np.count_nonzero(found.weights) > 64


def test_a_model_knows_which_features_it_covers():
    model = QuadraticModel(np.array([0, 2]), np.eye(2))
    assert model.covers(np.array([True, False, True, False]))
    assert not model.covers(np.array([False, True, False, False]))


def test_a_real_sample_is_solved_without_scaling(real_data):
    risk = PairRisk(load(real_data / "MSLR-sample" / "train.txt"), SquaredHingeLoss())
    for share in (1e-1, 1e-2, 1e-3, 1e-4):
        found = ProximalNewton(max_iter=60).solve(l1(risk, share * critical(risk)))
        assert found.converged, share


def test_a_signed_part_of_the_charge_is_a_smooth_part_of_the_risk():
    data = in_blocks(*random_arrays(1), [])
    factors = np.random.default_rng(0).normal(size=(5, 2))
    charge = Charge(np.full(5, 0.05), np.eye(5), signed=factors @ factors.T)
    problem = Penalised(PairRisk(data, SquaredHingeLoss()), charge)
    w = np.array([0.3, -0.2, 0.0, 0.1, 0.0])
    value, gradient = problem.risk.value_and_grad(w)
    problem.risk.accept()
    plain, slopes = PairRisk(data, SquaredHingeLoss()).value_and_grad(w)
    assert value + problem.charge.value(w) == pytest.approx(plain + charge.value(w))
    np.testing.assert_allclose(gradient, slopes + charge.signed @ w)
    np.testing.assert_allclose(problem.risk.hessian(np.arange(5)) @ w, problem.risk.product(w))
    wider = replace(problem, largest_weight=9.0)
    assert wider.risk is problem.risk
    assert wider.signed is problem.signed is charge.signed
    assert wider.lower_bound(w, value, gradient) >= problem.lower_bound(w, value, gradient)
