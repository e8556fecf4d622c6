from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from ranksieve.kernels.linear.plane_mixture import best_mixture


def random_planes(seed, n_planes=30, n_weights=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_planes, n_weights)) * 3.0, rng.normal(size=n_planes)


def mixed(slopes, offsets, start, accuracy=1e-12):
    """The best shares from one plane, or from given shares, and the excess that is reported."""
    shares = np.eye(len(offsets))[start] if np.isscalar(start) else start.copy()
    excess = best_mixture(slopes, offsets, shares, accuracy)
    return shares, excess


def value(slopes, offsets, shares):
    return offsets @ shares - 0.5 * np.sum((shares @ slopes) ** 2)


def outside_value(slopes, offsets):
    shares = cp.Variable(len(offsets), nonneg=True)
    target = offsets @ shares - 0.5 * cp.sum_squares(slopes.T @ shares)
    problem = cp.Problem(cp.Maximize(target), [cp.sum(shares) == 1])
    return problem.solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("n_planes", [1, 2, 5, 40])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_mixture_is_that_of_an_outside_solver(seed, n_planes):
    slopes, offsets = random_planes(seed, n_planes)
    shares, _ = mixed(slopes, offsets, 0)
    assert shares.min() >= 0.0
    assert shares.sum() == pytest.approx(1.0, abs=1e-14)
    expected = outside_value(slopes, offsets)
    assert value(slopes, offsets, shares) == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_no_plane_is_higher_than_the_mixture_by_more_than_the_excess(seed):
    slopes, offsets = random_planes(seed)
    for accuracy in (1e-10, 1e-2):
        shares, excess = mixed(slopes, offsets, np.full(30, 1 / 30), accuracy)
        heights = offsets - slopes @ (shares @ slopes)
        assert heights.max() - shares @ heights == pytest.approx(excess, abs=1e-12)
        assert excess <= accuracy


@pytest.mark.parametrize("seed", range(4))
def test_copies_and_planes_that_depend_on_each_other_do_no_harm(seed):
    slopes, offsets = random_planes(seed, 12, 3)
    doubled = np.vstack([slopes, slopes, slopes[:6] + slopes[6:]])
    heights = np.concatenate([offsets, offsets, offsets[:6] + offsets[6:]])
    shares, _ = mixed(doubled, heights, 4)
    found = value(doubled, heights, shares)
    assert found == pytest.approx(outside_value(doubled, heights), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_the_size_of_slopes_does_not_matter(scale):
    slopes, offsets = random_planes(1)
    shares, _ = mixed(slopes * scale, offsets * scale**2, 0, 1e-12 * scale**2)
    plain, _ = mixed(slopes, offsets, 0)
    np.testing.assert_allclose(shares, plain, atol=1e-8)


def test_an_accuracy_out_of_reach_ends_where_the_value_stops_rising():
    slopes, offsets = random_planes(2)
    shares, excess = mixed(slopes, offsets, 0, -1.0)
    assert excess <= 1e-12
    assert shares.sum() == pytest.approx(1.0, abs=1e-14)


def test_two_planes_of_pencil_and_paper():
    # Slopes 1 and -2, offsets 0: a - 2 (1 - a) is 0 at a = 2/3.
    shares, _ = mixed(np.array([[1.0], [-2.0]]), np.zeros(2), 0)
    np.testing.assert_allclose(shares, [2 / 3, 1 / 3])
    # One that is higher everywhere takes all.
    shares, _ = mixed(np.array([[1.0], [1.0]]), np.array([0.0, 1.0]), 0)
    np.testing.assert_array_equal(shares, [0.0, 1.0])


def test_slopes_with_much_in_common_eat_no_digits():
    slopes, offsets = random_planes(0, 12, 3)
    # The same programme, moved: |common + s|^2 = |common|^2 + 2 common . s + |s|^2.
    common = np.full(3, 2.0**16)
    plain, _ = mixed(slopes, offsets, 0, 1e-13)
    moved, _ = mixed(slopes + common, offsets + slopes @ common, 0, 1e-13)
    np.testing.assert_allclose(moved, plain, atol=1e-5)
