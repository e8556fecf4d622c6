"""What ranksieve raises and warns with."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

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


class StoreError(RanksieveError, OSError):
    """The store of a comparison cannot be written or read: nothing that was finished is lost."""


class RunError(RanksieveError, RuntimeError):
    """A comparison ended before everything was done: says why, and how to go on."""


class ClusterError(RanksieveError, RuntimeError):
    """A Dask cluster, or a worker of it, failed: says which worker, why, and what to do."""


class ConvergenceWarning(UserWarning):
    """A fit ended before its tolerance was met: gives the numbers."""


class JudgementWarning(UserWarning):
    """Documents of a log have no judgement and were left out: gives the numbers."""


def warn_caller(message: str, category: type[Warning] = ConvergenceWarning) -> None:
    """Warn, pointing at the line that called ranksieve, or scikit-learn on its behalf."""
    # Not by `inspect`, whose import would be felt at every start.
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
