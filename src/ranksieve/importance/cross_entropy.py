"""RankNet's cross entropy of each feature as a ranking function."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance._evidence import is_significant, sized
from ranksieve.importance._inverted import InvertedLoss
from ranksieve.importance._ranked import RankedPass, RankedPiece
from ranksieve.kernels.importance.cross_entropy import add_cross_entropy
from ranksieve.kernels.pairs.sums import order_queries
from ranksieve.passes import SumPass

# Of the polynomial in d^2. The function's nearest poles are at d = +-i pi, so each degree
# gains a factor of about 41: ten reach the last digit of a double.
_DEGREE = 10
# Of a pair whose values are 1 and 0: rounding must not go below.
_LEAST_LOSS = float(np.log1p(np.exp(-1.0)))


@dataclass(frozen=True, repr=False)
class CrossEntropyImportance(InvertedLoss):
    """How low RankNet's cross entropy of a feature is, in its better direction (GAS-L, RankNet).

        loss(f)  = mean over pairs i above j of log(1 + exp(-(f_i - f_j)))
        score(f) = 1 / (1 + min(loss(f), loss(-f)))

    Pairs are documents of one query with different grades, of all queries together; features
    are scaled to [0, 1] in each query. A constant feature has loss log 2 and scores
    1 / (1 + log 2). Without any pair every feature scores that. Grades may be real numbers.

    Parameters
    ----------
    inverse : {"shifted", "printed"}, default="shifted"
        "printed" is 1 / loss, the paper's "inversely proportional". The loss is log(1 + 1/e) at
        least, as features are scaled, so that no score is infinite.

    Notes
    -----
    The loss sees values, not only their order, and its scale is fixed: a noisy feature can
    score below a constant one.
    Better than a random order: Student's t over the queries with pairs of the sum over pairs of
    f_i - f_j in the better direction. Its mean over random orders of the same values is 0, and
    it is by this that the losses of f and of -f differ. So a feature whose values cost more than
    they tell, and that scores below a constant one, can still be better than its random orders.
    Exact to rounding in O(p n) without building pairs: within [-1, 1] the loss is a
    polynomial of the difference, whose sum over pairs is made of power sums.
    Geng, Liu, Qin and Li, Feature selection for ranking (2007), sections 2.2 and 3.4; Burges
    et al., Learning to rank using gradient descent (2005).

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 3.0], [2.0, 3.0]], [0, 1], [1, 1]))
    >>> CrossEntropyImportance().scores(data)
    array([0.76146286, 0.59061611])
    >>> print(round(1 / (1 + np.log1p(np.exp(-1.0))), 7))
    0.7614629
    """

    def _pass(self, data: RankingData) -> RankedPass:
        return _CrossEntropyPass()

    def _both(self, total: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        even, (odd, *_), n_pairs, _ = total
        if n_pairs == 0:
            even, odd, n_pairs = np.full(len(even), np.log(2.0)), np.zeros(len(odd)), 1
        falling, rising = (even - odd) / n_pairs, (even + odd) / n_pairs
        return self._inverse(falling, _LEAST_LOSS), self._inverse(rising, _LEAST_LOSS)

    def _significant(self, total: Any, data: RankingData) -> NDArray[np.bool_]:
        _, odd, _, n_queries = total
        return is_significant(sized(odd), n_queries)


@dataclass(frozen=True)
class _CrossEntropyPass(SumPass):
    def partial(
        self, piece: RankedPiece
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int]:
        even, odd = np.zeros(piece.block.n_features), np.zeros((3, piece.block.n_features))
        by_level = np.empty(len(piece.y), dtype=np.int32)
        order_queries(piece.y, piece.query_ptr, by_level)
        by_level += np.repeat(piece.query_ptr[:-1], np.diff(piece.query_ptr)).astype(np.int32)
        block = piece.block
        add_cross_entropy(block.X, block.query_ptr, piece.levels, by_level, _products(), even, odd)
        return even, odd, piece.n_pairs, piece.n_graded


@cache
def _products() -> NDArray[np.float64]:
    """Return the matrix B with sum over i, j of log(2 cosh((s_i - s_j) / 2)) = M' B M.

    M are the power sums of s, and (s_i - s_j)^2k expands by the binomial theorem.
    """
    even_part = Chebyshev.interpolate(
        lambda square: np.log(2.0 * np.cosh(0.5 * np.sqrt(square))), _DEGREE, domain=[0.0, 1.0]
    )
    coefficients = even_part.convert(kind=Polynomial).coef.tolist()
    products = np.zeros((2 * _DEGREE + 1, 2 * _DEGREE + 1))
    for k, coefficient in enumerate(coefficients):
        for power in range(2 * k + 1):
            products[power, 2 * k - power] = coefficient * comb(2 * k, power) * (-1) ** power
    return products
