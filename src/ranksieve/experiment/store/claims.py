"""Claims: who works at what, so that nothing runs twice, also after a process was killed.

A claim is a row that names its owner. An owner is a process that holds a lock on one byte of the
file beside the store, at its own number. The kernel drops the lock however the process ends,
so a claim whose owner's byte is free was left behind, and anyone may take it over.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from ranksieve.errors import StoreError
from ranksieve.experiment.store.store import Store

_SUFFIX = "-owners"


class Claims:
    """The claims of this process on the work of a store, until they are closed.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()) / "runs.db")
    >>> one, other = Claims(store), Claims(store)
    >>> one.take("a"), other.take("a"), other.take("b")
    (True, False, True)
    >>> one.release("a")
    >>> other.take("a")
    True
    >>> other.close()  # whatever it still held is anybody's
    >>> one.take("a"), one.take("b")
    (True, True)
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        # One file, by whichever name the store was opened.
        self._file = Path(f"{store.path.resolve()}{_SUFFIX}")
        with store.writing() as run:
            added = run("INSERT INTO owner (process) VALUES (?)", (os.getpid(),))
            self._owner = int(added.lastrowid)
        with _lock_errors(self._file):
            lock(self._file, self._owner)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave to others what is still claimed, also where the store cannot be written."""
        with _lock_errors(self._file):
            unlock(self._file, self._owner)

    def take(self, key: str) -> bool:
        """Claim a piece of work: False where another process is at it."""
        with self._store.writing() as run:
            found = run("SELECT owner FROM claim WHERE key = ?", (key,)).fetchone()
            if found is not None and not self._left_behind(found[0]):
                return bool(found[0] == self._owner)
            run("INSERT OR REPLACE INTO claim (key, owner) VALUES (?, ?)", (key, self._owner))
            return True

    def release(self, key: str) -> None:
        """Give up a claim: the work is done, or somebody else may do it."""
        with self._store.writing() as run:
            run("DELETE FROM claim WHERE key = ? AND owner = ?", (key, self._owner))

    def _left_behind(self, owner: int) -> bool:
        with _lock_errors(self._file):
            return owner != self._owner and is_free(self._file, owner)


@contextmanager
def _lock_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot lock {path}, which tells who works at what ({error.strerror or error}). "
            "Check the rights of file and folder, and that the disk has locks."
        ) from error


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
