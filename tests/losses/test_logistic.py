from __future__ import annotations

import numpy as np
import pytest

from ranksieve.losses import LogisticLoss, Targets
from tests.reference.cases import random_arrays
from tests.reference.pairs import logistic, logistic_hessian


def case(seed, *, real_valued=False, scale=1.0):
    rng = np.random.default_rng(seed)
    _, y, query_ptr = random_arrays(seed)
    if real_valued:
        y = rng.random(len(y))
    scores, direction = rng.normal(size=(2, len(y)))
    return scale * scores, direction, y, query_ptr


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("real_valued", [False, True])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0, 1e3, 1e6])
def test_value_and_product_equal_those_of_written_out_pairs(seed, real_valued, scale):
    scores, direction, y, query_ptr = case(seed, real_valued=real_valued, scale=scale)
    point = LogisticLoss().evaluate(scores, Targets.from_grades(y, query_ptr))
    assert point.value == pytest.approx(logistic(scores, y, query_ptr), rel=1e-13)
    expected = logistic_hessian(scores, y, query_ptr) @ direction
    np.testing.assert_allclose(point.product(direction), expected, atol=1e-13)


def test_hand_worked_query():
    # Grades 2, 1, 0 with scores 0, 0, log 3: x = exp(s_j - s_i) is 1, 3 and 3.
    targets = Targets.from_grades(np.array([2.0, 1.0, 0.0]), np.array([0, 3]))
    value, gradient = LogisticLoss().value_and_grad(np.array([0.0, 0.0, np.log(3)]), targets)
    assert value == pytest.approx(np.log(2) + 2 * np.log(4), rel=1e-14)
    np.testing.assert_allclose(gradient, [-1 / 2 - 3 / 4, 1 / 2 - 3 / 4, 2 * 3 / 4], rtol=1e-14)


def test_pairs_far_apart_are_linear_when_wrong_and_exponential_when_right():
    targets = Targets.from_grades(np.array([1.0, 0.0]), np.array([0, 2]))
    for apart in (40.0, 500.0, 700.0):
        right, slope = LogisticLoss().value_and_grad(np.array([apart, 0.0]), targets)
        assert right == pytest.approx(np.exp(-apart), rel=1e-12)
        np.testing.assert_allclose(slope, [-right, right], rtol=1e-12)
        wrong, _ = LogisticLoss().value_and_grad(np.array([0.0, apart]), targets)
        assert wrong == pytest.approx(apart, rel=1e-15)


@pytest.mark.parametrize("spread", [599.0, 601.0])
def test_both_ways_of_summing_agree_where_they_meet(spread):
    rng = np.random.default_rng(3)
    y, query_ptr = rng.integers(0, 3, size=60).astype(float), np.array([0, 60])
    scores = np.concatenate([[0.0, spread], rng.random(58) * spread])
    point = LogisticLoss().evaluate(scores, Targets.from_grades(y, query_ptr))
    assert point.value == pytest.approx(logistic(scores, y, query_ptr), rel=1e-13)


def test_a_long_query_does_not_overflow_the_products():
    rng = np.random.default_rng(5)
    y, query_ptr = rng.random(400), np.array([0, 400])
    scores = -20 * y  # every pair is wrong, by up to 20
    value, gradient = LogisticLoss().value_and_grad(scores, Targets.from_grades(y, query_ptr))
    assert value == pytest.approx(logistic(scores, y, query_ptr), rel=1e-12)
    assert np.isfinite(gradient).all()
