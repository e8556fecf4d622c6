from __future__ import annotations

import numpy as np
import pytest

from ranksieve import load
from ranksieve.errors import ParameterError
from ranksieve.penalties import RedundancyPenalty, make_semidefinite
from ranksieve.penalties.redundancy import LEAST_IMPORTANCE
from ranksieve.similarity import PearsonSimilarity


def similarity(seed, n=8):
    return make_semidefinite(np.abs(np.corrcoef(np.random.default_rng(seed).normal(size=(n, 12)))))


def test_value_and_slopes_by_hand():
    penalty = RedundancyPenalty([[1.0, 0.5], [0.5, 1.0]], 2.0, importance=[1.0, 0.25])
    w = np.array([-1.0, 2.0])
    redundancy = 2.0 / 2 * (1 + 2 * 0.5 * 1 * 2 + 4)
    assert penalty.value(w, 0.5) == pytest.approx(redundancy + 0.5 * (1 / 1 + 2 / 0.25))
    slopes = [2.0 * (1 + 0.5 * 2) + 0.5, 2.0 * (0.5 + 2) + 0.5 / 0.25]
    np.testing.assert_allclose(penalty.derivative(w, 0.5), slopes)
    charge = penalty.charge(w, 0.5)
    np.testing.assert_allclose(charge.linear, [0.5, 2.0])
    np.testing.assert_allclose(charge.matrix, [[2.0, 1.0], [1.0, 2.0]])
    assert penalty.critical_strength(np.array([0.3, -2.0])) == pytest.approx(2.0 * 0.25)


def test_a_copy_is_charged_and_an_unrelated_feature_is_not():
    penalty = RedundancyPenalty([[1, 1, 0], [1, 1, 0], [0, 0, 1.0]])
    together = penalty.value(np.array([1.0, 1.0, 0.0]), 0.1)
    apart = penalty.value(np.array([1.0, 0.0, 1.0]), 0.1)
    assert together - apart == pytest.approx(1.0)


def test_without_a_matrix_features_are_similar_to_themselves_alone():
    w = np.array([1.0, -2.0])
    assert RedundancyPenalty().value(w, 0.5) == RedundancyPenalty(np.eye(2)).value(w, 0.5) == 4.0


def mirrored_penalty(seed, n=6):
    A, B = np.random.default_rng(seed).random((2, n, n))
    made = make_semidefinite(A + A.T + np.eye(n), B + B.T)
    return RedundancyPenalty(made.matrix, 1.5, mirrored=made.mirrored), made


def test_opposite_signs_are_charged_with_the_mirrored_similarity():
    A, B = [[1.0, 0.5], [0.5, 1.0]], [[0.0, 0.25], [0.25, 0.0]]
    penalty = RedundancyPenalty(A, 2.0, mirrored=B)
    alike, opposite = np.array([1.0, 2.0]), np.array([-1.0, 2.0])
    assert penalty.value(alike, 0.5) == pytest.approx(1 + 2 * 0.5 * 2 + 4 + 0.5 * 3)
    assert penalty.value(opposite, 0.5) == pytest.approx(1 + 2 * 0.25 * 2 + 4 + 0.5 * 3)
    np.testing.assert_allclose(
        penalty.derivative(alike, 0.5), [2 * (1 + 0.5 * 2) + 0.5, 2 * (0.5 + 2) + 0.5]
    )
    np.testing.assert_allclose(
        penalty.derivative(opposite, 0.5), [2 * (1 + 0.25 * 2) + 0.5, 2 * (0.25 + 2) + 0.5]
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_mirrored_charge_is_that_of_doubled_weights_and_convex(seed):
    rng = np.random.default_rng(seed)
    penalty, made = mirrored_penalty(seed)
    doubled = np.block([[made.matrix, made.mirrored], [made.mirrored, made.matrix]])
    for _ in range(50):
        left, right = rng.normal(size=(2, 6))
        u = np.concatenate([np.maximum(left, 0), np.maximum(-left, 0)])
        expected = 0.75 * u @ doubled @ u + 0.1 * u.sum()
        assert penalty.value(left, 0.1) == pytest.approx(expected)
        middle = penalty.value((left + right) / 2, 0.1)
        assert middle <= (penalty.value(left, 0.1) + penalty.value(right, 0.1)) / 2 + 1e-12


def test_mirrored_similarities_make_other_penalties():
    A, B = np.eye(2), np.zeros((2, 2))
    assert RedundancyPenalty(A, mirrored=B) == RedundancyPenalty(A, mirrored=B)
    assert RedundancyPenalty(A, mirrored=B) != RedundancyPenalty(A)


def test_features_without_importance_are_left_out_and_small_ones_are_floored():
    penalty = RedundancyPenalty(importance=[0.0, np.nan, 1e-12, 1.0])
    charge = penalty.first_charge(4, 0.5)
    assert charge.linear.tolist() == [np.inf, np.inf, 0.5 / LEAST_IMPORTANCE, 0.5]
    assert penalty.critical_strength(np.array([9.0, 9.0, 0.0, 1.0])) == 1.0


def test_equal_parameters_and_arrays_make_equal_penalties():
    first = RedundancyPenalty(np.eye(2), importance=[0.5, np.nan])
    assert first == RedundancyPenalty(np.eye(2), importance=[0.5, np.nan])
    assert hash(first) == hash(RedundancyPenalty())
    assert first != RedundancyPenalty(importance=[0.5, np.nan])
    assert first != RedundancyPenalty(np.eye(2), importance=[0.5, 0.5])
    assert first != "redundancy"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"similarity": [1.0, 2.0]}, "similarity must be features by features, but has the shape"),
        ({"similarity": [[1.0, 0.5], [0.1, 1.0]]}, "similarity must be symmetric and finite"),
        ({"similarity": [[np.nan]]}, "similarity must be symmetric and finite"),
        ({"similarity": [[1.0, -0.5], [-0.5, 1.0]]}, "its least entry is -0.5"),
        ({"similarity": [[1.0, 2.0], [2.0, 1.0]]}, r"eigenvalue -1\. Pass make_semidefinite"),
        ({"mirrored": np.eye(2)}, "mirrored needs a similarity beside it"),
        ({"similarity": np.eye(2), "mirrored": np.eye(3)}, "mirrored must have one value"),
        ({"similarity": np.eye(2), "mirrored": [[0, 2], [2, 0]]}, r"least eigenvalue -0\.5\. Pass"),
        ({"similarity": np.eye(2), "mirrored": [[0, -1], [-1, 0]]}, "the least entry is -1 and"),
        ({"importance": [1.0, -1.0]}, "importance must be a vector of numbers of at least 0"),
        ({"importance": [np.inf]}, "importance must be a vector"),
    ],
)
def test_what_would_not_be_convex_is_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        RedundancyPenalty(**parameters)


