"""FSMRank's charge on similar and on unimportant features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cholesky

from ranksieve.errors import ParameterError
from ranksieve.penalties._numbers import check_length, store_number
from ranksieve.penalties._semidefinite import ROUNDING
from ranksieve.penalties.base import Charge, Penalty

# Importances between 0 and this count as this, so that a charge is finite.
LEAST_IMPORTANCE = 1e-6


@dataclass(frozen=True, eq=False)
class RedundancyPenalty(Penalty):
    """Charges weights of similar features together, and those of unimportant features more.

        value(w, strength) = similarity_strength / 2 * |w|' A |w| + strength * sum |w_i| / s_i

    A is the similarity of features and s their importance. In FSMRank's letters,
    similarity_strength is lambda1 and strength lambda2. Convex where A is positive semidefinite
    and nonnegative: see `make_semidefinite`. The redundancy is charged on |w|, as in the
    doubled form (2) of the paper; its form (1) charges signed products, which is another problem.

    The doubled form has a feature and its negative, so that A may differ from the similarity B
    of a feature with the negative of another. Two weights of equal signs are charged with A
    then, two of opposite signs with B. With S = (A + B) / 2 and D = (A - B) / 2 that is

        similarity_strength / 2 * (|w|' S |w| + w' D w).

    Parameters
    ----------
    similarity : (n, n) matrix A, or None, where features count as similar to themselves alone
        Symmetric, positive semidefinite, without negative entries.
    similarity_strength : number of at least 0
    importance : (n,) vector s, or None for all 1
        One of 0 or NaN, as constant features have, keeps a weight at 0; others are floored
        at LEAST_IMPORTANCE.
    mirrored : (n, n) matrix B, or None where it is A
        Symmetric, without negative entries off the diagonal, which charges nothing; S and D
        positive semidefinite.

    Notes
    -----
    Matrix and vector are computed from data, and are not part of the spelling: repr has the
    number alone. A proximal step is a least-squares problem with nonnegative weights, solved
    exactly by an active set: O(n^3). Solvers that take `charge` need no such step.

    References
    ----------
    Lai, Pan, Tang and Yu, FSMRank: feature selection algorithm for learning to rank, IEEE
    TNNLS 2013.

    Examples
    --------
    >>> penalty = RedundancyPenalty([[1.0, 0.5], [0.5, 1.0]], importance=[1.0, 0.5])
    >>> penalty.value(np.array([1.0, -1.0]), strength=0.5)
    3.0
    >>> penalty
    RedundancyPenalty(similarity_strength=1.0)
    """

    convex: ClassVar[bool] = True

    similarity: ArrayLike | None = field(default=None, repr=False)
    similarity_strength: float = 1.0
    importance: ArrayLike | None = field(default=None, repr=False)
    mirrored: ArrayLike | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        remedy = "It multiplies the similarities: try 1, or 0 for none."
        store_number(self, "similarity_strength", remedy, least=0.0)
        if self.similarity is None and self.mirrored is not None:
            raise ParameterError("mirrored needs a similarity beside it: give both, or neither.")
        if self.mirrored is not None:
            alike, mirrored = _pair(self.similarity, self.mirrored)
            object.__setattr__(self, "similarity", alike)
            object.__setattr__(self, "mirrored", mirrored)
        elif self.similarity is not None:
            object.__setattr__(self, "similarity", _similarity(self.similarity))
        if self.importance is not None:
            object.__setattr__(self, "importance", _importance(self.importance))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RedundancyPenalty):
            return NotImplemented
        return (
            self.similarity_strength == other.similarity_strength
            and _same(self.similarity, other.similarity)
            and _same(self.importance, other.importance)
            and _same(self.mirrored, other.mirrored)
        )

    def __hash__(self) -> int:
        return hash(self.similarity_strength)

    def value(self, w: NDArray[np.float64], strength: float) -> float:
        """Return the charge on w; inf where a weight that must be 0 is not."""
        return self.charge(w, strength).value(w)

    def derivative(self, w: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return similarity_strength * A |w| + strength / s.

        With a mirrored similarity, B in the place of A for weights of opposite signs; a weight
        of 0 counts as positive, and would cost more or less as a negative one.
        """
        charge = self.charge(w, strength)
        slopes = charge.thresholds(w)
        if charge.signed is None:
            return slopes
        by_sign: NDArray[np.float64] = np.where(w < 0.0, -1.0, 1.0) * (charge.signed @ w)
        return slopes + by_sign

    def critical_strength(self, gradient: NDArray[np.float64]) -> float:
        """Return the largest |gradient_i| * s_i: at 0 no similarity is charged."""
        inverse = self._inverse_importance(len(gradient))
        return float((np.abs(gradient) / inverse).max(initial=0.0))

    def charge(self, w: NDArray[np.float64], strength: float) -> Charge:
        """Return the penalty itself: strength / s and similarity_strength * A, or S and D."""
        linear = self._inverse_importance(len(w))
        # At strength 0, inf is still inf.
        np.multiply(strength, linear, out=linear, where=np.isfinite(linear))
        if self.similarity_strength == 0.0:
            return Charge(linear)
        matrix = np.eye(len(w)) if self.similarity is None else np.asarray(self.similarity)
        check_length("similarity", len(matrix), len(w))
        if self.mirrored is None:
            return Charge(linear, self.similarity_strength * matrix)
        half, mirrored = 0.5 * self.similarity_strength, np.asarray(self.mirrored)
        return Charge(linear, half * (matrix + mirrored), half * (matrix - mirrored))

    def _inverse_importance(self, n_weights: int) -> NDArray[np.float64]:
        if self.importance is None:
            return np.ones(n_weights)
        importance = np.asarray(self.importance)
        check_length("importance", len(importance), n_weights)
        positive = importance > 0.0
        inverse = np.full(n_weights, np.inf)
        inverse[positive] = 1.0 / np.maximum(importance[positive], LEAST_IMPORTANCE)
        return inverse


