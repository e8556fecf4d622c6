from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.columns.profiles import profile_columns
from tests.reference.cases import random_arrays


def profile(X, query_ptr, first_document=0):
    p = X.shape[1]
    ranges, zeros, hashes = np.empty((2, p)), np.empty(p, np.int64), np.empty(p, np.uint64)
    with np.errstate(over="ignore"):
        profile_columns(X, query_ptr, first_document, ranges, zeros, hashes)
    return ranges, zeros, hashes


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ranges_and_zeros_are_those_of_numpy(seed, dtype):
    X, _, query_ptr = random_arrays(seed, dtype=dtype)
    ranges, zeros, _ = profile(X, query_ptr)
    np.testing.assert_array_equal(ranges, [X.min(axis=0), X.max(axis=0)])
    np.testing.assert_array_equal(zeros, (X == 0).sum(axis=0))


def test_hashes_of_pieces_add_up_to_that_of_the_whole():
    X, _, query_ptr = random_arrays(2)
    cut = 5
    left, right = (
        profile(X, query_ptr[: cut + 1]),
        profile(X, query_ptr[cut:], first_document=int(query_ptr[cut])),
    )
    np.testing.assert_array_equal(left[2] + right[2], profile(X, query_ptr)[2])


def test_equal_columns_have_equal_hashes_and_others_do_not():
    values = np.array([0.0, 1.0, 2.0, 1.0])
    signed = np.array([-0.0, 1.0, 2.0, 1.0])
    moved = np.array([1.0, 0.0, 2.0, 1.0])
    X = np.asfortranarray(np.stack([values, signed, moved, 2 * values], axis=1))
    hashes = profile(X, np.array([0, 4]))[2]
    assert hashes[0] == hashes[1]
    assert len(set(hashes.tolist())) == 3
