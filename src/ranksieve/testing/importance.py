"""Laws that every importance obeys."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from ranksieve import make_ranking
from ranksieve.data import from_arrays
from ranksieve.importance import Importance, as_importance, scores_together
from ranksieve.testing.base import Suite
from ranksieve.testing.cases import in_blocks, random_arrays, row_ids


def mixed_data(
    seed: int, n_queries: int = 40
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Weak and strong features, noise, a constant, a property of the query, and rare values."""
    rng = np.random.default_rng(seed)
    query_ptr = np.arange(n_queries + 1) * 12
    y = rng.integers(0, 3, size=query_ptr[-1]).astype(np.float64)
    y[query_ptr[1] : query_ptr[2]] = 1.0
    qid = row_ids(query_ptr)
    rare = np.zeros(len(y))
    rare[np.argmax(y)] = 1.0
    one_query = np.where(qid == 5, y, 0.0)
    X = np.column_stack(
        [
            y + rng.normal(size=len(y)),
            rng.normal(size=len(y)) - y,
            rng.normal(size=len(y)),
            np.full(len(y), 0.1),
            0.1 * qid + 0.3,
            rare,
            one_query,
            -one_query,
        ]
    )
    return X, y, qid


def sees_only_the_order(importance: Any) -> bool:
    """Tell whether an importance that ranks by a feature is the same for all with its order."""
    if not hasattr(importance, "both_directions"):
        return False
    X, y, query_ptr = random_arrays(0)
    straight, curved = (
        importance.scores(from_arrays(values, y, row_ids(query_ptr))) for values in (X, np.exp(X))
    )
    return bool(np.allclose(straight, curved, rtol=1e-12))


