"""The sum of absolute weights, each times a factor of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.penalties._numbers import check_length
from ranksieve.penalties.base import Charge, Penalty


@dataclass(frozen=True, repr=False)
class WeightedL1Penalty(Penalty):
    """Strength times the sum of b_j |w_j|.

    Parameters
    ----------
    weights : sequence of b_j, one per feature, or None for all 1
        Not negative: 0 leaves a feature free, inf keeps its weight at 0, whatever the
        strength. In text, inf is written 1e999.

    Examples
    --------
    >>> penalty = WeightedL1Penalty([1.0, 3.0])
    >>> penalty.value(np.array([1.0, -2.0]), strength=0.5)
    3.5
    >>> penalty.critical_strength(np.array([0.3, -0.6]))
    0.3
    >>> WeightedL1Penalty([1.0, np.inf])
    WeightedL1Penalty(weights=(1.0, 1e999))
    """

    convex: ClassVar[bool] = True

    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if self.weights is None:
            return
        # A tuple compares, hashes and prints as a value does.
        object.__setattr__(self, "weights", _factors(self.weights))

    def __repr__(self) -> str:
        # `inf` is a name and not a literal, which is all that text may have.
        text = repr(self.weights).replace("inf", "1e999")
        return f"{type(self).__name__}(weights={text})"

    def value(self, w: NDArray[np.float64], strength: float) -> float:
        """Return strength * sum b_j |w_j|; inf where a weight that must be 0 is not."""
        return Charge(self.derivative(w, strength)).value(w)

    def derivative(self, w: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return strength * b_j, whatever w."""
        if self.weights is None:
            return np.full(len(w), float(strength))
        check_length("weights", len(self.weights), len(w))
        factors = np.array(self.weights)
        # At strength 0, inf is still inf.
        np.multiply(strength, factors, out=factors, where=np.isfinite(factors))
        return factors

    def critical_strength(self, gradient: NDArray[np.float64]) -> float:
        """Return the largest |gradient_j| / b_j: inf where a free feature has a gradient."""
        sizes, factors = np.abs(gradient), self.derivative(gradient, 1.0)
        moved = sizes > 0.0
        with np.errstate(divide="ignore"):
            return float((sizes[moved] / factors[moved]).max(initial=0.0))


def _factors(weights: Sequence[float]) -> tuple[float, ...]:
    try:
        factors = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        factors = np.full((), np.nan)
    if factors.ndim == 1 and bool((factors >= 0.0).all()):
        return tuple(factors.tolist())
    raise ParameterError(
        "weights must be a sequence of numbers of at least 0, one per feature, but is "
        f"{weights!r}. Write 0 for a feature that is free and inf for one that is left out."
    )
