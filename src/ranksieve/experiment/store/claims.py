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
            claim = run("SELECT owner FROM claim WHERE key = ?", (key,)).fetchone()
            if claim is not None and not self._left_behind(claim[0]):
                return bool(claim[0] == self._owner)
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


def lock(path: Path, byte: int) -> None:
    """Lock a byte, which nobody else holds, until it is unlocked or this process ends."""
    descriptor = _opened(path)
    if not _try(descriptor, byte):
        raise OSError(f"byte {byte} of {path} is locked by another process")
    _held.add((os.getpid(), descriptor, byte))


def unlock(path: Path, byte: int) -> None:
    """Give up a lock; nothing where it is not held."""
    descriptor = _opened(path)
    if (os.getpid(), descriptor, byte) in _held:
        _unlock(descriptor, byte)
        _held.remove((os.getpid(), descriptor, byte))


def is_free(path: Path, byte: int) -> bool:
    """Return whether nobody, in this process or another, holds the lock of a byte."""
    descriptor = _opened(path)
    if (os.getpid(), descriptor, byte) in _held or not _try(descriptor, byte):
        return False
    _unlock(descriptor, byte)
    return True


def _opened(path: Path) -> int:
    path = path.resolve()
    with _opening:
        if path not in _files or _files[path][1] != _identity(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            status = os.fstat(descriptor)
            _files[path] = descriptor, (status.st_dev, status.st_ino)
        return _files[path][0]


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and number of a file: another file of the same name has others."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _try(descriptor: int, byte: int) -> bool:
        os.lseek(descriptor, byte, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int, byte: int) -> None:
        os.lseek(descriptor, byte, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(descriptor: int, byte: int) -> bool:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _unlock(descriptor: int, byte: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, byte)
