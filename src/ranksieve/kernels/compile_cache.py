"""Compiled kernels on disk: checked when they are read, and done without where none can be kept."""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserWideCacheLocator,
)

from ranksieve.errors import warn_caller

# Set for processes whose parent has said that nothing can be kept.
QUIET = "RANKSIEVE_NO_CACHE_SAID"
_DIGEST_SIZE = hashlib.sha256().digest_size


class _State:
    """Whether nothing can be kept, and whether that was said."""

    unavailable = False
    said = bool(os.environ.get(QUIET))


def keep_on_disk(dispatcher: Any) -> None:
    """Let numba keep what it compiles of a function; say once per process if it cannot."""
    if _State.unavailable:
        return
    try:
        dispatcher._cache = _KernelCache(dispatcher.py_func)
    # numba raises the first where none of its folders is writable; the others are of the paths.
    except (RuntimeError, OSError, ValueError):
        _State.unavailable = True
        _say_once()


def _say_once() -> None:
    if not _State.said:
        _State.said = True
        warn_caller(
            "compiled code cannot be kept, since no folder for it is writable: every start "
            "compiles again what it uses, which takes from some seconds to a minute. Set "
            "NUMBA_CACHE_DIR to a folder that is writable.",
            UserWarning,
        )


class _KernelFiles(CompileResultCacheImpl):
    # Where a user has no home, numba would make a folder that is called "~".
    _locator_classes = [  # noqa: RUF012 - numba reads it under this name
        locator
        for locator in CompileResultCacheImpl._locator_classes
        if locator is not UserWideCacheLocator or os.path.expanduser("~") != "~"  # noqa: PTH111
    ]


class _KernelCache(FunctionCache):
    """numba's files of one kernel: what cannot be read is compiled and written again."""

    _impl_class = _KernelFiles

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _CheckedFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was kept for some types, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - whatever is wrong with a file, compiling mends it
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where the folder is still writable and the disk not full."""
        try:
            super().save_overload(sig, data)
        except OSError:
            _say_once()


class _CheckedFile(IndexDataCacheFile):
    """An index and data files that begin with a digest: damaged machine code would be run."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return hashlib.sha256(content).digest() + content

    def _load_index(self) -> dict[Any, str]:
        try:
            with Path(self._index_path).open("rb") as file:
                if pickle.load(file) != self._version:
                    return {}
                stamp, names = _undamaged(file.read())
        except Exception:  # noqa: BLE001 - damaged pickles raise all kinds of errors
            return {}
        return names if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        return _undamaged(Path(self._data_path(name)).read_bytes())


def _undamaged(content: bytes) -> Any:
    digest, rest = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    if hashlib.sha256(rest).digest() != digest:
        raise OSError("the digest is wrong")
    return pickle.loads(rest)
