"""Weights of features that are linear in each other, moved to as few of them as can carry them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.solvers._protocols import Risk

# Others may leave this share of a feature's squared spread where it depends on them: more than the
# rounding of float32 features leaves, and far less than any information of its own. Parts of a
# combination that are below the root of it are rounding too.
_DEPENDENT, _NO_PART = 1e-11, 1e-5
# Up to this number, features are all measured together, once.
_FEW_FEATURES = 512
# Relative differences of costs, and of the curvatures of copies, that are rounding.
_ROUNDING, _COPY = 1e-7, 1e-6

Cost = Callable[[NDArray[np.float64]], float]


class Dependence:
    """Which features are linear in each other on all pairs of a risk, looked up when asked for.

    Of features that depend on each other, a move of the weights along their combination changes
    no margin of any pair. Between the points where a weight becomes 0 a penalty that is concave
    in |w| is concave along such a move, and it does not fall on the way to infinity: it is least
    where a weight is 0.
    """

    def __init__(self, risk: Risk) -> None:
        self.risk = risk
        self._varying = np.flatnonzero(risk.curvatures > 0.0)
        self._independent = np.zeros(risk.n_weights, dtype=bool)
        self._measured: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def fewest(self, w: NDArray[np.float64], cost: Cost) -> NDArray[np.float64]:
        """Return weights with the same margins on features that do not depend on each other.

        `cost` is a penalty that is concave in |w|; that of the weights never rises. Of the weights
        that can be reached, those with the least sum of sizes are taken, and where several are
        equal the first features keep theirs: of copies, the first has it all.
        """
        features = self._involved(w)
        if self._are_independent(features):
            return w
        return _reduced(w, features, self._gram(features, 1), cost)

    def _involved(self, w: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the features with weights, and earlier ones that may be copies of them."""
        curvatures = self.risk.curvatures
        used = (w != 0.0) & (curvatures > 0.0)
        order = np.argsort(curvatures, kind="stable")
        steps = np.diff(curvatures[order]) > _COPY * curvatures[order][1:]
        group = np.empty(len(w), dtype=np.int64)
        group[order] = np.concatenate([[0], np.cumsum(steps)])
        last_used = np.full(len(w), -1)
        np.maximum.at(last_used, group[used], np.flatnonzero(used))
        involved = used | ((np.arange(len(w)) < last_used[group]) & (curvatures > 0.0))
        return np.flatnonzero(involved)

    def _are_independent(self, features: NDArray[np.int64]) -> bool:
        """Tell whether none depends on others, as none of a larger set or of a sample does."""
        for stride in dict.fromkeys((self.risk.sampling, 1)):
            if self._independent[features].all():
                return True
            if _least_eigenvalue(self._gram(features, stride)) > _DEPENDENT:
                return True
        return False

    def _gram(self, features: NDArray[np.int64], stride: int) -> NDArray[np.float64]:
        """Return products of features summed over pairs, up to a factor."""
        measured, gram = self._measured.get(stride, (features[:0], np.empty((0, 0))))
        if not np.isin(features, measured).all():
            all_at_once = len(self._varying) <= _FEW_FEATURES
            measured = self._varying if all_at_once else np.union1d(features, measured)
            # With weights of 0 all pairs are within the margin and count alike.
            self.risk.value_and_grad(np.zeros(self.risk.n_weights))
            self.risk.accept()
            gram = self.risk.hessian(measured, stride)
            self._measured[stride] = measured, gram
            if _least_eigenvalue(gram) > _DEPENDENT:
                self._independent = np.isin(np.arange(self.risk.n_weights), measured)
        at = np.searchsorted(measured, features)
        return gram[np.ix_(at, at)]


def _least_eigenvalue(gram: NDArray[np.float64]) -> float:
    return float(np.linalg.eigvalsh(_scaled(gram)[0])[0])


def _scaled(gram: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the matrix with a diagonal of 1, and what rows were divided by."""
    squares = np.diag(gram)
    # A feature may be constant in a sample of the queries.
    spreads = np.sqrt(np.where(squares > 0.0, squares, 1.0))
    scaled: NDArray[np.float64] = gram / np.outer(spreads, spreads)
    return scaled, spreads


def _reduced(
    w: NDArray[np.float64], features: NDArray[np.int64], gram: NDArray[np.float64], cost: Cost
) -> NDArray[np.float64]:
    """Visit features by index; whatever depends on those before it, or one of them, goes to 0."""
    from scipy.linalg import solve_triangular

    scaled, spreads = _scaled(gram)
    basis: list[int] = []
    w = w.copy()
    factor: NDArray[Any] = np.empty((0, 0))
    for new in range(len(features)):
        row = solve_triangular(factor, scaled[basis, new], lower=True) if basis else np.empty(0)
        remainder = 1.0 - float(row @ row)
        if remainder > _DEPENDENT:
            factor = np.block([[factor, np.zeros((len(basis), 1))], [row, np.sqrt(remainder)]])
            basis.append(new)
            continue
        shares = solve_triangular(factor, row, lower=True, trans="T")
        members = np.array([*basis, new])
        combination = np.append(-shares, 1.0) / spreads[members]
        combination[:-1][np.abs(shares) < _NO_PART] = 0.0
        dropped = _move(w, features[members], combination, cost)
        if dropped < len(basis):
            basis = [*basis[:dropped], *basis[dropped + 1 :], new]
            factor = np.linalg.cholesky(scaled[np.ix_(basis, basis)])
    return w


def _move(
    w: NDArray[np.float64], features: NDArray[np.int64], way: NDArray[np.float64], cost: Cost
) -> int:
    """Move the weights of features along a way to where one of them is 0; tell which.

    Of the moves that cost no more, to the least sum of sizes. Where several are equal, the last
    feature by index loses its weight.
    """
    positions = np.flatnonzero(way)
    trials = np.repeat(w[None], len(positions), axis=0)
    lengths = w[features[positions]] / way[positions]
    trials[:, features] -= np.outer(lengths, way)
    trials[np.arange(len(positions)), features[positions]] = 0.0
    costs = np.array([cost(trial) for trial in trials])
    sums = np.abs(trials).sum(axis=1)
    # The way is concave between these points: one of them costs no more, but for rounding.
    sums[costs > max(cost(w), costs.min()) * (1.0 + _ROUNDING)] = np.inf
    equal = np.flatnonzero(sums <= sums.min() * (1.0 + _ROUNDING))
    chosen = equal[features[positions[equal]].argmax()]
    w[:] = trials[chosen]
    return int(positions[chosen])
