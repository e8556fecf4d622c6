"""Whether a feature does better than a random order: differences of queries, and a test of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

# Chance that a feature of random orders is taken for a better one, both directions together.
LEVEL = 0.05
# Differences up to this share of the values that they come from are rounding.
ROUNDING = 1e-12


def evidence_of(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums, sums of squares and numbers of differences that are not 0, over the last axis.

    Examples
    --------
    >>> evidence_of(np.array([[0.5, 0.0, -0.25]])).tolist()
    [[0.25], [0.3125], [2.0]]
    """
    return np.stack(
        [
            differences.sum(axis=-1),
            np.einsum("...q,...q->...", differences, differences),
            np.count_nonzero(differences, axis=-1).astype(np.float64),
        ]
    )


def is_significant(
    evidence: NDArray[np.float64], n_queries: int, degrees: NDArray[np.int64] | int = 1
) -> NDArray[np.bool_]:
    """Return which features are shown to be better than a random order.

        t = sqrt(n) * mean difference / standard deviation of the differences      > 0
        t^2 > degrees * (95 per cent quantile of F with degrees and n - 1 degrees of freedom)

    over the n queries that count, those where a feature makes no difference included. With one
    degree of freedom this is Student's one-sided test at 0.05 / 2, for one direction of two. With
    more, differences are weighed by numbers that were themselves fitted to the data in that many
    directions, and t^2 of a random order is then about a chi-square of as many degrees.

    A difference in one query gives t = 1, whatever its size, and is never shown. Equal
    differences in all of at least two queries have no variance, and are.

    Parameters
    ----------
    evidence : (3, p) array, as `evidence_of` returns
    n_queries : int
    degrees : (p,) array or int

    Examples
    --------
    >>> differences = np.array([[0.1, 0.2, 0.1, 0.2], [9.0, 0.0, 0.0, 0.0], [0.1, 0.1, 0.1, 0.1]])
    >>> is_significant(evidence_of(differences), 4)
    array([ True, False,  True])
    """
    sums, squares, n_differing = evidence
    if n_queries < 2:
        return np.zeros(len(sums), dtype=bool)
    of_mean = sums * sums / n_queries
    spread = np.maximum(squares - of_mean, 0.0)
    free = np.maximum(degrees, 1)
    limit = free * fdtri(free, n_queries - 1, 1.0 - LEVEL)
    # t^2 = of_mean (n - 1) / spread.
    is_beyond = of_mean * (n_queries - 1) > limit * spread
    is_better: NDArray[np.bool_] = is_beyond & (sums > 0.0) & (n_differing >= 2)
    return is_better & (np.asarray(degrees) >= 1)


def sized(evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the evidence in the direction in which the sum is positive."""
    return np.stack([np.abs(evidence[0]), *evidence[1:]])


def table_weights(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return (observed - expected) / expected of a table of bins by levels; 0 in empty ones.

    Documents of a bin and a level count as much as that: the sum over documents is the table's
    chi-square, and to the first order twice n times its information in nats.
    """
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)
    weights: NDArray[np.float64] = np.zeros(counts.shape)
    np.divide(counts - expected, expected, where=expected > 0, out=weights)
    return weights


def table_degrees(counts: NDArray[np.int64]) -> int:
    """Return the degrees of freedom of a table: (bins - 1)(levels - 1), empty ones left out.

    Examples
    --------
    >>> table_degrees(np.array([[1, 2, 0], [3, 1, 0], [1, 1, 0]]))
    2
    """
    n_bins, n_levels = ((counts.sum(axis=axis) > 0).sum() for axis in (1, 0))
    return int(max(n_bins - 1, 0) * max(n_levels - 1, 0))
