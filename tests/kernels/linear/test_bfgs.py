from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.linear.bfgs import update_by_bfgs


@pytest.mark.parametrize("seed", range(4))
def test_the_matrix_learns_the_product_and_stays_positive_semidefinite(seed):
    rng = np.random.default_rng(seed)
    factors, truth = rng.normal(size=(2, 6, 6))
    hessian, move = factors @ factors.T, rng.normal(size=6)
    image = truth @ truth.T @ move
    assert update_by_bfgs(hessian, move, image)
    np.testing.assert_allclose(hessian @ move, image, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(hessian, hessian.T)
    assert np.linalg.eigvalsh(hessian).min() >= -1e-12 * np.linalg.eigvalsh(hessian).max()


def test_a_true_matrix_stays_as_it_is():
    factors = np.random.default_rng(0).normal(size=(4, 4))
    hessian, move = factors @ factors.T, np.arange(4.0)
    learnt = hessian.copy()
    assert update_by_bfgs(learnt, move, hessian @ move)
    np.testing.assert_allclose(learnt, hessian, atol=1e-12)


@pytest.mark.parametrize("image", [[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
def test_a_move_that_tells_nothing_changes_nothing(image):
    hessian = np.eye(2)
    assert not update_by_bfgs(hessian, np.array([1.0, 0.0]), np.array(image))
    np.testing.assert_array_equal(hessian, np.eye(2))
