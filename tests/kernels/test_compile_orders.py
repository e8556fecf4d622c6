"""Features of one column or one row use the kernel of all others, and get the same results."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.columns.scans import first_missing
from ranksieve.kernels.compile import INTERPRETED, EntryCompiler, compiled
from ranksieve.kernels.linear.products import scores_of_rows

pytestmark = pytest.mark.skipif(
    INTERPRETED or EntryCompiler is None,
    reason="nothing is compiled, or by a numba with other stages",
)


def weighted_sum(X, weights):
    total = 0.0
    for column in range(X.shape[1]):
        for row in range(X.shape[0]):
            total += X[row, column] * weights[column] * (row + 1)
    return total


def written_out(X, weights):
    rows = np.arange(1, len(X) + 1)
    return float(sum(value * row for value, row in zip(X @ weights, rows, strict=True)))


def layouts(kernel):
    return sorted(str(kinds[0].layout) for kinds in kernel.signatures)


@pytest.fixture
def kernel():
    """A kernel for each test alone, which is not kept on disk."""
    from ranksieve.kernels.compile import _dispatcher
    from ranksieve.kernels.compile_orders import in_column_order

    kernel = _dispatcher(weighted_sum)
    in_column_order(kernel)
    return kernel


@pytest.mark.parametrize("seed", range(3))
def test_one_kernel_serves_any_number_of_columns_and_rows(kernel, seed):
    rng = np.random.default_rng(seed)
    for shape in rng.permutation([(7, 3), (7, 1), (1, 3), (1, 1), (5, 2), (9, 1)]):
        X = np.asfortranarray(rng.normal(size=shape))
        weights = rng.normal(size=shape[1])
        assert kernel(X, weights) == pytest.approx(written_out(X, weights), rel=1e-12)
    assert layouts(kernel) == ["F"]


@pytest.mark.parametrize("shapes", [[(7, 1), (7, 3)], [(7, 3), (7, 1)]])
def test_features_in_row_order_are_read_as_such_before_and_after_one_column(kernel, shapes):
    rng = np.random.default_rng(0)
    for _ in range(2):
        for shape in shapes:
            X, weights = np.ascontiguousarray(rng.normal(size=shape)), rng.normal(size=shape[1])
            assert kernel(X, weights) == pytest.approx(written_out(X, weights), rel=1e-12)
    # Where there is a kernel for row order already, numba does not ask for another.
    assert "C" in layouts(kernel)


def test_views_that_are_in_no_order_and_read_only_ones_stay_what_they_are(kernel):
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(8, 4)))
    weights = np.ones(1)
    for view in (X[::2, :1], X[3:4, 1:2][:, ::1]):
        assert kernel(view, weights) == pytest.approx(written_out(view, weights), rel=1e-12)
    fixed = X[:, :1]
    fixed.flags.writeable = False
    assert kernel(fixed, weights) == pytest.approx(written_out(fixed, weights), rel=1e-12)
    assert [kinds[0].mutable for kinds in kernel.signatures].count(False) == 1


def test_what_is_wrong_is_said_as_for_more_columns(kernel):
    import numba

    for columns in (1, 2):
        X = np.ones((3, columns), order="F")
        with pytest.raises(numba.core.errors.TypingError):
            kernel(X, "weights")
        with pytest.raises(TypeError):
            kernel(X)
    assert kernel(weights=np.ones(1), X=np.ones((3, 1))) == 6.0


def test_kernels_of_the_package_are_not_compiled_again_for_one_feature():
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(6, 2)))
    n_compiled = []
    for features in (X, X[:, :1].copy(order="F")):
        scores = np.empty(6)
        scores_of_rows(features, 0, 6, np.ones(features.shape[1]), scores)
        np.testing.assert_allclose(scores, features.sum(axis=1))
        assert first_missing(features) == first_missing(X)
        n_compiled.append([len(each.signatures) for each in (scores_of_rows, first_missing)])
    assert n_compiled[0] == n_compiled[1]


def test_kernels_without_features_are_left_alone():
    @compiled
    def total(values):
        return values.sum()

    assert total(np.ones((4, 1))) == 4.0
    assert layouts(total) == ["C"]
