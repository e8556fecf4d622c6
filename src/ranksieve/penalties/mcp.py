"""The minimax concave penalty."""

from __future__ import annotations

from dataclasses import dataclass

from ranksieve.catalog import check_choice
from ranksieve.penalties._folded import UNITS, FoldedPenalty
from ranksieve.penalties._numbers import store_number


@dataclass(frozen=True)
class MCPPenalty(FoldedPenalty):
    """Like l1 at 0, and free of charge for weights from gamma * strength on.

        slope at |w_j| = strength * max(1 - |w_j| / (gamma * strength * k), 0)
        value of w_j   = strength * (|w_j| - w_j^2 / (2 gamma strength k))   up to the width
                         gamma * strength * k, and half of strength * width from there

    with k = 1. In the units of the paper on sparse RankSVM, whose lambda multiplies a
    penalty beside a *sum* over pairs, k is the number of pairs: `units="sum"`. On OHSUMED the
    width is then so large that the penalty is all but l1, which is why it is not the default.

    With `units="fixed"` the width is gamma, whatever the strength:

        slope at |w_j| = strength * max(1 - |w_j| / gamma, 0)
        value of w_j   = strength * (|w_j| - w_j^2 / (2 gamma))   up to gamma, and
                         strength * gamma / 2 from there

    This is the paper's problem read as C * (sum over pairs) + (penalty with lambda = 1), with
    strength = 1 / (C * pairs). It comes nearest to the published numbers of features.

    Parameters
    ----------
    gamma : number above 0
        Width of the stretch where weights are charged, in strengths; with fixed units the
        width itself. With a large one the penalty is l1; the smaller, the nearer to counting
        weights.
    units : "mean", "sum" or "fixed"
        What the strength in the width is measured against: the mean over pairs, or the sum,
        which needs `for_pairs(n_pairs)`; or a width that does not depend on the strength.

    References
    ----------
    Zhang, Nearly unbiased variable selection under minimax concave penalty, Annals of
    Statistics 2010. Laporte, Flamary, Canu, Déjean and Mothe, Nonconvex regularizations for
    feature selection in ranking with sparse SVM, IEEE TNNLS 2014 (gamma = 2).

    Examples
    --------
    >>> import numpy as np
    >>> MCPPenalty().derivative(np.array([0.0, 0.5, 1.0, 9.0]), strength=0.5)
    array([0.5 , 0.25, 0.  , 0.  ])
    >>> MCPPenalty().value(np.array([9.0]), strength=0.5)
    0.25
    >>> MCPPenalty(units="sum").for_pairs(1000).derivative(np.array([0.5]), strength=0.5)
    array([0.49975])
    >>> MCPPenalty(units="fixed").derivative(np.array([0.0, 0.5, 1.0, 9.0]), strength=0.5)
    array([0.5  , 0.375, 0.25 , 0.   ])
    """

    gamma: float = 2.0
    units: str = "mean"

    def __post_init__(self) -> None:
        remedy = "It is the width: try gamma=2, or l1 for an infinite one."
        store_number(self, "gamma", remedy, above=0.0)
        check_choice("units", self.units, UNITS)

    def _knots(self, scale: float) -> tuple[float, float]:
        return 0.0, self.gamma * scale
