"""Locks on single bytes of a file, which end with the process, however it ends."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

# Path to an open file and which one it is (device and number). A process's locks on a file end
# when it closes the file anywhere: opened once, and kept, also where it was deleted since.
_files: dict[Path, tuple[int, tuple[int, int]]] = {}
# What a process holds, by descriptor and byte: to itself, its own locks look free. With the
# process, since a fork has what is noted here, and not the locks.
_held: set[tuple[int, int, int]] = set()
_opening = threading.Lock()


def lock(path: Path, place: int) -> None:
    """Lock a byte, which nobody else holds, until it is unlocked or this process ends."""
    descriptor = _opened(path)
    if not _try(descriptor, place):
        raise OSError(f"byte {place} of {path} is locked by another process")
    _held.add((os.getpid(), descriptor, place))


def unlock(path: Path, place: int) -> None:
    """Give up a lock; nothing where it is not held."""
    descriptor = _opened(path)
    if (os.getpid(), descriptor, place) in _held:
        _unlock(descriptor, place)
        _held.remove((os.getpid(), descriptor, place))


def is_free(path: Path, place: int) -> bool:
    """Return whether nobody, in this process or another, holds the lock of a byte."""
    descriptor = _opened(path)
    if (os.getpid(), descriptor, place) in _held or not _try(descriptor, place):
        return False
    _unlock(descriptor, place)
    return True


def _opened(path: Path) -> int:
    path = path.resolve()
    with _opening:
        if path not in _files or _files[path][1] != _which(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            found = os.fstat(descriptor)
            _files[path] = descriptor, (found.st_dev, found.st_ino)
        return _files[path][0]


def _which(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from one that had its name before."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


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
