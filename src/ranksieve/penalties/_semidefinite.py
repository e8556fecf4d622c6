"""The nearest thing to a similarity matrix that keeps a problem convex."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Eigenvalues down to this share of the largest are taken for rounding.
ROUNDING = 1e-10


class Semidefinite(NamedTuple):
    """A matrix without negative eigenvalues and entries, and how far it is from the given one.

    Attributes
    ----------
    matrix : positive semidefinite up to rounding, and not negative anywhere
    n_negative : how many negative eigenvalues were clipped
    least_eigenvalue : the least one of the given matrix
    shift : what was then added to all entries
    """

    matrix: NDArray[np.float64]
    n_negative: int
    least_eigenvalue: float
    shift: float


def make_semidefinite(A: NDArray[np.float64]) -> Semidefinite:
    """Return a symmetric matrix made positive semidefinite and nonnegative.

    Negative eigenvalues are set to 0, which gives the nearest positive semidefinite matrix.
    Where an entry is negative then, its size is added to all entries: a constant matrix is
    positive semidefinite, so the sum is. A matrix that is both already is returned as it is.

    Notes
    -----
    Cost: O(n^3) time for n features. Together the two properties make |w|' A |w| convex in w.
    Absolute correlations need this: they are not always positive semidefinite.

    Examples
    --------
    >>> made = make_semidefinite(np.array([[1.0, 2.0], [2.0, 1.0]]))
    >>> made.matrix.round(12), made.n_negative, round(made.least_eigenvalue, 12), made.shift
    (array([[1.5, 1.5],
           [1.5, 1.5]]), 1, -1.0, 0.0)
    """
    values, vectors = np.linalg.eigh(A)
    negative = values < -ROUNDING * np.abs(values).max(initial=0.0)
    clipped = A
    if negative.any():
        # Adding back what is negative leaves the rest of the matrix its digits.
        clipped = A - (vectors[:, negative] * values[negative]) @ vectors[:, negative].T
        clipped = 0.5 * (clipped + clipped.T)
    shift = max(0.0, -float(clipped.min(initial=0.0)))
    least = float(values[0]) if len(values) else 0.0
    matrix = clipped + shift if shift > 0.0 else clipped
    return Semidefinite(matrix, int(negative.sum()), least, shift)
