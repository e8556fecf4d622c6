from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from ranksieve.kernels.linear.charged_quadratic import minimise_charged
from tests.kernels.linear.test_coordinate_descent import NO_MATRIX, case, value, violation


def outside(hessian, b, linear, matrix):
    """The least value by an outside solver: z = plus - minus, the charge on plus + minus."""
    plus, minus = (cp.Variable(len(b), nonneg=True) for _ in range(2))
    total = b @ (plus - minus) + 0.5 * cp.quad_form(plus - minus, cp.psd_wrap(hessian))
    total += linear @ (plus + minus)
    if len(matrix):
        total += 0.5 * cp.quad_form(plus + minus, cp.psd_wrap(matrix))
    return cp.Problem(cp.Minimize(total)).solve(
        solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
    )


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_minimum_is_that_of_an_outside_solver(seed, shared):
    *model, z = case(seed, shared=shared)
    minimise_charged(*model, z, 1e-10)
    assert value(*model, z) == pytest.approx(outside(*model), abs=1e-9)
    assert violation(*model, z) <= 1e-9


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_singular_model_is_solved_too(seed, shared):
    hessian, b, linear, matrix, z = case(seed, shared=shared, rank=2)
    # Slopes in the range of the hessian, as gradients of a loss are: else nothing bounds z.
    b = hessian @ b
    minimise_charged(hessian, b, linear, matrix, z, 1e-9)
    assert value(hessian, b, linear, matrix, z) == pytest.approx(
        outside(hessian, b, linear, matrix), abs=1e-7
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_value_never_ends_above_that_of_the_start(seed):
    *model, z = case(seed, shared=True)
    before = value(*model, z)
    minimise_charged(*model, z, 0.5)
    assert value(*model, z) <= before


def test_no_charge_gives_the_newton_point():
    hessian, b, linear, _, z = case(3, shared=False)
    rounds = minimise_charged(hessian, b, np.zeros_like(linear), NO_MATRIX, z, 1e-10)
    np.testing.assert_allclose(z, -np.linalg.solve(hessian, b), rtol=1e-8)
    assert rounds <= 3


def test_a_large_charge_gives_zeros_from_any_start():
    hessian, b, linear, _, z = case(4, shared=False)
    minimise_charged(hessian, b, linear + np.abs(b), NO_MATRIX, z, 1e-10)
    assert not z.any()


def test_copies_of_a_feature_share_its_weight():
    # -3 (z0 + z1) + (z0 + z1)^2 + |z0| + |z1| is least where z0 + z1 = 1.
    z = np.zeros(2)
    minimise_charged(np.full((2, 2), 2.0), np.full(2, -3.0), np.ones(2), NO_MATRIX, z, 1e-9)
    assert z.sum() == pytest.approx(1.0)
    assert (z >= 0.0).all()


def test_a_step_across_zero_ends_there():
    # From (3, -1): Newton's point has the other sign for the second weight, which belongs at 0.
    hessian = np.array([[1.0, 0.9], [0.9, 1.0]])
    b, linear = np.array([-1.0, -0.95]), np.full(2, 0.2)
    z = np.array([3.0, -1.0])
    minimise_charged(hessian, b, linear, NO_MATRIX, z, 1e-12)
    assert violation(hessian, b, linear, NO_MATRIX, z) <= 1e-12


def test_no_weights_are_no_work():
    empty = np.empty(0)
    assert minimise_charged(np.empty((0, 0)), empty, empty, NO_MATRIX, empty, 1e-9) == 1
