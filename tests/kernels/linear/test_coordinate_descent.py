from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.linear.coordinate_descent import descend
from tests.kernels.entries import with_entry

descend = with_entry(descend)

NO_MATRIX = np.empty((0, 0))


def case(seed, *, shared, rank=None):
    """A random model and charge: hessian, b, linear, matrix, and a first z."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    factors = rng.normal(size=(n, rank or n + 2))
    matrix = NO_MATRIX
    if shared:
        shares = rng.random((n, 3))
        matrix = 0.3 * shares @ shares.T
    return factors @ factors.T, rng.normal(size=n), 0.5 * rng.random(n), matrix, rng.normal(size=n)


def value(hessian, b, linear, matrix, z):
    shared = np.abs(z) @ matrix @ np.abs(z) if len(matrix) else 0.0
    return b @ z + 0.5 * z @ hessian @ z + linear @ np.abs(z) + 0.5 * shared


def followed(hessian, b, matrix, z):
    charged = matrix @ np.abs(z) if len(matrix) else np.zeros(len(z))
    return b + hessian @ z, charged


def violation(hessian, b, linear, matrix, z):
    slopes, charged = followed(hessian, b, matrix, z)
    thresholds = linear + charged
    away = np.abs(slopes + np.sign(z) * thresholds)
    return np.where(z != 0.0, away, np.maximum(np.abs(slopes) - thresholds, 0.0)).max()


def swept(model, z, accuracy, max_sweeps):
    hessian, b, linear, matrix = model
    slopes, charged = followed(hessian, b, matrix, z)
    return descend(hessian, linear, matrix, z, slopes, charged, accuracy, np.int64(max_sweeps)), (
        slopes,
        charged,
    )


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_no_sweep_raises_the_value(seed, shared):
    *model, z = case(seed, shared=shared, rank=2 if seed % 2 else None)
    before = value(*model, z)
    for _ in range(10):
        swept(model, z, 0.0, 1)
        after = value(*model, z)
        assert after <= before + 1e-12 * abs(before)
        before = after


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_where_nothing_moves_the_conditions_of_optimality_hold(seed, shared):
    *model, z = case(seed, shared=shared)
    sweeps, (slopes, charged) = swept(model, z, 0.0, 3000)
    assert sweeps <= 3000
    assert violation(*model, z) <= 1e-8
    expected_slopes, expected_charged = followed(model[0], model[1], model[3], z)
    np.testing.assert_allclose(slopes, expected_slopes, atol=1e-9)
    np.testing.assert_allclose(charged, expected_charged, atol=1e-9)


def test_one_weight_is_solved_at_once_as_by_hand():
    # -3 z + z^2 + |z| + z^2 / 2 is least at z = 2 / 3.
    one = np.ones((1, 1))
    z = np.array([5.0])
    sweeps, _ = swept((2.0 * one, np.array([-3.0]), np.array([1.0]), one), z, 0.0, 10)
    assert z == pytest.approx([2.0 / 3.0])
    assert sweeps <= 3


def test_a_weight_without_curvature_becomes_zero():
    z = np.array([1.0, 1.0])
    model = (np.diag([0.0, 1.0]), np.array([0.0, -2.0]), np.array([0.1, 0.5]), NO_MATRIX)
    swept(model, z, 0.0, 5)
    np.testing.assert_allclose(z, [0.0, 1.5])


def test_accuracy_ends_the_sweeps_early():
    *model, z = case(2, shared=False)
    tight, _ = swept(model, z.copy(), 0.0, 1000)
    loose, _ = swept(model, z.copy(), 1e-3, 1000)
    assert 1 <= loose < tight
