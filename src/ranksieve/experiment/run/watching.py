"""What a computation costs, and how it ended."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

_PROCESS = Path("/proc/self")
# Fitted attributes that say how a fit ended.
_ENDINGS = ("C", "converged", "n_iter", "objective", "gap")


@dataclass
class Cost:
    """Seconds, the process's peak memory in bytes (None where it cannot be told), warnings."""

    seconds: float = 0.0
    peak_memory: int | None = None
    warnings: list[str] = field(default_factory=list)


@contextmanager
def watched() -> Iterator[Cost]:
    """Measure what happens inside; warnings are kept instead of shown.

    Examples
    --------
    >>> with watched() as cost:
    ...     _ = np.zeros(10)
    >>> cost.seconds > 0, cost.warnings
    (True, [])
    """
    cost = Cost()
    resets = _reset_peak()
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield cost
        finally:
            cost.seconds = time.perf_counter() - started
            cost.peak_memory = _peak() if resets else None
            cost.warnings = list(dict.fromkeys(str(warning.message) for warning in caught))


def ending(fitted: Any, cost: Cost) -> dict[str, Any]:
    """Return how a fit ended, as far as the estimator says so, and what it warned of."""
    found: dict[str, Any] = {}
    for name in _ENDINGS:
        value = getattr(fitted, f"{name}_", None)
        if isinstance(value, bool | int | float | np.number | np.bool_):
            found[name] = value.item() if isinstance(value, np.generic) else value
    if cost.warnings:
        found["warnings"] = cost.warnings
    return found


def _reset_peak() -> bool:
    """Start the count of the process's peak memory anew, where the system can (Linux)."""
    try:
        (_PROCESS / "clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _peak() -> int | None:
    for line in (_PROCESS / "status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None
