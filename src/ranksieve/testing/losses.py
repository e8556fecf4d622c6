"""Laws that every loss obeys."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.losses import WEIGHTINGS, PairLoss, Targets
from ranksieve.testing.base import Suite
from ranksieve.testing.cases import random_arrays, uneven_arrays

# Scores, grades and the offsets of queries.
_Scored = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def uneven(seed: int) -> _Scored:
    """Return random scores of queries of very different sizes."""
    _, y, query_ptr = uneven_arrays(seed)
    return np.random.default_rng(seed).normal(size=len(y)), y, query_ptr


def case(seed: int) -> _Scored:
    """Return random scores of a few small queries."""
    _, y, query_ptr = random_arrays(seed, n_queries=6, largest=8)
    scores = np.random.default_rng(seed).normal(size=len(y))
    return scores, y, query_ptr


class LossSuite(Suite):
    """Laws that every loss over pairs obeys, in both weightings."""

    argument: ClassVar[str] = "loss"
    family: ClassVar[str] = "losses"

    def arguments(self) -> dict[str, Sequence[Any]]:
        """Return each loss in both weightings."""
        return {
            "loss": [type(loss)(weighting) for loss in self.components for weighting in WEIGHTINGS]
        }

    @pytest.mark.parametrize("seed", range(3))
    def test_gradient_equals_the_central_difference(self, loss: PairLoss, seed: int) -> None:
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
    def test_product_equals_the_central_difference_of_the_gradient(
        self, loss: PairLoss, seed: int
    ) -> None:
        scores, y, query_ptr = case(seed)
        targets = Targets.from_grades(y, query_ptr)
        direction = np.random.default_rng(seed + 100).normal(size=len(y))
        step = 1e-7
        _, up = loss.value_and_grad(scores + step * direction, targets)
        _, down = loss.value_and_grad(scores - step * direction, targets)
        product = loss.evaluate(scores, targets).product(direction)
        np.testing.assert_allclose(product, (up - down) / (2 * step), atol=1e-4)

    def test_gradient_sums_to_zero_inside_each_query(self, loss: PairLoss) -> None:
        scores, y, query_ptr = case(4)
        _, gradient = loss.value_and_grad(scores, Targets.from_grades(y, query_ptr))
        np.testing.assert_allclose(np.add.reduceat(gradient, query_ptr[:-1]), 0, atol=1e-10)

    def test_one_grade_only_contributes_nothing(self, loss: PairLoss) -> None:
        scores, y, query_ptr = case(5)
        value, gradient = loss.value_and_grad(scores, Targets.from_grades(0 * y + 2, query_ptr))
        assert value == 0.0
        assert not gradient.any()

    def test_repr_is_a_call_that_the_catalog_reads_back(self, loss: PairLoss) -> None:
        assert self.read(repr(loss), loss) == loss

    def test_the_mean_over_parts_is_that_over_all_queries(self, loss: PairLoss) -> None:
        scores, y, query_ptr = case(8)
        value, gradient = loss.value_and_grad(scores, Targets.from_grades(y, query_ptr))
        cuts = itertools.pairwise([0, 2, 3, len(query_ptr) - 1])
        rows = [(query_ptr[first], query_ptr[last]) for first, last in cuts]
        targets = {
            start: Targets.from_grades(
                y[start:stop], query_ptr[(query_ptr >= start) & (query_ptr <= stop)] - start
            )
            for start, stop in rows
        }
        parts = [
            loss.value_and_grad(scores[start:stop], loss.parts_of_one(targets)[start])
            for start, stop in rows
        ]
        assert sum(part[0] for part in parts) == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(
            np.concatenate([part[1] for part in parts]), gradient, atol=1e-12
        )

    @pytest.mark.parametrize("seed", range(3))
    def test_both_weightings_agree_exactly_where_queries_have_equally_many_pairs(
        self, loss: PairLoss, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        y = np.concatenate([rng.permutation([0.0, 1.0, 1.0, 2.0]) for _ in range(7)])
        query_ptr, scores = np.arange(0, 29, 4), rng.normal(size=28)
        targets = Targets.from_grades(y, query_ptr)
        value, gradient = loss.value_and_grad(scores, targets)
        for weighting in WEIGHTINGS:
            other, slopes = type(loss)(weighting).value_and_grad(scores, targets)
            assert other == value
            np.testing.assert_array_equal(slopes, gradient)

    @pytest.mark.parametrize("query", [1, 3])
    @pytest.mark.parametrize("copies", [2, 5])
    def test_with_equal_queries_copies_of_all_documents_of_a_query_change_nothing(
        self, loss: PairLoss, query: int, copies: int
    ) -> None:
        scores, y, query_ptr = uneven(0)
        targets = Targets.from_grades(y, query_ptr)
        start, stop = query_ptr[query], query_ptr[query + 1]
        rows = np.concatenate(
            [np.arange(start), np.repeat(np.arange(start, stop), copies), np.arange(stop, len(y))]
        )
        longer = query_ptr + (copies - 1) * (stop - start) * (query_ptr >= stop)
        more = Targets.from_grades(y[rows], longer)
        assert more.n_pairs > targets.n_pairs
        mean = loss.value_and_grad(scores, targets)[0] / targets.n_pairs
        again = loss.value_and_grad(scores[rows], more)[0] / more.n_pairs
        if loss.weighting == "queries":
            assert again == pytest.approx(mean, rel=1e-12)
        else:
            assert again != pytest.approx(mean, rel=1e-6)

    def test_an_unknown_weighting_is_named(self, loss: PairLoss) -> None:
        with pytest.raises(
            ParameterError, match="weighting must be one of 'pairs', 'queries', but"
        ):
            type(loss)("query")

    def test_scores_of_a_million_give_finite_numbers(self, loss: PairLoss) -> None:
        scores, y, query_ptr = case(6)
        value, gradient = loss.value_and_grad(1e6 * scores, Targets.from_grades(y, query_ptr))
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()

    def test_order_of_rows_and_queries_does_not_matter(self, loss: PairLoss) -> None:
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
