"""One number for a method's places in many comparisons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.data.check import check_count
from ranksieve.errors import DataError
from ranksieve.evaluate._checks import numbers


@dataclass(frozen=True, eq=False)
class UnifiedRank:
    """The places of methods over many columns of a table.

    Attributes
    ----------
    scores : (methods,) array, the larger the better; at most the number of columns
    counts : (methods, methods) array of int; counts[m, r - 1] is how often m had rank r
    """

    scores: NDArray[np.float64]
    counts: NDArray[np.int64]


def unified_rank(table: ArrayLike, *, decimals: int = 4) -> UnifiedRank:
    """Return how well methods do over all columns of a table, by their ranks alone.

        score = sum over r of (M - r + 1) R_r / M

    with M methods and R_r the number of columns in which the method has rank r: a first place
    counts 1, a last one 1 / M.

    Parameters
    ----------
    table : (methods, columns) array
        A value for each method and column (a measure on a data set), larger is better; none is NaN.
    decimals : int
        Values that are equal after rounding to this number of decimals share the better rank, as in
        1, 2, 2, 4.

    Notes
    -----
    Ranks know no distance: a difference of 0.0001 counts as much as one of 0.1. Cost:
    O(M^2 columns).

    References
    ----------
    Equation (10) of Yeh and Tsai, A graph-based feature selection method for learning to rank
    using spectral clustering for redundancy minimization and biased PageRank for relevance
    analysis (2022).

    Examples
    --------
    >>> found = unified_rank([[0.51, 0.30], [0.51, 0.20], [0.40, 0.25]])
    >>> found.counts
    array([[2, 0, 0],
           [1, 0, 1],
           [0, 1, 1]])
    >>> found.scores * 3  # thirds: 3 + 3, 3 + 1, 1 + 2
    array([6., 4., 3.])
    """
    check_count("decimals", decimals, 0)
    values = numbers("table", table, axes=("methods", "columns"))
    _check_complete(values)
    ranks = _ranks(np.round(values, decimals))
    n_methods = len(ranks)
    possible_ranks = np.arange(1, n_methods + 1)
    counts = np.array([np.count_nonzero(ranks == rank, axis=1) for rank in possible_ranks]).T
    return UnifiedRank(counts @ (n_methods - possible_ranks + 1) / n_methods, counts)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return 1 + how many methods are above, in each column."""
    above = np.array([np.count_nonzero(values > row, axis=0) for row in values])
    return above + 1


def _check_complete(values: NDArray[np.float64]) -> None:
    if not values.size:
        raise DataError(
            f"table needs at least one method and one column, but has the shape {values.shape}"
        )
    holes = np.argwhere(np.isnan(values))
    if len(holes):
        method, column = holes[0].tolist()
        raise DataError(
            f"table must have a value for every method and column, but {len(holes)} are NaN "
            f"(first: method {method}, column {column}). Leave out the column or the method."
        )
