"""Checks of what solvers are given."""

from __future__ import annotations

import numpy as np

from ranksieve.errors import ParameterError


def check_positive(name: str, value: float) -> None:
    """Raise unless a parameter is a finite number above 0."""
    if not 0.0 < value < np.inf:
        raise ParameterError(f"{name} must be a number above 0, but is {value!r}")
