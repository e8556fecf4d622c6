from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.importance.mutual_information import MutualInformationImportance
from ranksieve.importance.pearson import PearsonImportance
from ranksieve.importance.spearman import SpearmanImportance
from tests.reference import importance as reference
from tests.reference.cases import in_blocks, random_arrays, row_ids


@pytest.mark.parametrize("seed", range(6))
def test_spearman_is_the_mean_correlation_of_average_ranks(seed):
    X, y, query_ptr = random_arrays(seed, largest=30)
    if seed % 2:
        y = np.random.default_rng(seed).random(len(y))
    upwards, downwards = SpearmanImportance().both_directions(from_arrays(X, y, row_ids(query_ptr)))
    expected = [reference.spearman(f, y, query_ptr) for f in X.T]
    np.testing.assert_allclose(upwards, expected, atol=1e-14)
    np.testing.assert_array_equal(downwards, -upwards)


def test_spearman_leaves_out_queries_of_one_grade():
    X = np.array([[1], [2], [5], [4.0]])
    voters = SpearmanImportance().scores(from_arrays(X, [0, 1, 1, 1], [1, 1, 2, 2]))
    nobody = SpearmanImportance().scores(from_arrays(X, [1, 1, 1, 1], [1, 1, 2, 2]))
    assert (voters[0], nobody[0]) == (pytest.approx(1.0), 0.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shift", [0.0, 1e7])
def test_pearson_is_the_absolute_correlation_over_all_documents(seed, shift):
    X, y, query_ptr = random_arrays(seed)
    X = X + shift
    expected = np.abs(np.corrcoef(X[:, :-1] - shift, y, rowvar=False)[-1, :-1])
    for data in (from_arrays(X, y, row_ids(query_ptr)), in_blocks(X, y, query_ptr, [1, 5, 6])):
        scores = PearsonImportance().scores(data)
        np.testing.assert_allclose(scores[:-1], expected, atol=1e-8 if shift else 1e-13)
        assert scores[-1] == 0.0


def test_pearson_of_constants_is_zero_to_the_last_digit():
    n = 1000
    X = np.full((n, 2), [0.1, 1e17 / 3])
    y = np.random.default_rng(0).integers(0, 3, n)
    np.testing.assert_array_equal(PearsonImportance().scores(from_arrays(X, y, [1] * n)), 0.0)
    noise = np.random.default_rng(1).random((n, 2))
    one_grade = from_arrays(noise, np.full(n, 1 / 3), [1] * n)
    np.testing.assert_array_equal(PearsonImportance().scores(one_grade), 0.0)


def test_pearson_survives_the_largest_numbers():
    X = np.array([[-1e300, 1e-300], [1e300, 2e-300], [1e300, 1e-300]])
    scores = PearsonImportance().scores(from_arrays(X, [0, 1, 1], [1, 1, 1]))
    np.testing.assert_allclose(scores, [1.0, 0.5])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_bins", [2, 10])
def test_mutual_information_is_that_of_the_binned_places(seed, n_bins):
    X, y, query_ptr = random_arrays(seed, largest=30)
    data = from_arrays(X, y, row_ids(query_ptr))
    expected = []
    for f in X.T:
        bins = reference.place_bins(f, query_ptr, n_bins)
        counted = bins >= 0
        expected.append(mutual_info_score(bins[counted], y[counted]) / np.log(2))
    scores = MutualInformationImportance(n_bins).scores(data)
    np.testing.assert_allclose(scores, expected, atol=1e-14)


def test_mutual_information_sees_that_middle_values_are_best():
    data = from_arrays(
        np.tile(np.arange(10.0), 20)[:, None],
        np.tile([0] * 4 + [1] * 2 + [0] * 4, 20),
        np.repeat(np.arange(20), 10),
    )
    # The place decides the grade: all of H(1/5, 4/5).
    entropy = -(0.2 * np.log2(0.2) + 0.8 * np.log2(0.8))
    assert MutualInformationImportance().scores(data)[0] == pytest.approx(entropy)
    assert SpearmanImportance().scores(data)[0] == pytest.approx(0.0, abs=1e-15)


def test_mutual_information_names_what_it_cannot_take():
    data = from_arrays(np.ones((2, 1)), [0.5, 1], [1, 1])
    with pytest.raises(DataError, match="mutual information needs whole grades"):
        MutualInformationImportance().scores(data)
    with pytest.raises(ParameterError, match="n_bins must be a whole number of at least 2"):
        MutualInformationImportance(1).scores(data)


def test_queries_of_one_document_say_nothing():
    data = from_arrays(np.arange(6.0)[:, None], [0, 1, 2, 0, 1, 2], range(6))
    assert MutualInformationImportance().scores(data)[0] == 0.0
    assert SpearmanImportance().scores(data)[0] == 0.0


def test_pearson_of_one_grade_is_zero_over_many_pieces():
    rng = np.random.default_rng(0)
    n = 30_000
    X = rng.normal(size=(n, 2)) + np.repeat([0.0, 1.0], n // 2)[:, None]
    data = from_arrays(X, np.full(n, 0.1), np.arange(n) // 7)
    np.testing.assert_array_equal(PearsonImportance().scores(data), 0.0)


@pytest.mark.parametrize("size", [1e160, 1e300, 1e-200])
def test_pearson_does_not_change_with_the_size_of_grades(size):
    X, y, query_ptr = random_arrays(3)
    plain = PearsonImportance().scores(from_arrays(X, y, row_ids(query_ptr)))
    scaled = PearsonImportance().scores(from_arrays(X, y * size, row_ids(query_ptr)))
    np.testing.assert_allclose(scaled, plain, rtol=1e-12)


def test_too_many_bins_are_refused():
    data = from_arrays(np.ones((2, 1)), [0, 1], [1, 1])
    with pytest.raises(ParameterError, match="n_bins must be at most 1,000"):
        MutualInformationImportance(10**22).scores(data)
