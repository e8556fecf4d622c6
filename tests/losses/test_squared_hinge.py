from __future__ import annotations

import numpy as np
import pytest

from ranksieve.losses import SquaredHingeLoss, Targets
from tests.reference.cases import random_arrays
from tests.reference.pairs import preference_pairs, squared_hinge


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("real_valued", [False, True])
def test_value_equals_the_sum_over_written_out_pairs(seed, real_valued):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed)
    if real_valued:
        y = rng.random(len(y))
    scores = rng.normal(size=len(y))
    value, _ = SquaredHingeLoss().value_and_grad(scores, Targets.from_grades(y, query_ptr))
    assert value == pytest.approx(squared_hinge(scores, y, query_ptr), rel=1e-12)


def test_hand_worked_query():
    # Grades 2, 1, 0 with scores 0, 0.5, 3: margins -0.5, -3, -2.5.
    targets = Targets.from_grades(np.array([2.0, 1.0, 0.0]), np.array([0, 3]))
    value, gradient = SquaredHingeLoss().value_and_grad(np.array([0.0, 0.5, 3.0]), targets)
    assert targets.n_pairs == 3
    assert value == pytest.approx(1.5**2 + 4.0**2 + 3.5**2)
    np.testing.assert_allclose(gradient, [-2 * (1.5 + 4), 2 * (1.5 - 3.5), 2 * (4 + 3.5)])


@pytest.mark.parametrize("seed", range(3))
def test_hessian_product_equals_that_of_written_out_pairs(seed):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed)
    scores, direction = rng.normal(size=(2, len(y)))
    point = SquaredHingeLoss().evaluate(scores, Targets.from_grades(y, query_ptr))
    expected = np.zeros(len(y))
    for i, j in preference_pairs(y, query_ptr):
        if scores[i] - scores[j] < 1:
            expected[i] += 2 * (direction[i] - direction[j])
            expected[j] += 2 * (direction[j] - direction[i])
    np.testing.assert_allclose(point.product(direction), expected, atol=1e-11)


def test_large_offsets_of_a_query_cost_no_digits():
    rng = np.random.default_rng(0)
    _, y, query_ptr = random_arrays(0)
    scores = rng.integers(-2048, 2048, size=len(y)) / 1024  # exact beside any offset
    targets = Targets.from_grades(y, query_ptr)
    near, slope = SquaredHingeLoss().value_and_grad(scores, targets)
    far, far_slope = SquaredHingeLoss().value_and_grad(scores + 2.0**40, targets)
    assert far == pytest.approx(near, rel=1e-13)
    np.testing.assert_allclose(far_slope, slope, rtol=1e-13)
