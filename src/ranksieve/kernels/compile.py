"""The one decorator of all kernels."""

from __future__ import annotations

from typing import Any

import numba

INTERPRETED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def compiled(function: Any = None, /, **options: Any) -> Any:
    """Compile a kernel on its first call, keep it on disk, and release the interpreter lock.

    Division by zero gives inf or nan as in numpy, and no loop pays for a check.
    """
    decorate = numba.njit(cache=True, nogil=True, error_model="numpy", **options)
    return decorate if function is None else decorate(function)
