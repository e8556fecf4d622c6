"""Claims: who works at what, so that nothing runs twice, also after a process was killed.

A claim is a row that names its owner. An owner is a process that holds a lock on one byte of the
file beside the store, at its own number. The kernel drops the lock however the process ends,
so a claim whose owner's byte is free was left behind, and anyone may take it over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from ranksieve.experiment.failures import StoreError
from ranksieve.experiment.store.locks import is_free, lock, unlock
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
