"""Whether compiled kernels are kept on disk: done without where none can be kept."""

from __future__ import annotations

import os
from typing import Any

from ranksieve.errors import warn_caller

KernelCache: Any
try:
    from ranksieve.kernels.compile_files import KernelCache
except (ImportError, AttributeError):
    # Another numba, whose files are not the ones that we know: it keeps them without digests.
    KernelCache = None

# Set for processes whose parent has said that nothing can be kept.
QUIET = "RANKSIEVE_NO_CACHE_SAID"


class _State:
    """Whether nothing can be kept, whether something was not, and whether that was said."""

    unavailable = False
    failed = False
    said = bool(os.environ.get(QUIET))


def keep_on_disk(dispatcher: Any) -> None:
    """Let numba keep what it compiles of a function; say once per process if it cannot."""
    if _State.unavailable:
        return
    try:
        if KernelCache is None:
            dispatcher.enable_caching()
        else:
            dispatcher._cache = KernelCache(dispatcher.py_func, _say_once)
    # numba raises the first where none of its folders is writable; the others are of the paths.
    except (RuntimeError, OSError, ValueError):
        _State.unavailable = True
        _say_once()


def cannot_keep() -> bool:
    """Tell whether something that was compiled could not be kept."""
    return _State.failed


def _say_once() -> None:
    _State.failed = True
    if not _State.said:
        _State.said = True
        warn_caller(
            "compiled code cannot be kept, since no folder for it is writable: every start "
            "compiles again what it uses, which takes from some seconds to a minute. Set "
            "NUMBA_CACHE_DIR to a folder that is writable.",
            UserWarning,
        )
