"""The smoothly clipped absolute deviation."""

from __future__ import annotations

from dataclasses import dataclass

from ranksieve.catalog import check_choice
from ranksieve.penalties._folded import UNITS, FoldedPenalty
from ranksieve.penalties._numbers import store_number


@dataclass(frozen=True)
class SCADPenalty(FoldedPenalty):
    """Like l1 up to the strength, and free of charge for weights from a * strength on.

        slope at |w_j| = strength                                        up to strength * k
                         (a strength k - |w_j|) / ((a - 1) k)            up to a * strength * k
                         0                                               from there

    with k = 1, and the value its integral from 0. With `units="sum"`, k is the number of
    pairs: both knots are those of a penalty beside a *sum* over pairs with strength * k, and
    the slope is divided by k with the sum, so that it is `strength` at 0 in either units.

    With `units="fixed"` the knots are 1 and a, whatever the strength: the slope is `strength`
    up to |w_j| = 1, then strength * (a - |w_j|) / (a - 1) down to 0 at a. It is SCAD with
    lambda = 1 beside C times a sum over pairs, strength = 1 / (C * pairs), as with MCP.

    Parameters
    ----------
    a : number above 2
        Where the charge ends, in strengths; with fixed units the weight itself. With a large
        one the penalty is l1.
    units : "mean", "sum" or "fixed"
        What the strength in the knots is measured against: the mean over pairs, or the sum,
        which needs `for_pairs(n_pairs)`; or knots that do not depend on the strength.

    References
    ----------
    Fan and Li, Variable selection via nonconcave penalized likelihood and its oracle
    properties, JASA 2001 (a = 3.7).

    Examples
    --------
    >>> import numpy as np
    >>> SCADPenalty(a=3).derivative(np.array([0.0, 0.5, 1.0, 9.0]), strength=0.5)
    array([0.5 , 0.5 , 0.25, 0.  ])
    >>> SCADPenalty(a=3).value(np.array([9.0]), strength=0.5)
    0.5
    >>> SCADPenalty(a=3, units="fixed").derivative(np.array([0.5, 1.0, 2.0, 3.0]), strength=0.5)
    array([0.5 , 0.5 , 0.25, 0.  ])
    """

    a: float = 3.7
    units: str = "mean"

    def __post_init__(self) -> None:
        remedy = "It is where the charge ends: try a=3.7, or l1 for an infinite one."
        store_number(self, "a", remedy, above=2.0)
        check_choice("units", self.units, UNITS)

    def _knots(self, scale: float) -> tuple[float, float]:
        return scale, self.a * scale
