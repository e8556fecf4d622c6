"""What ranksieve raises and warns with."""

from __future__ import annotations


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
