from __future__ import annotations

import numpy as np
import pytest

from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
from ranksieve.importance import as_importance
from ranksieve.importance.cross_entropy import CrossEntropyImportance
from ranksieve.importance.pair_error import PairErrorImportance
from tests.reference import importance as reference
from tests.reference.cases import random_arrays, row_ids

CASES = [
    pytest.param(PairErrorImportance(), reference.pair_error, id="pair-error"),
    pytest.param(CrossEntropyImportance(), reference.cross_entropy, id="cross-entropy"),
]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("importance", "slow"), CASES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_directions_equal_the_loss_over_written_out_pairs(importance, slow, seed, dtype):
    X, y, query_ptr = random_arrays(seed, largest=30, dtype=dtype)
    if seed % 2:
        y = np.random.default_rng(seed).random(len(y))  # any number of grades
    upwards, downwards = importance.both_directions(from_arrays(X, y, row_ids(query_ptr)))
    np.testing.assert_allclose(upwards, [slow(f, y, query_ptr) for f in X.T], rtol=1e-13)
    np.testing.assert_allclose(downwards, [slow(-f, y, query_ptr) for f in X.T], rtol=1e-13)


def test_one_wrong_pair_of_five_and_a_tie():
    # Grades 0 0 1 2: five pairs. Values 1 2 4 3 break one; with 4 = 3 that pair is half wrong.
    X = np.array([[1, 1], [2, 2], [4, 3], [3, 3.0]])
    scores = PairErrorImportance().scores(from_arrays(X, [0, 0, 1, 2], [1] * 4))
    np.testing.assert_allclose(scores, [1 / (1 + 1 / 5), 1 / (1 + 0.5 / 5)])


def test_pairs_count_alike_whatever_their_query():
    # Query 1 has one pair, wrong; query 2 has six, right. Six of seven, not one of two.
    X = np.array([[2], [1], *[[i] for i in range(4)]], dtype=float)
    y, qid = [0, 1, 0, 1, 2, 3], [1, 1, 2, 2, 2, 2]
    assert PairErrorImportance().scores(from_arrays(X, y, qid))[0] == pytest.approx(1 / (1 + 1 / 7))


@pytest.mark.parametrize(
    ("importance", "loss"), [(PairErrorImportance(), 0.5), (CrossEntropyImportance(), np.log(2))]
)
def test_without_pairs_every_feature_scores_as_a_constant_one(importance, loss):
    X = np.random.default_rng(0).random((6, 3))
    one_grade = from_arrays(X, [1] * 6, [1, 1, 1, 2, 2, 2])
    single_documents = from_arrays(X, [0, 1, 2, 0, 1, 2], range(6))
    constant = from_arrays(np.ones((6, 3)), [0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2])
    for data in (one_grade, single_documents, constant):
        np.testing.assert_allclose(importance.scores(data), 1 / (1 + loss), rtol=1e-15)


def test_cross_entropy_does_not_change_with_the_scale_of_a_query():
    X, y, query_ptr = random_arrays(1)
    rng = np.random.default_rng(1)
    factor = np.repeat(rng.uniform(0.1, 1e6, len(query_ptr) - 1), np.diff(query_ptr))
    moved = X * factor[:, None] + 3.0
    np.testing.assert_allclose(
        CrossEntropyImportance().scores(from_arrays(moved, y, row_ids(query_ptr))),
        CrossEntropyImportance().scores(from_arrays(X, y, row_ids(query_ptr))),
        rtol=1e-9,
    )


def test_cross_entropy_survives_the_largest_numbers():
    largest = np.finfo(np.float64).max
    data = from_arrays(np.array([[-largest], [largest]]), [0, 1], [1, 1])
    expected = 1 / (1 + np.log1p(np.exp(-1.0)))
    assert CrossEntropyImportance().scores(data)[0] == pytest.approx(expected, rel=1e-14)


def test_directions_are_those_of_the_lower_loss():
    X, y, query_ptr = random_arrays(2)
    X = np.column_stack([y, -y, X[:, 0]])
    data = from_arrays(X, y, row_ids(query_ptr))
    for importance in (PairErrorImportance(), CrossEntropyImportance()):
        assert importance.directions(data)[:2].tolist() == [1.0, -1.0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("shifted", "slow"), CASES)
def test_printed_inverse_is_one_over_the_loss_and_orders_features_alike(shifted, slow, seed):
    X, y, query_ptr = random_arrays(seed)
    data = from_arrays(X, y, row_ids(query_ptr))
    printed = as_importance(f"{type(shifted).__name__}(inverse='printed')")
    losses = [1 / max(slow(f, y, query_ptr), slow(-f, y, query_ptr)) - 1 for f in X.T]
    np.testing.assert_allclose(printed.scores(data), 1 / np.array(losses), rtol=1e-12)
    np.testing.assert_array_equal(printed.directions(data), shifted.directions(data))
    np.testing.assert_array_equal(
        printed.better_than_random(data), shifted.better_than_random(data)
    )


def test_no_loss_counts_as_half_of_one_pair_of_all():
    # Grades 0 0 1 2 have five pairs: the loss of an order without a wrong one counts as 0.5 / 5.
    data = from_arrays(
        np.array([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0], [4.0, 3.0]]), [0, 0, 1, 2], [1] * 4
    )
    scores = PairErrorImportance(inverse="printed").scores(data)
    np.testing.assert_allclose(scores, [10.0, 2.0])
    least = CrossEntropyImportance(inverse="printed").scores(
        from_arrays([[0.0], [1.0]], [0, 1], [1, 1])
    )
    np.testing.assert_allclose(least, 1 / np.log1p(np.exp(-1.0)), rtol=1e-13)


def test_the_inverse_has_a_text_and_is_checked():
    for kind, name in (
        (PairErrorImportance, "pair-error"),
        (CrossEntropyImportance, "cross-entropy"),
    ):
        printed = kind(inverse="printed")
        assert as_importance(f"{name}(inverse='printed')") == printed != kind()
        assert as_importance(repr(printed)) == printed
        assert repr(kind()) == f"{kind.__name__}()"
        with pytest.raises(ParameterError, match="inverse must be one of 'shifted', 'printed'"):
            kind(inverse="plain").scores(from_arrays([[1.0], [2.0]], [0, 1], [1, 1]))
