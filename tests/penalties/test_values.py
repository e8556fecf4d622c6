"""Values worked out by hand, and units against the papers' own."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from scipy.integrate import quad

from ranksieve.penalties import (
    ElasticNetPenalty,
    LogPenalty,
    MCPPenalty,
    SCADPenalty,
    WeightedL1Penalty,
)


def test_mcp_is_a_parabola_up_to_its_width_and_flat_from_there():
    penalty, strength = MCPPenalty(3.0), 0.5  # width 1.5
    w = np.array([0.5, -1.5, 4.0])
    by_hand = [0.5 * (0.5 - 0.25 / 3), 0.5 * 1.5 / 2, 0.5 * 1.5 / 2]
    assert penalty.value(w, strength) == pytest.approx(sum(by_hand))


def test_scad_is_the_textbook_formula():
    a, strength = 3.7, 0.5
    penalty = SCADPenalty(a)
    w = np.array([0.3, -1.0, 9.0])
    middle = (2 * a * strength * 1.0 - 1.0 - strength**2) / (2 * (a - 1))
    by_hand = [0.3 * strength, middle, strength**2 * (a + 1) / 2]
    assert penalty.value(w, strength) == pytest.approx(sum(by_hand))


@pytest.mark.parametrize("penalty", [MCPPenalty(0.7), MCPPenalty(4), SCADPenalty(), LogPenalty()])
@pytest.mark.parametrize("size", [0.1, 0.6, 2.0, 10.0])
def test_values_are_integrals_of_slopes(penalty, size):
    def slope(t):
        return penalty.derivative(np.array([t]), 0.5)[0]

    knots = [k for k in (0.35, 0.5, 1.85, 2.0) if k < size]
    integral = quad(slope, 0.0, size, points=knots or None, epsabs=1e-12)[0]
    assert penalty.value(np.array([size]), 0.5) == pytest.approx(integral, rel=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (MCPPenalty(2.0, units="sum"), MCPPenalty(2.0)),
        (SCADPenalty(3.7, units="sum"), SCADPenalty(3.7)),
    ],
)
def test_units_of_a_sum_are_the_papers_objective_divided_by_the_pairs(ours, theirs):
    # sum over pairs + penalty with lambda = strength * P, and the same divided by P.
    w, strength, n_pairs = np.array([0.3, -2.0, 50.0]), 0.2, 40
    known = ours.for_pairs(n_pairs)
    scaled = theirs.value(w, strength * n_pairs) / n_pairs
    assert known.value(w, strength) == pytest.approx(scaled)
    np.testing.assert_allclose(
        known.derivative(w, strength), theirs.derivative(w, strength * n_pairs) / n_pairs
    )


@pytest.mark.parametrize("penalty", [MCPPenalty, SCADPenalty])
@pytest.mark.parametrize("C", [0.01, 3.0])
def test_fixed_units_are_c_times_the_sum_plus_the_penalty_with_lambda_one(penalty, C):
    rng = np.random.default_rng(4)
    n_pairs, w = 60, 4 * rng.normal(size=9)
    strength = 1 / (C * n_pairs)
    ours, theirs = penalty(units="fixed").for_pairs(n_pairs), penalty()
    # C sum + penalty, divided by C * pairs, is mean + strength * penalty.
    assert ours.value(w, strength) == pytest.approx(theirs.value(w, 1.0) / (C * n_pairs))
    np.testing.assert_allclose(ours.derivative(w, strength), strength * theirs.derivative(w, 1.0))


def test_hand_worked_values_of_a_fixed_width():
    # Up to 2: t - t^2 / 4. From 2 on: 1.
    mcp = MCPPenalty(2.0, units="fixed")
    assert mcp.value(np.array([1.0, -2.0, 50.0]), 0.1) == pytest.approx(0.1 * (0.75 + 1.0 + 1.0))
    assert mcp.value(np.array([1.0]), 10.0) == pytest.approx(10 * 0.75)


def test_units_of_a_mean_do_not_look_at_the_pairs():
    w = np.array([0.3, -2.0])
    for penalty in (MCPPenalty(), SCADPenalty()):
        assert penalty.for_pairs(40).value(w, 0.2) == penalty.value(w, 0.2)


def test_weights_of_zero_are_free_and_of_infinity_never_enter():
    penalty = WeightedL1Penalty([0.0, 1.0, np.inf])
    assert penalty.value(np.array([5.0, 2.0, 0.0]), 0.5) == 1.0
    assert penalty.value(np.array([5.0, 2.0, 1e-9]), 0.5) == np.inf
    assert penalty.critical_strength(np.array([0.1, 1.0, 9.0])) == np.inf
    assert penalty.critical_strength(np.array([0.0, 1.0, 9.0])) == 1.0
    step = penalty.charge(np.zeros(3), 0.5).prox(np.array([3.0, 3.0, 3.0]), 1.0)
    np.testing.assert_array_equal(step, [3, 2.5, 0])
    assert penalty.first_charge(3, 0.5).linear.tolist() == [0.0, 0.5, np.inf]
    assert penalty.derivative(np.zeros(3), 0.0).tolist() == [0.0, 0.0, np.inf]


@pytest.mark.parametrize("seed", range(3))
def test_the_step_of_the_elastic_net_is_that_of_an_outside_solver(seed):
    v = np.random.default_rng(seed).normal(size=6)
    z = cp.Variable(6)
    net = 0.3 * cp.norm1(z) + 0.7 / 2 * cp.sum_squares(z)
    cp.Problem(cp.Minimize(cp.sum_squares(z - v) / 2 + 0.8 * 0.4 * net)).solve(solver=cp.CLARABEL)
    step = ElasticNetPenalty(0.3).charge(v, 0.4).prox(v, 0.8)
    np.testing.assert_allclose(step, z.value, atol=1e-6)
