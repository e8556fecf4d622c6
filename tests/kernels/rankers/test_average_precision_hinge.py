from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.kernels.rankers.average_precision_hinge import average_precision_hinge
from tests.reference.cases import ragged_ptr
from tests.reference.orderings import average_precision, hinge


def evaluated(scores, relevant, query_ptr):
    gradient = np.full(len(scores), np.nan)
    return average_precision_hinge(scores, relevant, query_ptr, gradient), gradient


def small_queries(seed, *, share=0.4, largest=6):
    """Queries of up to six documents, the last of them with relevant ones alone."""
    rng = np.random.default_rng(seed)
    query_ptr = ragged_ptr(rng, 12, largest)
    relevant = rng.random(query_ptr[-1]) < share
    relevant[query_ptr[-2] :] = True
    return rng, relevant, query_ptr


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("share", [0.3, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_the_value_is_the_maximum_over_all_orderings(seed, share, spread):
    rng, relevant, query_ptr = small_queries(seed, share=share)
    scores = spread * rng.normal(size=len(relevant))
    value, _ = evaluated(scores, relevant, query_ptr)
    assert value == pytest.approx(hinge(scores, relevant, query_ptr), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_ties_are_ordered_for_the_worst(seed):
    rng, relevant, query_ptr = small_queries(seed)
    scores = rng.integers(0, 3, size=len(relevant)) / 4.0
    value, _ = evaluated(scores, relevant, query_ptr)
    assert value == pytest.approx(hinge(scores, relevant, query_ptr), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_is_that_of_finite_differences(seed):
    rng, relevant, query_ptr = small_queries(seed, largest=12)
    scores = 0.3 * rng.normal(size=len(relevant))
    _, gradient = evaluated(scores, relevant, query_ptr)
    step = 1e-7
    for document in range(len(scores)):
        moved = np.zeros(len(scores))
        moved[document] = step
        above, _ = evaluated(scores + moved, relevant, query_ptr)
        below, _ = evaluated(scores - moved, relevant, query_ptr)
        assert gradient[document] == pytest.approx((above - below) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_at_ties_is_a_subgradient(seed):
    rng, relevant, query_ptr = small_queries(seed, largest=15)
    scores = rng.integers(0, 3, size=len(relevant)) / 4.0
    value, gradient = evaluated(scores, relevant, query_ptr)
    for _ in range(20):
        other = scores + rng.normal(size=len(scores)) * 10.0 ** rng.integers(-3, 2)
        there, _ = evaluated(other, relevant, query_ptr)
        assert there >= value + gradient @ (other - scores) - 1e-10 * (1 + there)


@pytest.mark.parametrize("seed", range(3))
def test_the_value_is_at_least_one_minus_average_precision(seed):
    rng, relevant, query_ptr = small_queries(seed, largest=20)
    scores = rng.normal(size=len(relevant))
    for start, stop in itertools.pairwise(query_ptr):
        part = relevant[start:stop]
        value, _ = evaluated(scores[start:stop], part, np.array([0, stop - start]))
        if 0 < part.sum() < len(part):
            order = np.argsort(-scores[start:stop])
            assert value >= 1.0 - average_precision(order, part) - 1e-12
        else:
            assert value == 0.0


def test_a_hand_worked_query():
    # Relevant 0.5, others 0.6 and 0. By place of the relevant document, from first to last:
    # 0, 1/2 - (0.5 - 0.6) = 0.6, 2/3 - (0.5 - 0.6) - (0.5 - 0) = 0.2667.
    scores, relevant = np.array([0.5, 0.6, 0.0]), np.array([True, False, False])
    value, gradient = evaluated(scores, relevant, np.array([0, 3]))
    assert value == pytest.approx(0.6)
    np.testing.assert_allclose(gradient, [-1.0, 1.0, 0.0])


def test_wide_margins_leave_nothing_to_gain():
    scores, relevant = np.array([9.0, 8.0, 1.0, 0.0]), np.array([True, True, False, False])
    value, gradient = evaluated(scores, relevant, np.array([0, 4]))
    assert value == 0.0
    assert not gradient.any()


def test_queries_of_one_kind_count_nothing_and_get_no_gradient():
    relevant = np.array([True, True, False, False, True])
    value, gradient = evaluated(np.arange(5.0), relevant, np.array([0, 2, 4, 5]))
    assert value == 0.0
    assert not gradient.any()


def test_a_large_offset_of_scores_costs_no_digits():
    rng, relevant, query_ptr = small_queries(0, largest=30)
    scores = rng.integers(-2048, 2048, size=len(relevant)) / 1024  # exact beside any offset
    near, slope = evaluated(scores, relevant, query_ptr)
    far, far_slope = evaluated(scores + 2.0**40, relevant, query_ptr)
    assert far == pytest.approx(near, rel=1e-13)
    np.testing.assert_array_equal(far_slope, slope)
