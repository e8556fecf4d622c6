"""Checks of the parameters that penalties share."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from ranksieve.errors import ParameterError


def store_number(
    penalty: Any,
    name: str,
    remedy: str,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
) -> None:
    """Store a parameter as a plain float, which its repr needs; raise where it is out of limits."""
    value = getattr(penalty, name)
    number = isinstance(value, Real) and not isinstance(value, bool)
    if number and above < float(value) < below and least <= float(value) <= most:
        object.__setattr__(penalty, name, float(value))
        return
    limits = {"above": above, "of at least": least, "below": below, "of at most": most}
    conditions = " and ".join(
        f"{word} {limit:g}" for word, limit in limits.items() if abs(limit) < math.inf
    )
    raise ParameterError(f"{name} must be a finite number {conditions}, but is {value!r}. {remedy}")


def check_length(name: str, length: int, n_weights: int) -> None:
    """Raise unless a parameter has one value per weight."""
    if length != n_weights:
        raise ParameterError(
            f"{name} must have one value per feature, but has {length} for {n_weights} features. "
            f"Give {n_weights} values, or None."
        )
