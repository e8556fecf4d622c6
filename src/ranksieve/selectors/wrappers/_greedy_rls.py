"""Ridge regression of grades inside queries, one feature at a time, with each query left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranksieve.progress import report

# Values of a piece: its part of all arrays stays in the cache.
_PIECE = 1 << 15
# Errors this near, as a share of that without features, differ by rounding alone.
_ROUNDING = 1e-12


class _Piece(NamedTuple):
    """Some queries: their rows, the query of each row, and the matrix that adds up each query."""

    rows: slice
    query: NDArray[np.int64]
    # In contrast to np.add.reduceat as fast for rows of any length, powers of two among them.
    total: Any


class GreedySteps:
    """Forward selection for min |t - V w|^2 + |w|^2, feature by feature.

    The rows of V and t are centred inside queries. With G = (I + V_S V_S')^-1 for the features S
    that are in, and G_q the block of a query in it, four things are kept:

        a = G t               what the model with S leaves of the grades
        C = G V               what it leaves of each feature
        b_q = G_q^-1 a_q      what the model *without query q* leaves of that query's grades
        D_q = G_q^-1 C_q      and of its features

    Let v be the column of a feature, u and d its columns of C and D, s = 1 + v.u. To add it
    takes u u' / s off G, which adds d_q d_q' / e_q with e_q = s - u_q.d_q to G_q^-1, and so

        a -= u (v.a) / s      b_q += d_q (d_q.a_q - v.a) / e_q
        C -= u (v'C) / s      D_q += d_q (d_q'C_q - v'C) / e_q

    The second formula is also what any candidate would leave of query q. Its square needs inner
    products of columns alone: no block is ever built, and a step is O(n p).

    Parameters
    ----------
    V : (n, p) array, row-major; it is used up
    t : (n,) array
    query_ptr : offsets of the queries
    leave_out : whether candidates are compared on queries that are left out, or by the least
        |t - V w|^2 + |w|^2 with all queries

    Attributes
    ----------
    chosen : features that are in, in the order of their coming
    errors : the criterion without features, and after each step
    candidates : (p,) array, the criterion after adding each feature; inf for those that are in
        and for columns of zeros
    """

    def __init__(
        self,
        V: NDArray[np.float64],
        t: NDArray[np.float64],
        query_ptr: NDArray[np.int64],
        *,
        leave_out: bool,
    ) -> None:
        self._squares = np.einsum("ij,ij->j", V, V)
        self._products = t @ V
        self._C = V
        self._D = V.copy() if leave_out else None
        self._a, self._b = t.copy(), t.copy()
        self._pieces = list(_cut(query_ptr, V.shape[1]))
        # Products go here: a new array for each would take longer than they do.
        n_rows = max((len(piece.query) for piece in self._pieces), default=0)
        self._spare = np.empty((n_rows, V.shape[1]))
        self._free = self._squares > 0.0
        self.chosen: list[int] = []
        self.errors = [float(t @ t)]
        self.candidates = self._compare()

    @property
    def best(self) -> int | None:
        """The feature to add next; the lowest index of those that differ by rounding alone."""
        if not self._free.any():
            return None
        limit = self.candidates.min() + _ROUNDING * self.errors[0]
        return int(np.flatnonzero(self.candidates <= limit)[0])

    @property
    def improves(self) -> bool:
        """Whether the next feature lowers the criterion."""
        gain = self.errors[-1] - self.candidates.min(initial=np.inf)
        return bool(gain > _ROUNDING * self.errors[0])

    @property
    def residuals(self) -> NDArray[np.float64]:
        """What the model with all queries leaves of t."""
        return self._a

    def add(self, feature: int, v: NDArray[np.float64]) -> None:
        """Take a feature in, whose column of V is v."""
        report("features", len(self.chosen), None)
        u, s = self._C[:, feature].copy(), 1.0 + self._squares[feature]
        product, row = self._products[feature], v @ self._C
        if self._D is not None:
            self._move_left_out(self._D, feature, u, s, row)
        for rows, query, _ in self._pieces:
            self._C[rows] -= np.multiply(u[rows, None], row / s, out=self._spare[: len(query)])
        self._a -= u * (product / s)
        self._squares = np.maximum(self._squares - row**2 / s, 0.0)
        self._products = self._products - row * (product / s)
        self._free[feature] = False
        self.chosen.append(feature)
        self.errors.append(float(self.candidates[feature]))
        self.candidates = self._compare()

    def _move_left_out(
        self,
        D: NDArray[np.float64],
        feature: int,
        u: NDArray[np.float64],
        s: float,
        row: NDArray[np.float64],
    ) -> None:
        """Bring b and D to the features with one more, from a and C without it."""
        d, product = D[:, feature].copy(), self._products[feature]
        for rows, query, total in self._pieces:
            left = s - total @ (u[rows] * d[rows])
            step = (total @ (d[rows] * self._a[rows]) - product) / left
            self._b[rows] += d[rows] * step[query]
            steps = self._sums(total, self._C[rows], d[rows, None]) - row
            steps /= left[:, None]
            change = np.take(steps, query, axis=0, out=self._spare[: len(query)])
            change *= d[rows, None]
            D[rows] += change

    def _compare(self) -> NDArray[np.float64]:
        """Return the criterion after adding each feature."""
        s = 1.0 + self._squares
        if self._D is None:
            return np.where(self._free, self.errors[-1] - self._products**2 / s, np.inf)
        change = np.zeros(len(s))
        for rows, _, total in self._pieces:
            D = self._D[rows]
            step = self._sums(total, D, self._a[rows, None]) - self._products
            step /= s - self._sums(total, self._C[rows], D)
            along, squares = self._sums(total, D, self._b[rows, None]), self._sums(total, D, D)
            change += (step * (2.0 * along + step * squares)).sum(axis=0)
        return np.where(self._free, float(self._b @ self._b) + change, np.inf)

    def _sums(
        self, total: Any, left: NDArray[np.float64], right: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the sums of products over the rows of each query, column by column."""
        products = np.multiply(left, right, out=self._spare[: len(left)])
        sums: NDArray[np.float64] = total @ products
        return sums


def _cut(query_ptr: NDArray[np.int64], n_features: int) -> Iterator[_Piece]:
    """Yield the queries in pieces of about `_PIECE` values."""
    n_rows, first = max(_PIECE // n_features, 1), 0
    while first < len(query_ptr) - 1:
        last = int(np.searchsorted(query_ptr, query_ptr[first] + n_rows, side="right")) - 1
        last = max(last, first + 1)
        ends = query_ptr[first : last + 1] - query_ptr[first]
        rows = slice(int(query_ptr[first]), int(query_ptr[last]))
        query, ones = np.repeat(np.arange(last - first), np.diff(ends)), np.ones(ends[-1])
        total = csr_array((ones, np.arange(ends[-1]), ends), shape=(last - first, ends[-1]))
        yield _Piece(rows, query, total)
        first = last
