"""Locks on single bytes of a file, which end with the process, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# A process's locks on a file end when it closes the file anywhere: opened once, and kept.
_files: dict[Path, int] = {}
# What this process holds: to itself, its own locks look free.
_held: set[tuple[Path, int]] = set()


def lock(path: Path, place: int) -> None:
    """Lock a byte, which nobody else holds, until this process ends."""
    if not _try(_opened(path), place):
        raise OSError(f"byte {place} of {path} is locked by another process")
    _held.add((path.resolve(), place))


def is_free(path: Path, place: int) -> bool:
    """Return whether no living process holds the lock of a byte."""
    if (path.resolve(), place) in _held:
        return False
    descriptor = _opened(path)
    if not _try(descriptor, place):
        return False
    _unlock(descriptor, place)
    return True


def _opened(path: Path) -> int:
    path = path.resolve()
    if path not in _files:
        _files[path] = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    return _files[path]


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _try(descriptor: int, place: int) -> bool:
        os.lseek(descriptor, place, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int, place: int) -> None:
        os.lseek(descriptor, place, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(descriptor: int, place: int) -> bool:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _unlock(descriptor: int, place: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)
