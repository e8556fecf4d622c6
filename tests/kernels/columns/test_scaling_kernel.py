from itertools import pairwise

import numpy as np
import pytest

from ranksieve.kernels.columns.scaling import minmax_by_query, zscore_by_query


def scaled(kernel, values, query_ptr, dtype=np.float64):
    X = np.asfortranarray(np.array(values, dtype=dtype).reshape(len(values), -1))
    out = np.full((query_ptr[-1] - query_ptr[0], X.shape[1]), 99.0, dtype=dtype, order="F")
    kernel(X, np.array(query_ptr), out)
    return out


def test_minmax_by_hand():
    out = scaled(minmax_by_query, [1, 2, 5, 10, 20], [0, 3, 5])
    np.testing.assert_array_equal(out[:, 0], [0, (2 - 1) / (5 - 1), 1, 0, 1])


def test_zscore_by_hand():
    out = scaled(zscore_by_query, [1, 3, 8], [0, 2, 3])
    np.testing.assert_allclose(out[:, 0], [(1 - 2) / 1, (3 - 2) / 1, 0], rtol=1e-15)


@pytest.mark.parametrize("kernel", [minmax_by_query, zscore_by_query])
def test_a_constant_and_a_lonely_document_become_zero(kernel):
    np.testing.assert_array_equal(scaled(kernel, [4, 4, 4, 7], [0, 3, 4])[:, 0], 0)


@pytest.mark.parametrize("kernel", [minmax_by_query, zscore_by_query])
def test_rows_before_the_first_offset_are_passed_over(kernel):
    part = scaled(kernel, [9, 9, 1, 2, 5, 9], [2, 5])
    np.testing.assert_array_equal(part, scaled(kernel, [1, 2, 5], [0, 3]))


@pytest.mark.parametrize("kernel", [minmax_by_query, zscore_by_query])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_widest_range_does_not_overflow(kernel, dtype):
    most = np.finfo(dtype).max
    with np.errstate(all="raise", under="ignore"):
        out = scaled(kernel, [-most, 0, most], [0, 3], dtype)
    spread = np.sqrt(1.5) if kernel is zscore_by_query else 0.5
    shift = 0.0 if kernel is zscore_by_query else 0.5
    np.testing.assert_allclose(out[:, 0], shift + spread * np.array([-1, 0, 1]), rtol=1e-6)


def test_a_small_spread_around_a_large_mean_is_kept():
    out = scaled(zscore_by_query, [1e9, 1e9 + 1e-6, 1e9 + 2e-6], [0, 3])
    exact = np.array([1e9, 1e9 + 1e-6, 1e9 + 2e-6]) - 1e9
    np.testing.assert_allclose(out[:, 0], (exact - exact.mean()) / exact.std(), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_both_equal_numpy_a_query_at_a_time(seed):
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.normal(3, 5, size=(30, 4)))
    ptr = np.array([0, 7, 18, 30])
    low, high = np.empty_like(X), np.empty_like(X)
    minmax_by_query(X, ptr, low)
    zscore_by_query(X, ptr, high)
    for start, stop in pairwise(ptr):
        part = X[start:stop]
        expected = (part - part.min(axis=0)) / np.ptp(part, axis=0)
        np.testing.assert_allclose(low[start:stop], expected, rtol=1e-12, atol=1e-12)
        expected = (part - part.mean(axis=0)) / part.std(axis=0)
        np.testing.assert_allclose(high[start:stop], expected, rtol=1e-10, atol=1e-10)
