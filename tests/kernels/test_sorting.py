from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.sorting import order_descending
from tests.kernels.entries import with_entry

order_descending = with_entry(order_descending)


@pytest.mark.parametrize("m", [0, 1, 2, 12, 13, 24, 25, 37, 150])
@pytest.mark.parametrize("n_values", [1, 3, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_order_is_that_of_a_stable_sort(m, n_values, dtype):
    rng = np.random.default_rng(m + n_values)
    values = rng.integers(0, n_values, size=m).astype(dtype)
    order = np.empty(m, dtype=np.int32)
    order_descending(values, order)
    np.testing.assert_array_equal(order, np.argsort(-values, kind="stable"))


def test_infinities_come_first_and_last():
    values = np.array([0.0, -np.inf, np.inf, 1.0])
    order = np.empty(4, dtype=np.int32)
    order_descending(values, order)
    assert order.tolist() == [2, 3, 0, 1]


@pytest.mark.parametrize("m", [20, 30, 200])
def test_values_that_differ_only_in_their_last_digits_are_told_apart(m):
    rng = np.random.default_rng(m)
    values = 1000.0 + rng.integers(0, 50, size=m) * 1e-12
    values[::3] = -values[::3]
    order = np.empty(m, dtype=np.int32)
    order_descending(values, order)
    np.testing.assert_array_equal(order, np.argsort(-values, kind="stable"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_zeros_are_one_value(dtype):
    values = np.tile(np.array([0.0, -0.0, 1e-30, -1e-30], dtype=dtype), 10)
    order = np.empty(40, dtype=np.int32)
    order_descending(values, order)
    np.testing.assert_array_equal(order, np.argsort(-values, kind="stable"))