class ImportanceSuite(Suite):
    """Laws that every importance obeys: `scores`, `directions`, `better_than_random`."""

    argument: ClassVar[str] = "importance"
    family: ClassVar[str] = "importance"

    def averaged(self, importance: Any, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what is averaged over queries or pairs, where scores are a curve of it."""
        return scores

    @pytest.mark.parametrize("seed", range(2))
    def test_scores_are_finite_and_one_per_feature(self, importance: Importance, seed: int) -> None:
        X, y, query_ptr = random_arrays(seed)
        scores = importance.scores(from_arrays(X, y, row_ids(query_ptr)))
        assert scores.shape == (5,)
        assert np.isfinite(scores).all()

    def test_scores_follow_a_permutation_of_columns(self, importance: Importance) -> None:
        X, y, query_ptr = random_arrays(2)
        columns = np.array([3, 0, 4, 1, 2])
        straight = importance.scores(from_arrays(X, y, row_ids(query_ptr)))
        moved = importance.scores(from_arrays(X[:, columns], y, row_ids(query_ptr)))
        np.testing.assert_array_equal(moved, straight[columns])

    def test_row_and_query_order_do_not_matter(self, importance: Importance) -> None:
        rng = np.random.default_rng(0)
        X, y, query_ptr = random_arrays(3)
        qid = row_ids(query_ptr)
        rows = np.concatenate(
            [rng.permutation(np.flatnonzero(qid == q)) for q in rng.permutation(12)]
        )
        np.testing.assert_allclose(
            importance.scores(from_arrays(X[rows], y[rows], qid[rows])),
            importance.scores(from_arrays(X, y, qid)),
            rtol=1e-12,
        )

    def test_blocks_do_not_matter(self, importance: Importance) -> None:
        X, y, query_ptr = random_arrays(4)
        np.testing.assert_allclose(
            importance.scores(in_blocks(X, y, query_ptr, [1, 2, 9])),
            importance.scores(in_blocks(X, y, query_ptr, [])),
            rtol=1e-12,
        )

    def test_a_constant_feature_has_no_direction_and_the_floor_of_scores(
        self, importance: Importance
    ) -> None:
        _, y, query_ptr = random_arrays(5)
        rng = np.random.default_rng(0)
        X = np.column_stack([np.full(len(y), 0.5), y, -y, rng.random(len(y))])
        data = from_arrays(X, y, row_ids(query_ptr))
        scores = importance.scores(data)
        assert scores[0] <= min(scores[1], scores[2])
        if hasattr(importance, "both_directions"):
            upwards, downwards = importance.both_directions(data)
            assert upwards[0] == pytest.approx(downwards[0], rel=1e-14)
        else:
            assert scores[0] == 0.0

    def test_a_constant_feature_scores_as_random_orders_do_on_average(
        self, importance: Any
    ) -> None:
        rng = np.random.default_rng(0)
        _, y, query_ptr = random_arrays(5, n_queries=4, largest=5)
        qid = row_ids(query_ptr)
        if not sees_only_the_order(importance):
            # Random values have no one scale; but no constant is better than another.
            constants = np.full((len(y), 3), [0.5, 7.0, -1e9])
            assert np.ptp(importance.scores(from_arrays(constants, y, qid))) == 0.0
            return
        constant, _ = importance.both_directions(from_arrays(np.full((len(y), 1), 0.5), y, qid))
        random_orders, _ = importance.both_directions(
            from_arrays(rng.random((len(y), 4000)), y, qid)
        )
        level, levels = (self.averaged(importance, each) for each in (constant, random_orders))
        assert abs(level[0] - levels.mean()) <= 5 * levels.std() / np.sqrt(4000) + 1e-12

    def test_directions_are_plus_or_minus_one_and_turn_with_the_feature(
        self, importance: Importance
    ) -> None:
        X, y, query_ptr = random_arrays(6)
        X = np.column_stack([y, -y, X])
        directions = importance.directions(from_arrays(X, y, row_ids(query_ptr)))
        assert set(directions) <= {1.0, -1.0}
        assert directions[:2].tolist() == [1.0, -1.0]

    def test_together_it_scores_as_alone(self, importance: Importance) -> None:
        X, y, query_ptr = random_arrays(7)
        data = in_blocks(X, y, query_ptr, [3, 4])
        first, second, third = scores_together([importance, "map", importance], data)
        np.testing.assert_array_equal(first, importance.scores(data))
        np.testing.assert_array_equal(second, as_importance("map").scores(data))
        np.testing.assert_array_equal(third, first)

    @pytest.mark.parametrize(
        "qid", [[1, 1, 1, 2, 2, 2], range(6)], ids=["one grade", "one-document queries"]
    )
    def test_nothing_to_learn_from_gives_equal_finite_scores(
        self, importance: Importance, qid: Any
    ) -> None:
        X = np.random.default_rng(0).permutation(6).reshape(6, 1) + np.zeros((1, 3))
        scores = importance.scores(from_arrays(X, [1] * 6, qid))
        assert np.isfinite(scores).all()
        assert np.ptp(scores) == 0.0

    def test_a_planted_feature_scores_above_noise_to_what_looks_at_grades(
        self, importance: Importance
    ) -> None:
        data, truth = make_ranking(200, n_relevant=1, n_redundant=0, n_irrelevant=5, random_state=1)
        scores = importance.scores(data)
        if not importance.looks_at_grades:
            np.testing.assert_array_equal(scores, np.ones(6))
            return
        assert scores.argmax() == truth.relevant[0]

    def test_what_does_not_look_at_grades_is_the_same_for_other_grades(
        self, importance: Importance
    ) -> None:
        X, y, query_ptr = random_arrays(8)
        scores, reversed_scores = (
            importance.scores(from_arrays(X, grades, row_ids(query_ptr)))
            for grades in (y, y.max() - y)
        )
        assert importance.looks_at_grades or np.array_equal(scores, reversed_scores)

    @pytest.mark.parametrize("seed", range(3))
    def test_features_that_order_no_query_or_one_are_not_better_than_random(
        self, importance: Importance, seed: int
    ) -> None:
        X, y, qid = mixed_data(seed)
        better = importance.better_than_random(from_arrays(X, y, qid))
        assert better.dtype == bool
        assert not better[3:].any()

    @pytest.mark.parametrize("seed", range(3))
    def test_features_that_help_in_most_queries_are_better_than_random(
        self, importance: Importance, seed: int
    ) -> None:
        X, y, qid = mixed_data(seed)
        strong = np.column_stack([y, -y, 3 * y + X[:, 2]])
        # Copies that a model has side by side share what they are worth to it.
        sets = [strong] if importance.looks_alone else np.hsplit(strong, 3)
        better = np.concatenate(
            [importance.better_than_random(from_arrays(part, y, qid)) for part in sets]
        )
        # What does not look at grades shows nothing about any feature.
        assert (better == importance.looks_at_grades).all()

    def test_what_is_better_than_random_follows_columns_rows_queries_and_blocks(
        self, importance: Importance
    ) -> None:
        rng = np.random.default_rng(0)
        X, y, qid = mixed_data(4)
        straight = importance.better_than_random(from_arrays(X, y, qid))
        columns = rng.permutation(X.shape[1])
        moved = importance.better_than_random(from_arrays(X[:, columns], y, qid))
        np.testing.assert_array_equal(moved, straight[columns])
        rows = np.concatenate(
            [rng.permutation(np.flatnonzero(qid == q)) for q in rng.permutation(40)]
        )
        moved = importance.better_than_random(from_arrays(X[rows], y[rows], qid[rows]))
        np.testing.assert_array_equal(moved, straight)
        query_ptr = np.arange(41) * 12
        in_parts = importance.better_than_random(in_blocks(X, y, query_ptr, [1, 2, 30]))
        np.testing.assert_array_equal(in_parts, straight)

    def test_a_feature_and_its_mirror_image_are_better_than_random_together(
        self, importance: Importance
    ) -> None:
        X, y, qid = mixed_data(5)
        X = X if hasattr(importance, "both_directions") else X[:, [3, 4, 5, 6, 7]]  # bins need not
        np.testing.assert_array_equal(
            importance.better_than_random(from_arrays(-X, y, qid)),
            importance.better_than_random(from_arrays(X, y, qid)),
        )

    def test_about_one_in_twenty_features_of_noise_is_taken_for_better(
        self, importance: Importance
    ) -> None:
        rng = np.random.default_rng(1)
        _, y, qid = mixed_data(0)
        noise = rng.normal(size=(len(y), 400))
        share = importance.better_than_random(from_arrays(noise, y, qid)).mean()
        # 5 per cent with four standard errors of a share of 400 is 0.09. Values of queries that are
        # mostly 1 and rarely far below, as reciprocal ranks are here, make Student's test too lax.
        assert share <= 0.12

    def test_a_rating_is_the_scores_and_what_is_better_than_random(
        self, importance: Importance
    ) -> None:
        X, y, qid = mixed_data(2)
        data = from_arrays(X, y, qid)
        rating = importance.rating(data)
        np.testing.assert_array_equal(rating.scores, importance.scores(data))
        np.testing.assert_array_equal(
            rating.better_than_random, importance.better_than_random(data)
        )
        if hasattr(importance, "both_directions"):
            np.testing.assert_array_equal(rating.falling, importance.both_directions(data)[0])
        else:
            np.testing.assert_array_equal(rating.falling, rating.scores)

    @pytest.mark.parametrize(
        ("y", "qid"),
        [([1] * 6, [1, 1, 1, 2, 2, 2]), ([0, 1, 2] * 2, range(6)), ([0, 1, 2] * 2, [1] * 6)],
        ids=["one grade", "one-document queries", "one query"],
    )
    def test_without_two_queries_to_compare_nothing_is_better_than_random(
        self, importance: Importance, y: Any, qid: Any
    ) -> None:
        X = np.random.default_rng(0).permutation(6).reshape(6, 1) + np.zeros((1, 3))
        assert not importance.better_than_random(from_arrays(X, y, qid)).any()
