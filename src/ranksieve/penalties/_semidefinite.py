"""The nearest thing to a similarity matrix that keeps a problem convex."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Eigenvalues down to this share of the largest are taken for rounding.
ROUNDING = 1e-10


class Semidefinite(NamedTuple):
    """A matrix that makes a charge convex, and how far it is from the one it was made of.

    Attributes
    ----------
    matrix : positive semidefinite up to rounding, and not negative anywhere
    n_negative : how many negative eigenvalues were clipped
    least_eigenvalue : the least one before
    shift : what was then added to all entries
    mirrored : the matrix of opposite signs, where there is one
        Off its diagonal it is not negative; (matrix + mirrored) / 2 and (matrix - mirrored) / 2
        are positive semidefinite.
    """

    matrix: NDArray[np.float64]
    n_negative: int
    least_eigenvalue: float
    shift: float
    mirrored: NDArray[np.float64] | None = None


def make_semidefinite(A: NDArray[np.float64], B: NDArray[np.float64] | None = None) -> Semidefinite:
    """Return a symmetric matrix made positive semidefinite and nonnegative.

    Negative eigenvalues are set to 0, which gives the nearest positive semidefinite matrix.
    Where an entry is negative then, its size is added to all entries: a constant matrix is
    positive semidefinite, so the sum is. A matrix that is both already is returned as it is.

    With B, the matrix of features that are doubled by their mirror images is made so,

        [A  B]         which is positive semidefinite exactly where S = (A + B) / 2
        [B  A],        and D = (A - B) / 2 are.

    Each of the two has its own negative eigenvalues clipped, and what is added to all entries
    is added to S. The diagonal of B may stay negative: no weight is charged with it, as none has
    two signs.

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
    if B is not None and B is not A:
        return _both_semidefinite(A, B)
    clipped, n_negative, least = _clipped(A)
    shift = max(0.0, -float(clipped.min(initial=0.0)))
    matrix = clipped + shift if shift > 0.0 else clipped
    return Semidefinite(matrix, n_negative, least, shift)


def _both_semidefinite(A: NDArray[np.float64], B: NDArray[np.float64]) -> Semidefinite:
    shared, n_shared, least_shared = _clipped(0.5 * (A + B))
    signed, n_signed, least_signed = _clipped(0.5 * (A - B))
    n_negative, least = n_shared + n_signed, min(least_shared, least_signed)
    alike, mirrored = (A, B) if n_negative == 0 else (shared + signed, shared - signed)
    off_diagonal = mirrored[~np.eye(len(A), dtype=bool)]
    shift = max(0.0, -float(alike.min(initial=0.0)), -float(off_diagonal.min(initial=0.0)))
    if shift > 0.0:
        alike, mirrored = alike + shift, mirrored + shift
    return Semidefinite(alike, n_negative, least, shift, mirrored)


def _clipped(A: NDArray[np.float64]) -> tuple[NDArray[np.float64], int, float]:
    """Return A without negative eigenvalues, how many it had, and the least of all."""
    values, vectors = np.linalg.eigh(A)
    negative = values < -ROUNDING * np.abs(values).max(initial=0.0)
    clipped = A
    if negative.any():
        # Adding back what is negative leaves the rest of the matrix its digits.
        clipped = A - (vectors[:, negative] * values[negative]) @ vectors[:, negative].T
        clipped = 0.5 * (clipped + clipped.T)
    return clipped, int(negative.sum()), float(values[0]) if len(values) else 0.0
