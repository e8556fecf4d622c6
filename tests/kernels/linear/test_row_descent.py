from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.kernels.linear.row_descent import descend_rows, row_slopes
from ranksieve.penalties import RowCharge


def case(seed, n_tasks, n_features):
    """Random curvatures of each task, b, and a first z."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n_tasks, n_features, n_features + 3))
    hessians = factors @ factors.transpose(0, 2, 1)
    return hessians, 3 * rng.normal(size=(n_tasks, n_features)), rng.normal(size=b_shape(hessians))


def b_shape(hessians):
    return hessians.shape[:2]


def value(hessians, b, charge, z):
    quadratic = sum(b[t] @ z[t] + 0.5 * z[t] @ hessian @ z[t] for t, hessian in enumerate(hessians))
    return quadratic + charge.value(z.ravel())


def descended(hessians, b, charge, z, sweeps):
    z = z.copy()
    slopes = b + np.einsum("tjk,tk->tj", hessians, z)
    stacked = hessians.reshape(-1, hessians.shape[2]).copy()
    descend_rows(stacked, charge.rows, charge.own, z, slopes, sweeps)
    np.testing.assert_allclose(slopes, b + np.einsum("tjk,tk->tj", hessians, z), atol=1e-9)
    return z


@pytest.mark.parametrize("own", [np.inf, 1.0, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_a_row_goes_to_where_no_other_row_is_better(seed, own):
    hessians, b, z = case(seed, 3, 1)
    charge = RowCharge.of(np.array([1.3]), 3, own)
    best = descended(hessians, b, charge, z, 1)
    rng = np.random.default_rng(seed)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(50):
            other = best + size * rng.normal(size=best.shape)
            assert value(hessians, b, charge, best) <= value(hessians, b, charge, other) + 1e-12
    zero = np.zeros_like(best)
    assert value(hessians, b, charge, best) <= value(hessians, b, charge, zero) + 1e-12


@pytest.mark.parametrize("own", [np.inf, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_sweeps_never_raise_the_value_and_end_where_slopes_are_those_of_the_charge(seed, own):
    hessians, b, z = case(seed, 3, 5)
    charge = RowCharge.of(np.full(5, 2.0), 3, own)
    values = [value(hessians, b, charge, descended(hessians, b, charge, z, k)) for k in range(6)]
    assert all(later <= earlier + 1e-10 for earlier, later in itertools.pairwise(values))
    end = descended(hessians, b, charge, z, 3000)
    slopes = b + np.einsum("tjk,tk->tj", hessians, end)
    # -slopes is a subgradient: inside the dual ball, and its product with z is the charge on z.
    assert charge.nearness(slopes.ravel()).max() <= 1 + 1e-8
    assert -(slopes * end).sum() == pytest.approx(charge.value(end.ravel()), rel=1e-8)


def test_one_task_is_soft_thresholding():
    z = descended(
        np.array([[[2.0]]]), np.array([[3.0]]), RowCharge.of(np.ones(1), 1), np.ones((1, 1)), 1
    )
    assert z[0, 0] == pytest.approx(-(3.0 - 1.0) / 2.0)


def test_rows_without_a_charge_or_without_curvature_and_with_an_infinite_charge():
    hessians = np.array([[[2.0]], [[0.0]]])
    b = np.array([[3.0], [0.0]])
    start = np.ones((2, 1))
    free = descended(hessians, b, RowCharge.of(np.zeros(1), 2), start, 1)
    np.testing.assert_allclose(free, [[-1.5], [0.0]])
    fixed = descended(hessians, b, RowCharge.of(np.full(1, np.inf), 2), start, 1)
    np.testing.assert_allclose(fixed, [[0.0], [0.0]])
    only_own = descended(hessians, b, RowCharge.of(np.full(1, np.inf), 2, 1.0), start, 1)
    np.testing.assert_allclose(only_own, [[-1.0], [0.0]])


def slopes_of(charge, weights):
    first, second, coupling = np.empty((3, *weights.shape))
    row_slopes(charge.rows, charge.own, weights, first, second, coupling)
    return first, second, coupling


@pytest.mark.parametrize("own", [np.inf, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_slopes_and_curvatures_are_those_of_differences(seed, own):
    rng = np.random.default_rng(seed)
    charge, weights = RowCharge.of(0.5 + rng.random(4), 3, own), rng.normal(size=(3, 4))
    first, second, coupling = slopes_of(charge, weights)
    h = 1e-4
    for task in range(3):
        for feature in range(4):
            move = np.zeros((3, 4))
            move[task, feature] = h
            up, down = (
                charge.value((weights + move).ravel()),
                charge.value((weights - move).ravel()),
            )
            assert (up - down) / (2 * h) == pytest.approx(first[task, feature], abs=1e-5)
            curve = (up + down - 2 * charge.value(weights.ravel())) / h**2
            expected = second[task, feature] - coupling[task, feature] ** 2
            assert curve == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("own", [np.inf, 1.0, 0.6, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_slopes_times_weights_are_the_charge_on_them(seed, own):
    rng = np.random.default_rng(seed)
    charge = RowCharge.of(np.array([1.3, 0.0, 0.4, 1.0]), 5, own)
    weights = rng.normal(size=(5, 4)) * rng.integers(0, 2, size=(5, 4))
    first, _, _ = slopes_of(charge, weights)
    assert (first * weights).sum() == pytest.approx(charge.value(weights.ravel()), rel=1e-12)


def test_a_row_that_must_be_own_has_the_slopes_of_own_weights():
    charge, weights = RowCharge.of(np.full(1, np.inf), 2, 3.0), np.array([[1.0], [0.0]])
    first, second, _ = slopes_of(charge, weights)
    np.testing.assert_array_equal(first, [[3.0], [0.0]])
    assert not second.any()
