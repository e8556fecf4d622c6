"""The squared hinge over pairs that count by their difference in gain, for NDCG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.kernels.pairs.curvature import add_curvature
from ranksieve.kernels.pairs.sums import add_pair_spreads
from ranksieve.losses import SquaredHingeLoss, Targets
from ranksieve.losses.squared_hinge import SquaredHingeAtScores
from ranksieve.measures import NDCG
from ranksieve.passes import Pass, PieceNotes, SumPass
from ranksieve.problems.pair_risk import PairRisk


class GainRisk(PairRisk):
    """f(w) = weighted mean over pairs i above j of max(0, 1 - (w . x_i - w . x_j))^2.

        weight of a pair = (gain_i - gain_j) / ideal DCG of its query,   gain = 2^grade - 1

    Pairs are documents of one query with different grades. The weights are what a pair in the
    wrong order can cost of NDCG. Any order becomes an ideal one by swaps of neighbours that stand
    in the wrong order; each swap puts one pair right and adds (gain_i - gain_j) times the
    difference of two discounts that follow each other, which is 1 - 1 / log2(3) at most. So

        1 - NDCG  <=  0.37 * sum of the weights of the pairs in the wrong order
                  <=  0.37 * sum over pairs of weight * max(0, 1 - (w . x_i - w . x_j))^2

    for NDCG of whole lists, and f is a mean of the right-hand sides over queries, in units in which
    f(0) = 1.

    Parameters
    ----------
    data : RankingData
    gain : {"exponential", "linear"}
        "linear" has gain = grade.

    Notes
    -----
    The weight of a pair is a sum over the grades between its documents. So f is a sum of plain
    losses over two levels, above and below each grade, in which the pairs of a query count alike:
    each is O(m log m) for a query of m documents, and no pair is built.

    Cost: that of `PairRisk` times the number of different grades in a query less one.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[2.0], [1.0], [0.0]], [2, 1, 0], [1, 1, 1]))
    >>> value, gradient = GainRisk(data).value_and_grad(np.zeros(1))
    >>> value, gradient * (2 + 3 + 1)  # -2 * (3 - 1 = 2 and 3 - 0 and 1 - 0) * (1, 2, 1)
    (1.0, array([-18.]))
    """

    def __init__(self, data: RankingData, gain: str = "exponential") -> None:
        NDCG(gain=gain).check_grades(data.y)  # type: ignore[arg-type]
        self._exponential = gain == "exponential"
        super().__init__(data, _GainHinge())

    def _piece_targets(self, parts: Iterable[Block]) -> Mapping[int, _GainTargets]:
        return {
            part.first_document: _targets_of(
                part.y[part.rows],
                part.query_ptr - part.query_ptr[0],
                exponential=self._exponential,
            )
            for part in parts
        }

    def _weight_of_pairs(self) -> float:
        return float(sum(part.total for part in self._targets.values()))

    def _spread_pass(self) -> Pass[NDArray[np.float64]]:
        return _GainSpreadPass(self._targets)

    def hessian(self, features: NDArray[np.int64], stride: int = 1) -> NDArray[np.float64]:
        """Return the rows and columns of the generalised Hessian that belong to `features`.

        With a stride of s, one query in s stands for all.
        """
        work = _GainHessianPass(self._accepted, features, stride)
        total, weight = self._run(work)
        upper: NDArray[np.float64] = np.triu(total) / (weight if weight > 0.0 else 1.0)
        return upper + np.triu(upper, 1).T


@dataclass(frozen=True, eq=False)
class _GainTargets:
    """Two levels for each grade of a piece but the lowest, and what pairs of each query count."""

    parts: tuple[tuple[Targets, NDArray[np.float64]], ...]
    n_pairs: int
    total: float


@dataclass(frozen=True)
class _GainHinge(SquaredHingeLoss):
    def evaluate(self, scores: NDArray[np.float64], targets: Any) -> Any:
        """Return value, gradient and Hessian products at `scores`."""
        return _GainHingeAtScores(scores, targets)


class _GainHingeAtScores:
    """The sum of the losses over two levels at some scores."""

    def __init__(self, scores: NDArray[np.float64], targets: _GainTargets) -> None:
        self.parts = [
            SquaredHingeAtScores(scores, levels, weights) for levels, weights in targets.parts
        ]
        self.targets = targets
        self.value = float(sum(part.value for part in self.parts))
        self.gradient = np.zeros(len(scores))
        for part in self.parts:
            self.gradient += part.gradient

    def product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the generalised Hessian times `direction`."""
        product = np.zeros(len(direction))
        for part in self.parts:
            product += part.product(direction)
        return product


def _targets_of(
    y: NDArray[np.float64], query_ptr: NDArray[np.int64], *, exponential: bool
) -> _GainTargets:
    gains = np.exp2(y) - 1.0 if exponential else y
    every = Targets.from_grades(y, query_ptr)
    query = np.repeat(np.arange(len(query_ptr) - 1), np.diff(query_ptr))
    steps = _gain_steps(gains, every.levels, query) / _ideal(gains, query_ptr)[:, None]
    parts, total = [], 0.0
    for level, weights in enumerate(steps.T, start=1):
        above = (every.levels >= level).astype(np.int32)
        two = Targets(above, query_ptr, 0)
        parts.append((two, np.ascontiguousarray(weights)))
        total += float(weights @ two.pairs_by_query)
    return _GainTargets(tuple(parts), every.n_pairs, total)


def _gain_steps(
    gains: NDArray[np.float64], levels: NDArray[np.int32], query: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return, for each query, how much each level's gain is above that of the level below."""
    by_level = np.full((query[-1] + 1, levels.max() + 1), np.nan)
    by_level[query, levels] = gains
    return np.nan_to_num(np.diff(by_level, axis=1), nan=0.0)


def _ideal(gains: NDArray[np.float64], query_ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the DCG of the best order of each query; 1 where no gain is positive."""
    sizes = np.diff(query_ptr)
    query = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-gains, query))
    position = np.arange(len(gains)) - np.repeat(query_ptr[:-1], sizes)
    discounted = gains[order] / np.log2(position + 2.0)
    sums: NDArray[np.float64] = np.add.reduceat(discounted, query_ptr[:-1])
    return np.where(sums > 0.0, sums, 1.0)


@dataclass(frozen=True, eq=False)
class _GainSpreadPass(SumPass):
    targets: PieceNotes

    def partial(self, piece: Block) -> NDArray[np.float64]:
        spreads = np.zeros(piece.n_features)
        for two, weights in self.targets[piece.first_document].parts:
            start, ptr = piece.rows.start, two.query_ptr
            add_pair_spreads(piece.X, start, two.levels, ptr, weights, spreads)
        return spreads


@dataclass(frozen=True, eq=False)
class _GainHessianPass(SumPass):
    points: PieceNotes
    features: NDArray[np.int64]
    stride: int

    def partial(self, piece: Block) -> tuple[NDArray[np.float64], float]:
        point = self.points[piece.first_document]
        total, weight = np.zeros((len(self.features), len(self.features))), 0.0
        for part, (two, weights) in zip(point.parts, point.targets.parts, strict=True):
            weight += add_curvature(
                piece.X,
                piece.rows.start,
                self.features,
                part.scores,
                two.levels,
                two.query_ptr,
                part.order,
                weights,
                self.stride,
                total,
            )
        return 2.0 * total, weight
