"""Ridge regression of grades inside queries, one feature at a time, with each query left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.progress import report

# Values of a piece: its part of all arrays stays in the cache.
_PIECE = 1 << 15
# Errors this near, as a share of that without features, differ by rounding alone.
_ROUNDING = 1e-12


class _Piece(NamedTuple):
    """Some queries: their rows, where each begins among these, and the query of each row."""

    rows: slice
    starts: NDArray[np.int64]
    query: NDArray[np.int64]


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
        for piece in self._pieces:
            self._C[piece.rows] -= u[piece.rows, None] * (row / s)
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
        for rows, starts, query in self._pieces:
            left = s - np.add.reduceat(u[rows] * d[rows], starts)
            step = (np.add.reduceat(d[rows] * self._a[rows], starts) - product) / left
            self._b[rows] += d[rows] * step[query]
            steps = np.add.reduceat(self._C[rows] * d[rows, None], starts, axis=0) - row
            steps /= left[:, None]
            D[rows] += d[rows, None] * steps[query]

    def _compare(self) -> NDArray[np.float64]:
        """Return the criterion after adding each feature."""
        s = 1.0 + self._squares
        if self._D is None:
            return np.where(self._free, self.errors[-1] - self._products**2 / s, np.inf)
        change = np.zeros(len(s))
        for rows, starts, _ in self._pieces:
            D = self._D[rows]
            left = s - np.add.reduceat(self._C[rows] * D, starts, axis=0)
            step = np.add.reduceat(D * self._a[rows, None], starts, axis=0) - self._products
            step /= left
            along = np.add.reduceat(D * self._b[rows, None], starts, axis=0)
            change += (step * (2.0 * along + step * np.add.reduceat(D * D, starts, axis=0))).sum(0)
        return np.where(self._free, float(self._b @ self._b) + change, np.inf)


def _cut(query_ptr: NDArray[np.int64], n_features: int) -> Iterator[_Piece]:
    """Yield the queries in pieces of about `_PIECE` values."""
    n_rows, first = max(_PIECE // n_features, 1), 0
    while first < len(query_ptr) - 1:
        last = int(np.searchsorted(query_ptr, query_ptr[first] + n_rows, side="right")) - 1
        last = max(last, first + 1)
        starts, stop = query_ptr[first:last] - query_ptr[first], int(query_ptr[last])
        sizes = np.diff(query_ptr[first : last + 1])
        rows = slice(int(query_ptr[first]), stop)
        yield _Piece(rows, starts, np.repeat(np.arange(last - first), sizes))
        first = last
