"""The one decorator of all kernels."""

from __future__ import annotations

from typing import Any

import numba

from ranksieve.kernels.compile_cache import keep_on_disk

INTERPRETED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def compiled(function: Any = None, /, **options: Any) -> Any:
    """Compile a kernel on its first call, keep it on disk, and release the interpreter lock.

    Division by zero gives inf or nan as in numpy, and no loop pays for a check. A function
    whose name starts with an underscore is called by kernels alone: it gets neither an entry
    from Python nor a place on disk, which saves a quarter of the time of a first call.
    """

    def decorate(kernel: Any) -> Any:
        inner = kernel.__name__.startswith("_")
        # numba's type stubs do not know the two options without an entry.
        settings: dict[str, Any] = {"no_cfunc_wrapper": True, "no_cpython_wrapper": inner}
        settings |= options
        dispatcher = numba.njit(nogil=True, error_model="numpy", **settings)(kernel)
        if not inner and not INTERPRETED:
            keep_on_disk(dispatcher)
        return dispatcher

    return decorate if function is None else decorate(function)
