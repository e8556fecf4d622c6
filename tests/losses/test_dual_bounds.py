"""The dual value of every loss is below the optimum, which an outside solver finds."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from ranksieve import catalog
from ranksieve.losses import WEIGHTINGS
from ranksieve.penalties import Charge
from ranksieve.problems import PairRisk
from ranksieve.solvers._penalised import Penalised
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.pairs import pair_differences, shares_of_pairs

OF_MARGINS = {
    "hinge": lambda margins: cp.pos(1 - margins),
    "squared-hinge": lambda margins: cp.square(cp.pos(1 - margins)),
    "logistic": lambda margins: cp.logistic(-margins),
}
LOSSES = list(OF_MARGINS)


def outside_optimum(name, differences, shares, charges):
    w = cp.Variable(differences.shape[1])
    loss = OF_MARGINS[name](differences @ w)
    problem = cp.Problem(cp.Minimize(shares @ loss + charges @ cp.abs(w)))
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value), np.asarray(w.value)


def case(name, seed, weighting):
    X, y, query_ptr = random_arrays(seed, n_queries=6, largest=7)
    X = X[:, :-1]
    risk = PairRisk(in_blocks(X, y, query_ptr, [3]), catalog.get("losses", name)(weighting))
    return risk, pair_differences(X, y, query_ptr), shares_of_pairs(y, query_ptr, weighting)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_lower_bound_never_exceeds_the_optimum(name, seed, share, weighting):
    rng = np.random.default_rng(seed)
    risk, differences, shares = case(name, seed, weighting)
    zero = np.zeros(risk.n_weights)
    critical = np.abs(risk.value_and_grad(zero)[1]).max()
    charges = np.full(risk.n_weights, share * critical)
    optimum, best = outside_optimum(name, differences, shares, charges)
    problem = Penalised(risk, Charge(charges))
    spread = rng.normal(size=(8, risk.n_weights)) * 10.0 ** rng.integers(-3, 3, size=(8, 1))
    for w in (zero, best, *(best + spread), *spread):
        value, gradient = risk.value_and_grad(w)
        assert problem.lower_bound(w, value, gradient) <= optimum * (1 + 1e-7)
        assert value + problem.charge.value(w) >= optimum * (1 - 1e-7)


@pytest.mark.parametrize("name", [n for n in LOSSES if catalog.get("losses", n).smooth])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_at_the_optimum_of_a_smooth_loss_the_bound_meets_it(name, seed, weighting):
    risk, differences, shares = case(name, seed, weighting)
    critical = np.abs(risk.value_and_grad(np.zeros(risk.n_weights))[1]).max()
    charges = np.full(risk.n_weights, 0.2 * critical)
    optimum, best = outside_optimum(name, differences, shares, charges)
    problem = Penalised(risk, Charge(charges))
    assert problem.lower_bound(best, *risk.value_and_grad(best)) == pytest.approx(optimum, rel=1e-3)
