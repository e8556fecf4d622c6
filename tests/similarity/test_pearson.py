from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ranksieve.data import from_arrays
from ranksieve.similarity import PearsonSimilarity
from tests.reference.cases import in_blocks, ragged_ptr, random_arrays


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrix_is_the_absolute_value_of_numpys_corrcoef(seed, dtype):
    X, y, query_ptr = random_arrays(seed, dtype=dtype)
    similarity = PearsonSimilarity().matrix(in_blocks(X, y, query_ptr, [2, 7]))
    expected = np.abs(np.corrcoef(X[:, :-1].astype(np.float64), rowvar=False))
    np.testing.assert_allclose(similarity[:-1, :-1], expected, atol=1e-13)
    assert not similarity[-1].any()


def exact_squared_correlation(f, g):
    """In fractions, without any rounding."""
    f, g = ([Fraction(float(value)) for value in values] for values in (f, g))
    f, g = ([value - sum(values) / len(values) for value in values] for values in (f, g))
    top = sum(a * b for a, b in zip(f, g, strict=True)) ** 2
    return float(top / (sum(a * a for a in f) * sum(b * b for b in g)))


@pytest.mark.parametrize("spread", [1e-6, 1e-4, 1.0])
def test_a_small_spread_around_a_large_mean_keeps_its_digits(spread):
    rng = np.random.default_rng(0)
    query_ptr = ragged_ptr(rng, 20, 8)
    X = np.asfortranarray(1e8 + spread * rng.normal(size=(query_ptr[-1], 3)))
    X[:, 1] += X[:, 0] - 1e8
    y = np.zeros(len(X))
    similarity = PearsonSimilarity().matrix(in_blocks(X, y, query_ptr, list(range(1, 20))))
    for f, g in ((0, 1), (0, 2), (1, 2)):
        expected = exact_squared_correlation(X[:, f], X[:, g])
        assert similarity[f, g] ** 2 == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-280, 1e280])
def test_squares_of_very_small_and_very_large_values_do_not_leave_the_range_of_numbers(unit):
    X, y, query_ptr = random_arrays(3)
    plain = PearsonSimilarity().matrix(in_blocks(X, y, query_ptr, [4]))
    units = np.array([unit, 1.0, 1 / unit, unit, 1.0])
    scaled = PearsonSimilarity().matrix(in_blocks(X * units, y, query_ptr, [4]))
    np.testing.assert_allclose(scaled, plain, atol=1e-12)


def test_a_feature_that_differs_between_queries_only_has_a_correlation():
    X = [[1.0, 1.0], [1.0, 1.0], [3.0, 5.0], [3.0, 5.0]]
    similarity = PearsonSimilarity().matrix(from_arrays(X, np.zeros(4), [1, 1, 2, 2]))
    np.testing.assert_allclose(similarity, 1.0)


def test_two_blocks_that_are_constant_each_with_another_value_vary_together():
    X, y = np.array([[0.1], [0.1], [0.3], [0.3]]), np.zeros(4)
    data = in_blocks(X, y, np.array([0, 2, 4]), [1])
    assert PearsonSimilarity().matrix(data).tolist() == [[1.0]]


def test_a_feature_and_its_negative_have_one():
    f = np.random.default_rng(0).permutation(30)
    data = from_arrays(np.column_stack([f, -f]), np.zeros(30), np.arange(30) // 10)
    assert PearsonSimilarity().matrix(data)[0, 1] == pytest.approx(1.0)
