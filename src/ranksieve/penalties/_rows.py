"""A charge on rows of weights: those of a feature in several tasks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties.base import Charge

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowCharge(Charge):
    """The sum over features j of what the row W_j of their weights in all tasks costs.

        cost of W_j = rows_j |W_j|_2                                          without `own`
                      least of rows_j |B_j|_2 + own |S_j|_1 over B_j + S_j = W_j   with it

    B is the part that tasks share, S what is their own. Weights come as one vector, task after
    task: W.ravel() for the (tasks, features) matrix W. Beside `own` of at least rows_j a row has no
    own part; with at most rows_j / sqrt(tasks) it has no other. The slopes that the charge can have
    at 0, the unit ball of its dual norm, are those with |g|_2 <= rows_j and |g|_inf <= own.

    Attributes
    ----------
    rows : (features,) array, not negative; inf leaves a feature to the own part, or at 0 without
    n_tasks : int
    own : float, the price of an own weight; inf for none

    Examples
    --------
    >>> charge = RowCharge.of(np.array([1.0, 2.0]), 2)
    >>> charge.value(np.array([3.0, 0.0, 4.0, 1.0]))  # rows (3, 4) and (0, 1)
    7.0
    >>> RowCharge.of(np.array([1.0, 2.0]), 2, own=1.5).value(np.array([3.0, 0.0, 4.0, 1.0]))
    6.5
    """

    rows: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    n_tasks: int = 1
    own: float = np.inf

    @classmethod
    def of(cls, rows: NDArray[np.float64], n_tasks: int, own: float = np.inf) -> RowCharge:
        """Return the charge; `linear` is the least price of each weight alone."""
        linear = np.tile(np.minimum(rows, own), n_tasks)
        return cls(linear, rows=rows, n_tasks=n_tasks, own=float(own))

    def value(self, w: NDArray[np.float64]) -> float:
        """Return the charge on w; inf where a weight that must be 0 is not."""
        weights = self._matrix(w)
        shared = self.shared(weights)
        sizes = row_sizes(shared)
        used = sizes > 0.0
        total = float(self.rows[used] @ sizes[used])
        if self.own < np.inf:
            return total + self.own * float(np.abs(weights - shared).sum())
        return total if not (weights != shared).any() else np.inf

    def prox(self, v: NDArray[np.float64], step: float) -> NDArray[np.float64]:
        """Return the z with the least |z - v|^2 / 2 + step * value(z).

        v less its projection onto the slopes at 0, times the step.
        """
        moved: NDArray[np.float64] = v - step * self.projected(v / step)
        return moved

    def projected(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the nearest point, row by row, with |g|_2 <= rows_j and |g|_inf <= own."""
        boxed = np.clip(self._matrix(v), -self.own, self.own)
        beyond = np.flatnonzero(row_sizes(boxed) > self.rows)
        if len(beyond):
            shares = _shares(np.abs(self._matrix(v)[:, beyond]), self.rows[beyond], self.own)
            boxed[:, beyond] = np.clip(shares * self._matrix(v)[:, beyond], -self.own, self.own)
        return boxed.ravel()

    def thresholds(self, w: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least slope of each weight alone at 0."""
        return self.linear

    def nearness(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each feature how near its gradients are to the slopes that leave 0, from 0.

        From 1 on the row of weights moves away from 0.
        """
        slopes = self._matrix(gradient)
        near = _ratio(row_sizes(slopes), self.rows)
        own = _ratio(np.abs(slopes).max(axis=0), np.full(slopes.shape[1], self.own))
        nearest: NDArray[np.float64] = np.maximum(near, own)
        return nearest

    def shared(self, weights: Matrix) -> Matrix:
        """Return the part B of the weights, (tasks, features), that is charged by row.

        B_jt = sign(W_jt) min(|W_jt|, tau_j): with n weights above tau_j, whose own parts are the
        rest, tau_j^2 (rows_j^2 / own^2 - n) is the sum of the squares of the others; 0 where no
        number n has such a tau_j.
        """
        caps = self._caps(np.abs(weights))
        shared: Matrix = np.clip(weights, -caps, caps)
        return shared

    def _caps(self, sizes: Matrix) -> NDArray[np.float64]:
        """Return tau_j of each row: inf where it has no own part, 0 where it has no other."""
        caps = np.where(np.isfinite(self.rows), np.inf, 0.0)
        if self.own < np.inf:
            dearer = np.flatnonzero(self.rows > self.own)
            caps[dearer] = _caps(sizes[:, dearer], self.rows[dearer] / self.own)
        return caps

    def _matrix(self, w: NDArray[np.float64]) -> Matrix:
        return w.reshape(self.n_tasks, -1)


def row_sizes(weights: Matrix) -> NDArray[np.float64]:
    """Return the size |W_j|_2 of each feature's row of a (tasks, features) matrix.

    Examples
    --------
    >>> row_sizes(np.array([[3.0, 0.0], [4.0, 1.0]]))
    array([5., 1.])
    """
    if len(weights) == 1:
        alone: NDArray[np.float64] = np.abs(weights[0])
        return alone
    largest = np.abs(weights).max(axis=0)
    # Squares of the smallest and the largest numbers would be 0 or infinite.
    scale = np.where(largest > 0.0, largest, 1.0)
    sizes: NDArray[np.float64] = scale * np.sqrt(((weights / scale) ** 2).sum(axis=0))
    return sizes


def _ratio(sizes: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
    beyond = np.where(sizes > 0.0, np.inf, 0.0)
    return np.divide(sizes, limits, out=beyond, where=limits > 0.0)


def _shares(sizes: Matrix, radii: NDArray[np.float64], own: float) -> NDArray[np.float64]:
    """Return for each column the s with |min(s * sizes, own)|_2 = radius: s < 1."""
    if own == np.inf:
        shares: NDArray[np.float64] = radii / row_sizes(sizes)
        return shares
    falling = -np.sort(-sizes, axis=0)
    remaining = np.cumsum(falling[::-1] ** 2, axis=0)[::-1]  # of the n-th largest and those below
    counts = np.arange(len(sizes))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        candidates = np.sqrt(np.maximum(radii**2 - counts * own**2, 0.0) / remaining)
    # The first number of weights at `own` for which the next largest stays below it.
    fits = candidates * falling <= own * (1.0 + 1e-15)
    first = np.argmax(fits, axis=0)
    chosen: NDArray[np.float64] = candidates[first, np.arange(sizes.shape[1])]
    return chosen


def _caps(sizes: Matrix, prices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return tau of each column, see `RowCharge.shared`; prices are rows_j / own, above 1."""
    rising = np.sort(sizes, axis=0)
    remaining = np.cumsum(rising * rising, axis=0)  # of a size and those below
    room = prices * prices - np.arange(len(sizes) - 1, -1, -1)[:, None]
    squares = np.divide(remaining, room, out=np.zeros_like(room), where=room > 0.0)
    candidates = np.sqrt(squares)
    fits = (rising <= candidates) & (candidates > 0.0)
    # Fewer outside first: the first that fits is the one for which those before are above it.
    first = len(sizes) - 1 - np.argmax(fits[::-1], axis=0)
    columns = np.arange(sizes.shape[1])
    caps: NDArray[np.float64] = np.where(fits[first, columns], candidates[first, columns], 0.0)
    return caps
