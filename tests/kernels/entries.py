"""Kernels that only kernels call, with an entry from Python, so that tests can call them."""

from __future__ import annotations

from typing import Any

import numba

from ranksieve.kernels.compile import INTERPRETED
from ranksieve.kernels.compile_cache import keep_on_disk


def with_entry(kernel: Any) -> Any:
    """Return an inner kernel that can be called from Python."""
    if INTERPRETED:
        return kernel
    dispatcher = numba.njit(nogil=True, error_model="numpy")(kernel.py_func)
    keep_on_disk(dispatcher)
    return dispatcher