def test_matrices_for_another_number_of_features_are_refused():
    with pytest.raises(ParameterError, match="similarity must have one value per feature"):
        RedundancyPenalty(np.eye(2)).value(np.zeros(3), 1.0)
    with pytest.raises(ParameterError, match="importance must have one value per feature"):
        RedundancyPenalty(importance=[1.0]).value(np.zeros(3), 1.0)


@pytest.mark.parametrize("seed", range(10))
def test_any_symmetric_matrix_is_made_semidefinite_and_nonnegative(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(7, 7)) if seed % 2 else rng.random((7, 7))
    A = A + A.T
    made = make_semidefinite(A)
    values = np.linalg.eigvalsh(A)
    assert made.matrix.min() >= 0.0
    assert np.linalg.eigvalsh(made.matrix)[0] >= -1e-12
    np.testing.assert_array_equal(made.matrix, made.matrix.T)
    assert made.n_negative == (values < 0).sum()
    assert made.least_eigenvalue == pytest.approx(values[0])
    # Clipping is the nearest matrix, and the rest of the change is the shift.
    distance = np.linalg.norm(made.matrix - made.shift - A)
    assert distance == pytest.approx(np.linalg.norm(values[values < 0]), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_charge_with_a_mended_matrix_is_convex_in_the_weights(seed):
    rng = np.random.default_rng(seed)
    A = rng.random((6, 6))
    penalty = RedundancyPenalty(make_semidefinite(A + A.T).matrix)
    for _ in range(100):
        left, right = rng.normal(size=(2, 6))
        middle = penalty.value((left + right) / 2, 0.1)
        assert middle <= (penalty.value(left, 0.1) + penalty.value(right, 0.1)) / 2 + 1e-12


def test_a_matrix_that_needs_nothing_is_returned_as_it_is():
    B = np.random.default_rng(0).random((5, 3))
    for A in (np.eye(4), B @ B.T, np.zeros((2, 2)), np.ones((3, 3)), np.zeros((0, 0))):
        made = make_semidefinite(A)
        assert made.matrix is A
        assert (made.n_negative, made.shift) == (0, 0.0)


def test_a_semidefinite_matrix_with_a_negative_entry_is_only_shifted():
    made = make_semidefinite(np.array([[1.0, -0.25], [-0.25, 1.0]]))
    np.testing.assert_array_equal(made.matrix, [[1.25, 0.0], [0.0, 1.25]])
    assert made.shift == 0.25
    assert made.least_eigenvalue == pytest.approx(0.75)


@pytest.mark.slow
def test_absolute_correlations_of_real_features_need_mending(real_data):
    data = load(real_data / "MSLR-sample" / "train.txt")
    raw = PearsonSimilarity().matrix(data)
    made = make_semidefinite(raw)
    assert made.least_eigenvalue == pytest.approx(-0.84, abs=0.005)
    assert made.n_negative > 0
    assert made.matrix.min() >= 0.0
    assert np.linalg.eigvalsh(made.matrix)[0] > -1e-10
    RedundancyPenalty(made.matrix)
    with pytest.raises(ParameterError, match="make_semidefinite"):
        RedundancyPenalty(raw)
