from __future__ import annotations

import numpy as np
import pytest

from ranksieve.losses import HingeLoss, Targets
from tests.reference.cases import random_arrays
from tests.reference.pairs import hinge, preference_pairs


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("real_valued", [False, True])
def test_value_equals_the_sum_over_written_out_pairs(seed, real_valued):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed)
    if real_valued:
        y = rng.random(len(y))
    scores = rng.normal(size=len(y))
    value, _ = HingeLoss().value_and_grad(scores, Targets.from_grades(y, query_ptr))
    assert value == pytest.approx(hinge(scores, y, query_ptr), rel=1e-12)


def test_hand_worked_query():
    # Grades 2, 1, 0 with scores 0, 0.5, 3: margins -0.5, -3, -2.5.
    targets = Targets.from_grades(np.array([2.0, 1.0, 0.0]), np.array([0, 3]))
    value, gradient = HingeLoss().value_and_grad(np.array([0.0, 0.5, 3.0]), targets)
    assert value == pytest.approx(1.5 + 4.0 + 3.5)
    np.testing.assert_array_equal(gradient, [-2, 1 - 1, 2])


def test_a_pair_exactly_at_the_margin_is_not_violated():
    targets = Targets.from_grades(np.array([1.0, 0.0]), np.array([0, 2]))
    value, gradient = HingeLoss().value_and_grad(np.array([1.0, 0.0]), targets)
    assert value == 0.0
    assert not gradient.any()


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_at_kinks_is_a_subgradient(seed):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed)
    targets = Targets.from_grades(y, query_ptr)
    scores = rng.integers(-4, 5, size=len(y)) / 2.0  # many margins are exactly one
    assert any(scores[i] - scores[j] == 1.0 for i, j in preference_pairs(y, query_ptr))
    value, gradient = HingeLoss().value_and_grad(scores, targets)
    for _ in range(20):
        other = scores + rng.normal(size=len(y)) * 10.0 ** rng.integers(-3, 2)
        there, _ = HingeLoss().value_and_grad(other, targets)
        assert there >= value + gradient @ (other - scores) - 1e-9 * (1 + there)


def test_the_hinge_says_that_it_is_not_smooth_and_has_no_curvature():
    _, y, query_ptr = random_arrays(0)
    point = HingeLoss().evaluate(np.zeros(len(y)), Targets.from_grades(y, query_ptr))
    assert not HingeLoss.smooth
    assert not point.product(np.ones(len(y))).any()


def test_large_offsets_of_a_query_cost_no_digits():
    rng = np.random.default_rng(0)
    _, y, query_ptr = random_arrays(0)
    scores = rng.integers(-2048, 2048, size=len(y)) / 1024  # exact beside any offset
    targets = Targets.from_grades(y, query_ptr)
    near, slope = HingeLoss().value_and_grad(scores, targets)
    far, far_slope = HingeLoss().value_and_grad(scores + 2.0**40, targets)
    assert far == pytest.approx(near, rel=1e-13)
    np.testing.assert_array_equal(far_slope, slope)
