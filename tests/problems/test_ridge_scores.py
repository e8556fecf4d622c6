from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import DataError
from ranksieve.losses import HingeLoss, SquaredHingeLoss
from ranksieve.problems import AveragePrecisionHinge, RidgePairs, RidgeScores
from tests.reference.cases import in_blocks, random_arrays
from tests.reference.orderings import hinge
from tests.reference.pairs import hinge as pair_hinge

AVERAGE_PRECISION = AveragePrecisionHinge(threshold=2)


def of_average_precision(data, factor):
    return RidgeScores(data, AVERAGE_PRECISION, factor, AVERAGE_PRECISION.targets)


def of_pairs(data, factor):
    return RidgeScores(data, HingeLoss(), factor)


@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_the_definitions(seed):
    X, y, query_ptr = random_arrays(seed, largest=6)
    w = np.random.default_rng(seed).normal(size=5)
    data, ridge = in_blocks(X, y, query_ptr, [4]), 0.5 * w @ w
    value, _ = of_pairs(data, 0.3).value_and_grad(w)
    assert value == pytest.approx(ridge + 0.3 * pair_hinge(X @ w, y, query_ptr), rel=1e-12)
    value, _ = of_average_precision(data, 0.3).value_and_grad(w)
    assert value == pytest.approx(ridge + 0.3 * hinge(X @ w, y >= 2, query_ptr), rel=1e-12)


@pytest.mark.parametrize("build", [of_pairs, of_average_precision])
def test_the_gradient_is_that_of_finite_differences(build):
    X, y, query_ptr = random_arrays(1)
    problem = build(in_blocks(X, y, query_ptr, [4]), 0.3)
    w = np.random.default_rng(1).normal(size=5)
    _, gradient = problem.value_and_grad(w)
    for feature in range(5):
        step = 1e-7 * np.eye(5)[feature]
        rise = problem.value_and_grad(w + step)[0] - problem.value_and_grad(w - step)[0]
        assert gradient[feature] == pytest.approx(rise / 2e-7, abs=1e-5)


def test_a_pair_loss_gives_the_problem_of_its_pairs():
    X, y, query_ptr = random_arrays(2)
    data, w = in_blocks(X, y, query_ptr, [3]), np.ones(5)
    value, gradient = RidgeScores(data, SquaredHingeLoss(), 0.1).value_and_grad(w)
    expected, slope = RidgePairs(data, SquaredHingeLoss(), 0.1).value_and_grad(w)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, slope, rtol=1e-12)


@pytest.mark.parametrize("build", [of_pairs, of_average_precision])
@pytest.mark.parametrize("small", [0, 1 << 20])
def test_values_and_slopes_along_a_line_are_those_at_its_points(build, small, monkeypatch):
    monkeypatch.setattr("ranksieve.problems.ridge_scores._SMALL_DATA", small)
    X, y, query_ptr = random_arrays(3)
    problem = build(in_blocks(X, y, query_ptr, [2, 7]), 0.3)
    w, direction = np.random.default_rng(3).normal(size=(2, 5))
    at = problem.along(w, direction)
    for t in (0.0, 0.3, 1.7):
        value, gradient = problem.value_and_grad(w + t * direction)
        assert at(t) == pytest.approx((value, gradient @ direction), rel=1e-10)


@pytest.mark.parametrize("build", [of_pairs, of_average_precision])
def test_blocks_do_not_matter(build):
    X, y, query_ptr = random_arrays(4)
    w = np.random.default_rng(4).normal(size=5)
    value, gradient = build(in_blocks(X, y, query_ptr, []), 0.3).value_and_grad(w)
    other, slope = build(in_blocks(X, y, query_ptr, [1, 2, 9]), 0.3).value_and_grad(w)
    assert other == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(slope, gradient, rtol=1e-12)


def test_features_whose_gradient_overflows_are_an_error_that_says_so():
    X, y, query_ptr = random_arrays(0)
    with pytest.raises(DataError, match="Scale the features first"):
        of_pairs(in_blocks(X * 1e160, y, query_ptr, []), 1.0).value_and_grad(np.zeros(5))
