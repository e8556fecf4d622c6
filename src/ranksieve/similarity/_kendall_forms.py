"""Which of two ways counts Kendall's pairs: bit sets, or splitting for long queries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.similarity.kendall import add_agreements, add_half_agreements, add_tau_b
from ranksieve.kernels.similarity.kendall_long import (
    add_agreements_long,
    add_half_agreements_long,
    add_tau_b_long,
)
from ranksieve.similarity._by_query import longest_query

# Up to here O(m^2 / 64) words per pair of features take less time than O(m log m) steps. The two
# break even at about 1,000 documents with 12 features and at 2,700 with 136
# (benchmarks/similarity.py), as bit sets are made once per feature and used with each other one.
LONGEST_BY_BITS = 2048


def agreements(X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]) -> int:
    """Add shares of agreeing pairs to `total` and count the queries."""
    by_bits = longest_query(query_ptr) <= LONGEST_BY_BITS
    add = add_agreements if by_bits else add_agreements_long
    return int(add(X, query_ptr, total))


def half_agreements(
    X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]
) -> int:
    """Add shares of agreeing pairs, tied ones half, to `total` and count the queries."""
    by_bits = longest_query(query_ptr) <= LONGEST_BY_BITS
    add = add_half_agreements if by_bits else add_half_agreements_long
    return int(add(X, query_ptr, total))


def tau_b(X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]) -> int:
    """Add values of tau-b to `total` and count the queries."""
    by_bits = longest_query(query_ptr) <= LONGEST_BY_BITS
    add = add_tau_b if by_bits else add_tau_b_long
    return int(add(X, query_ptr, total))
