"""numba's files of compiled kernels, with digests: what was damaged is compiled again.

This builds on classes of numba that it does not promise to keep; see `compile_cache`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserWideCacheLocator,
)
from numba.core.runtime.nrt import rtsys

_DIGEST_SIZE = hashlib.sha256().digest_size


class _KernelFiles(CompileResultCacheImpl):
    # Where a user has no home, numba would make a folder that is called "~".
    _locator_classes = [  # noqa: RUF012 - numba reads it under this name
        locator
        for locator in CompileResultCacheImpl._locator_classes
        if locator is not UserWideCacheLocator or os.path.expanduser("~") != "~"  # noqa: PTH111
    ]


class KernelCache(FunctionCache):
    """numba's files of one kernel: what cannot be read is compiled and written again."""

    _impl_class = _KernelFiles

    def __init__(self, function: Any, cannot_keep: Callable[[], None]) -> None:
        super().__init__(function)
        self._cannot_keep = cannot_keep
        self._cache_file = _CheckedFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was kept for some types, or None.

        What is on disk is machine code, and numba's own version of this prepares a compiler: a
        sixth of a second. The only thing that code needs is what allocates arrays.
        """
        try:
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - whatever is wrong with a file, compiling mends it
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, where the folder is still writable and the disk not full."""
        try:
            super().save_overload(sig, data)
        except OSError:
            self._cannot_keep()


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
    digest, payload = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    if hashlib.sha256(payload).digest() != digest:
        raise OSError("the digest is wrong")
    return pickle.loads(payload)
