"""What ranksieve raises and warns with."""

from __future__ import annotations

import inspect
import warnings

# Modules between a caller and a warning.
_OURS = ("ranksieve.", "sklearn.")


class RanksieveError(Exception):
    """Base of every error that ranksieve raises on purpose."""


class DataError(RanksieveError, ValueError):
    """Data that cannot be used as it is: says where, what was found, and what to do."""


class ParameterError(RanksieveError, ValueError):
    """A parameter or a name that is not valid: says what would be."""


class MissingDependencyError(RanksieveError, ImportError):
    """A package that this call needs is not installed: shows its install line."""


class ConvergenceWarning(UserWarning):
    """A fit ended before its tolerance was met: gives the numbers."""


def warn_caller(message: str, category: type[Warning] = ConvergenceWarning) -> None:
    """Warn, pointing at the line that called ranksieve, or scikit-learn on its behalf."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
