"""Laws that every loss in the catalog obeys."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import catalog
from ranksieve.losses import Targets
from tests.reference.cases import random_arrays

LOSSES = [pytest.param(entry.load()(), id=entry.short_name) for entry in catalog.entries("losses")]
pytestmark = pytest.mark.parametrize("loss", LOSSES)


def case(seed):
    _, y, query_ptr = random_arrays(seed, n_queries=6, largest=8)
    scores = np.random.default_rng(seed).normal(size=len(y))
    return scores, y, query_ptr


@pytest.mark.parametrize("seed", range(3))
def test_gradient_equals_the_central_difference(loss, seed):
    scores, y, query_ptr = case(seed)
    targets = Targets.from_grades(y, query_ptr)
    _, gradient = loss.value_and_grad(scores, targets)
    step = 1e-6
    for document in range(len(y)):
        moved = np.zeros(len(y))
        moved[document] = step
        up, _ = loss.value_and_grad(scores + moved, targets)
        down, _ = loss.value_and_grad(scores - moved, targets)
        assert gradient[document] == pytest.approx((up - down) / (2 * step), abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_product_equals_the_central_difference_of_the_gradient(loss, seed):
    scores, y, query_ptr = case(seed)
    targets = Targets.from_grades(y, query_ptr)
    direction = np.random.default_rng(seed + 100).normal(size=len(y))
    step = 1e-7
    _, up = loss.value_and_grad(scores + step * direction, targets)
    _, down = loss.value_and_grad(scores - step * direction, targets)
    product = loss.evaluate(scores, targets).product(direction)
    np.testing.assert_allclose(product, (up - down) / (2 * step), atol=1e-4)


def test_gradient_sums_to_zero_inside_each_query(loss):
    scores, y, query_ptr = case(4)
    _, gradient = loss.value_and_grad(scores, Targets.from_grades(y, query_ptr))
    np.testing.assert_allclose(np.add.reduceat(gradient, query_ptr[:-1]), 0, atol=1e-10)


def test_one_grade_only_contributes_nothing(loss):
    scores, y, query_ptr = case(5)
    value, gradient = loss.value_and_grad(scores, Targets.from_grades(0 * y + 2, query_ptr))
    assert value == 0.0
    assert not gradient.any()


def test_scores_of_a_million_give_finite_numbers(loss):
    scores, y, query_ptr = case(6)
    value, gradient = loss.value_and_grad(1e6 * scores, Targets.from_grades(y, query_ptr))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_order_of_rows_and_queries_does_not_matter(loss):
    rng = np.random.default_rng(7)
    scores, y, query_ptr = case(7)
    value, gradient = loss.value_and_grad(scores, Targets.from_grades(y, query_ptr))
    queries = rng.permutation(len(query_ptr) - 1)
    rows = np.concatenate(
        [rng.permutation(np.arange(query_ptr[q], query_ptr[q + 1])) for q in queries]
    )
    moved_ptr = np.concatenate([[0], np.cumsum(np.diff(query_ptr)[queries])])
    moved, moved_gradient = loss.value_and_grad(
        scores[rows], Targets.from_grades(y[rows], moved_ptr)
    )
    assert moved == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(moved_gradient, gradient[rows], atol=1e-11)
