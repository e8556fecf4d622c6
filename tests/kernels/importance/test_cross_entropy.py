from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve.importance.cross_entropy import _products
from ranksieve.kernels.importance.cross_entropy import add_cross_entropy
from ranksieve.kernels.pairs.sums import grade_levels
from tests.reference.cases import random_arrays
from tests.reference.importance import pairs


def test_the_polynomial_is_the_logarithm_to_the_last_digit():
    s = np.array([-0.5, 0.2, 0.5, 0.49])
    powers = np.array([(s**k).sum() for k in range(len(_products()))])
    differences = s[:, None] - s[None, :]
    direct = np.log(2 * np.cosh(differences / 2)).sum()
    assert powers @ _products() @ powers == pytest.approx(direct, rel=1e-14)


@pytest.mark.parametrize("margin", [0, 3])
def test_sums_equal_those_over_written_out_pairs(margin):
    X, y, query_ptr = random_arrays(margin, n_queries=4, largest=8)
    levels = np.empty(len(y), dtype=np.int32)
    grade_levels(y, query_ptr, levels)
    by_level = np.concatenate(
        [
            start + np.argsort(-levels[start:stop], kind="stable")
            for start, stop in itertools.pairwise(query_ptr)
        ]
    ).astype(np.int32)
    padded = np.asfortranarray(np.vstack([np.full((margin, 5), np.nan), X]))
    even, odd = np.zeros(5), np.zeros((3, 5))
    add_cross_entropy(padded, query_ptr + margin, levels, by_level, _products(), even, odd)
    scaled = np.zeros_like(X)
    for start, stop in itertools.pairwise(query_ptr):
        spread = np.ptp(X[start:stop], axis=0)
        scaled[start:stop] = (X[start:stop] - X[start:stop].min(axis=0)) / np.where(
            spread, spread, 1
        )
    rows = list(pairs(y, query_ptr))
    d = np.array([scaled[i] - scaled[j] for i, j in rows])
    np.testing.assert_allclose(even, np.log(2 * np.cosh(d / 2)).sum(axis=0), rtol=1e-13)
    np.testing.assert_allclose(odd[0], d.sum(axis=0) / 2, atol=1e-13)
