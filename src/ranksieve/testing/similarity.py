"""Laws that every similarity obeys."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from ranksieve import FSMRank, make_ranking
from ranksieve.data import from_arrays, scale
from ranksieve.similarity import Similarity
from ranksieve.testing.base import Suite
from ranksieve.testing.cases import in_blocks, random_arrays, row_ids
from ranksieve.threads import threads


def data_of(
    seed: int,
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return features, grades, the query id per row, and the offsets of queries."""
    X, y, query_ptr = random_arrays(seed)
    return X, y, row_ids(query_ptr), query_ptr


class SimilaritySuite(Suite):
    """Laws that every similarity obeys: `matrix`, `range`, `doubled`."""

    argument: ClassVar[str] = "similarity"
    family: ClassVar[str] = "similarity"

    @pytest.mark.parametrize("seed", range(3))
    def test_matrix_is_finite_and_symmetric(self, similarity: Similarity, seed: int) -> None:
        X, y, qid, _ = data_of(seed)
        matrix = similarity.matrix(from_arrays(X, y, qid))
        assert matrix.shape == (5, 5)
        assert np.isfinite(matrix).all()
        np.testing.assert_array_equal(matrix, matrix.T)

    def test_a_copy_is_as_similar_as_the_feature_itself_to_what_looks_at_the_data(
        self, similarity: Similarity
    ) -> None:
        X, y, qid, _ = data_of(1)
        if not similarity.looks_at_data:
            matrix, of_changed = (
                similarity.matrix(from_arrays(values, y, qid)) for values in (X, np.exp(-X))
            )
            np.testing.assert_array_equal(matrix, of_changed)
            np.testing.assert_array_equal(matrix, np.diag(np.diag(matrix)))
            return
        doubled = similarity.matrix(from_arrays(np.hstack([X, X]), y, qid))
        np.testing.assert_allclose(doubled[:5, 5:], doubled[:5, :5], atol=1e-14)

    def test_it_follows_a_permutation_of_columns(self, similarity: Similarity) -> None:
        X, y, qid, _ = data_of(2)
        columns = np.array([3, 0, 4, 1, 2])
        straight = similarity.matrix(from_arrays(X, y, qid))
        moved = similarity.matrix(from_arrays(X[:, columns], y, qid))
        np.testing.assert_allclose(moved, straight[np.ix_(columns, columns)], atol=1e-14)

    def test_row_and_query_order_do_not_matter(self, similarity: Similarity) -> None:
        rng = np.random.default_rng(0)
        X, y, qid, _ = data_of(3)
        rows = np.concatenate(
            [rng.permutation(np.flatnonzero(qid == q)) for q in rng.permutation(12)]
        )
        np.testing.assert_allclose(
            similarity.matrix(from_arrays(X[rows], y[rows], qid[rows])),
            similarity.matrix(from_arrays(X, y, qid)),
            atol=1e-13,
        )

    @pytest.mark.usefixtures("always_threads")
    def test_blocks_and_threads_do_not_matter(self, similarity: Similarity) -> None:
        X, y, _, query_ptr = data_of(4)
        with threads(1):
            together = similarity.matrix(in_blocks(X, y, query_ptr, []))
        blocks = similarity.matrix(in_blocks(X, y, query_ptr, list(range(1, 12))))
        np.testing.assert_allclose(blocks, together, atol=1e-13)

    @pytest.mark.parametrize("seed", range(3))
    def test_values_lie_within_the_range(self, similarity: Similarity, seed: int) -> None:
        X, y, qid, _ = data_of(seed)
        # Copies, turned copies and constants reach the ends of the range.
        matrix = similarity.matrix(from_arrays(np.hstack([X, -X]), y, qid))
        least, largest = similarity.range
        assert least <= matrix.min()
        assert matrix.max() <= largest

    @pytest.mark.parametrize("seed", range(3))
    def test_no_feature_is_more_similar_to_another_than_to_itself(
        self, similarity: Similarity, seed: int
    ) -> None:
        X, y, qid, _ = data_of(seed)
        varying = X[:, :-1] + 0.0
        matrix = similarity.matrix(from_arrays(np.hstack([varying, varying**3, -varying]), y, qid))
        # For Pearson's, tau-b and rho this is Cauchy and Schwarz's; sums are rounded.
        assert (matrix <= np.diag(matrix)[:, None] + 1e-14).all()

    @pytest.mark.parametrize("m", [2, 5, 70])
    def test_a_feature_and_its_negative_are_at_an_end_of_the_range(
        self, similarity: Similarity, m: int
    ) -> None:
        f = np.random.default_rng(m).permutation(3 * m).astype(np.float64)
        data = from_arrays(np.column_stack([f, -f]), np.zeros(3 * m), np.arange(3 * m) // m)
        matrix = similarity.matrix(data)
        # Which end is in each similarity's docstring and own tests.
        assert np.abs(matrix[0, 1] - np.array(similarity.range)).min() < 1e-14
        assert matrix[0, 0] == pytest.approx(similarity.range[1])

    def test_one_document_queries_alone_give_a_finite_matrix(self, similarity: Similarity) -> None:
        X = np.array([[1.0, 2.0, 5.0], [2.0, 1.0, 5.0], [4.0, 4.0, 5.0]])
        matrix = similarity.matrix(from_arrays(X, np.zeros(3), [1, 2, 3]))
        assert np.isfinite(matrix).all()
        least, largest = similarity.range
        assert least <= matrix.min() <= matrix.max() <= largest

    def test_a_constant_feature_says_the_same_whatever_its_value(
        self, similarity: Similarity
    ) -> None:
        X, y, qid, _ = data_of(0)
        varying = X[:, :-1]
        small = similarity.matrix(from_arrays(np.column_stack([varying, 0.0 * y]), y, qid))
        large = similarity.matrix(
            from_arrays(np.column_stack([varying, 0.0 * y + 1e8 / 3]), y, qid)
        )
        assert np.isfinite(small).all()
        np.testing.assert_array_equal(small, large)

    @pytest.mark.parametrize("seed", range(3))
    def test_two_features_that_are_both_negated_are_as_similar_as_before(
        self, similarity: Similarity, seed: int
    ) -> None:
        X, y, qid, _ = data_of(seed)
        np.testing.assert_allclose(
            similarity.matrix(from_arrays(-X, y, qid)),
            similarity.matrix(from_arrays(X, y, qid)),
            atol=1e-13,
        )

    @pytest.mark.parametrize("seed", range(3))
    def test_mirror_images_are_those_of_explicitly_negated_features(
        self, similarity: Similarity, seed: int
    ) -> None:
        X, y, qid, query_ptr = data_of(seed)
        explicit = similarity.matrix(from_arrays(np.hstack([X, -X]), y, qid))
        for data in (from_arrays(X, y, qid), in_blocks(X, y, query_ptr, [2, 7])):
            alike, mirrored = similarity.doubled(data)
            np.testing.assert_allclose(alike, np.abs(explicit[:5, :5]), atol=1e-13)
            expected = explicit[:5, :5] if not similarity.looks_at_data else explicit[:5, 5:]
            np.testing.assert_allclose(mirrored, np.abs(expected), atol=1e-13)
            np.testing.assert_array_equal(mirrored, mirrored.T)
            again = similarity.doubled(data, similarity.matrix(data))
            for part, other in zip(again, (alike, mirrored), strict=True):
                np.testing.assert_allclose(part, other, atol=1e-13)

    @pytest.mark.parametrize("seed", range(3))
    def test_a_mirror_image_changes_the_sign_of_its_weight_in_fsmrank_and_nothing_else(
        self, similarity: Similarity, seed: int
    ) -> None:
        data = scale(make_ranking(25, 10, n_relevant=3, n_redundant=3, random_state=seed)[0])
        X = np.round(data.X * 16) / 16  # so that 1 - f is exact, and has ties
        flipped = np.where(np.arange(X.shape[1]) % 2 == seed % 2, -1.0, 1.0)
        Z = np.where(flipped < 0, 1 - X, X)
        options: dict[str, Any] = {"similarity": similarity, "tol": 1e-11, "max_iter": 500}
        straight, mirrored = (
            FSMRank(0.2, 0.002, **options).fit(values, data.y, qid=data.qid) for values in (X, Z)
        )
        assert mirrored.objective_ == pytest.approx(straight.objective_, rel=1e-9)
        np.testing.assert_allclose(mirrored.coef_, flipped * straight.coef_, atol=1e-5)
        np.testing.assert_allclose(mirrored.scores_, straight.scores_, atol=1e-4)
        assert mirrored.n_features_ == straight.n_features_ > 2
        assert mirrored.n_clipped_eigenvalues_ == straight.n_clipped_eigenvalues_
        assert mirrored.similarity_shift_ == pytest.approx(straight.similarity_shift_, abs=1e-12)