def _same(mine: ArrayLike | None, its: ArrayLike | None) -> bool:
    if mine is None or its is None:
        return mine is its
    return np.array_equal(mine, its, equal_nan=True)


def _similarity(spelled: Any) -> NDArray[np.float64]:
    matrix = _symmetric("similarity", spelled)
    if matrix.min(initial=0.0) < 0.0 or not _is_semidefinite(matrix, _rounding(matrix)):
        raise ParameterError(
            "similarity must be positive semidefinite and without negative entries, or the "
            f"penalty is not convex; its least entry is {matrix.min():.3g} and its least "
            f"eigenvalue {np.linalg.eigvalsh(matrix)[0]:.3g}. Pass make_semidefinite(A).matrix."
        )
    matrix.flags.writeable = False
    return matrix


def _pair(similarity: Any, mirrored: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    A, B = _symmetric("similarity", similarity), _symmetric("mirrored", mirrored)
    check_length("mirrored", len(B), len(A))
    least = min(A.min(initial=0.0), B[~np.eye(len(B), dtype=bool)].min(initial=0.0))
    rounding = max(_rounding(A), _rounding(B))
    halves = 0.5 * (A + B), 0.5 * (A - B)
    if least < 0.0 or not all(_is_semidefinite(half, rounding) for half in halves):
        eigenvalue = min(np.linalg.eigvalsh(half)[0] for half in halves)
        raise ParameterError(
            "half of similarity plus or minus mirrored must be positive semidefinite, and neither "
            "may have negative entries off the diagonal, or the penalty is not convex; the least "
            f"entry is {least:.3g} and the least eigenvalue {eigenvalue:.3g}. Pass matrix and "
            "mirrored of make_semidefinite(A, B)."
        )
    A.flags.writeable = B.flags.writeable = False
    return A, B


def _symmetric(name: str, spelled: Any) -> NDArray[np.float64]:
    matrix = np.array(spelled, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ParameterError(
            f"{name} must be features by features, but has the shape {matrix.shape}. "
            "Give what a similarity's matrix(data) returns."
        )
    largest = _largest(matrix)
    if not np.isfinite(largest) or not np.allclose(matrix, matrix.T, rtol=0.0, atol=1e-9 * largest):
        raise ParameterError(f"{name} must be symmetric and finite. Average it with its transpose.")
    return matrix


def _largest(matrix: NDArray[np.float64]) -> float:
    """Return the largest sum of sizes in a column: no eigenvalue is larger."""
    return float(np.abs(matrix).sum(axis=0).max(initial=0.0))


def _rounding(matrix: NDArray[np.float64]) -> float:
    return 2.0 * ROUNDING * _largest(matrix)


def _is_semidefinite(matrix: NDArray[np.float64], rounding: float) -> bool:
    try:
        cholesky(matrix + (rounding or 1.0) * np.eye(len(matrix)))
    except LinAlgError:
        return False
    return True


def _importance(values: Any) -> NDArray[np.float64]:
    importance = np.array(values, dtype=np.float64)
    if importance.ndim != 1 or bool((importance < 0.0).any()) or bool(np.isinf(importance).any()):
        raise ParameterError(
            f"importance must be a vector of numbers of at least 0, one per feature, but is "
            f"{values!r}. Take sizes where it has signs; 0 or NaN leaves a feature out."
        )
    importance.flags.writeable = False
    return importance
