"""What MCP and SCAD share: a slope that is flat at first, then falls to 0 in a line."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.penalties.base import Penalty

UNITS = ("mean", "sum", "fixed")


class FoldedPenalty(Penalty):
    """A penalty with slope `strength` up to a knot, falling to 0 at another, and 0 from there.

    With knots a <= b, the slope at size t is strength * clip((b - t) / (b - a), 0, 1).
    Subclasses are frozen dataclasses that have `units` and write `_knots`.
    """

    units: str
    _n_pairs: int | None = None

    @abstractmethod
    def _knots(self, scale: float) -> tuple[float, float]:
        """Return where the slope begins to fall and where it is 0, from the strength in units."""

    def value(self, w: NDArray[np.float64], strength: float) -> float:
        """Return the integral of the slope from 0 to |w_j|, summed over weights."""
        return float(self._by_size(np.abs(w), strength).sum())

    def derivative(self, w: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return the slope at |w_j|."""
        start, end = self._knots(self._scale(strength))
        if start == end:
            return np.zeros(len(w))
        slopes: NDArray[np.float64] = strength * np.clip((end - np.abs(w)) / (end - start), 0, 1)
        return slopes

    def for_pairs(self, n_pairs: int) -> Self:
        """Return the penalty for data with a number of pairs, which units="sum" multiplies with."""
        copied = copy(self)
        object.__setattr__(copied, "_n_pairs", int(n_pairs))
        return copied

    def _scale(self, strength: float) -> float:
        if self.units == "mean":
            return strength
        if self.units == "fixed":
            return 1.0
        if self._n_pairs is None:
            raise ParameterError(
                f"{self!r} depends on the number of pairs of the data, which is not known here: "
                'call for_pairs(n_pairs) first, or choose units="mean"'
            )
        return strength * self._n_pairs

    def _by_size(self, sizes: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        start, end = self._knots(self._scale(strength))
        if start == end:
            return np.zeros(len(sizes))
        # As a product, since the squares of two wide knots would cancel.
        upto = np.clip(sizes, start, end)
        falling = (upto - start) * (0.5 * ((end - start) + (end - upto)) / (end - start))
        total: NDArray[np.float64] = strength * (np.minimum(sizes, start) + falling)
        return total
