import numpy as np
import pytest

from ranksieve.kernels.columns.hashing import add_column_hash


def hashed(X, first_document=0, first_column=0):
    sums = np.zeros(2, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column, values in enumerate(np.asarray(X, dtype=np.float64).T, start=first_column):
            words = (values + 0.0).view(np.uint64)
            add_column_hash(words, first_document, column, sums)
    return tuple(sums.tolist())


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32)


@pytest.mark.parametrize("cut", range(1, 7))
def test_hashes_of_two_parts_add_up_to_that_of_the_whole(X, cut):
    first, second = hashed(X[:cut]), hashed(X[cut:], first_document=cut)
    assert hashed(X) == tuple((a + b) % 2**64 for a, b in zip(first, second, strict=True))


def test_exchanged_rows_columns_and_values_change_both_hashes(X):
    whole = hashed(X)
    changed = X.copy()
    changed[3, 1] = np.nextafter(changed[3, 1], np.float32(9))
    others = [hashed(X[::-1]), hashed(X[:, ::-1]), hashed(changed), hashed(X, first_column=1)]
    for other in others:
        assert whole[0] != other[0]
        assert whole[1] != other[1]


def test_a_column_far_beyond_the_matrix_has_a_hash_of_its_own(X):
    assert hashed(X, first_column=1 << 40) != hashed(X)
