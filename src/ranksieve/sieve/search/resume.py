"""Verdicts that outlive a run: a search that was ended goes on where it was.

Every verdict is written as soon as it is there, in a transaction of its own. What a process
was at when it was killed is done again, and nothing else.
"""

from __future__ import annotations

import hashlib
import io
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from ranksieve.errors import StoreError
from ranksieve.sieve.search.crossfit import CrossFit
from ranksieve.sieve.search.elimination import Judge, Task, Verdict

_TABLE = "CREATE TABLE IF NOT EXISTS verdict (key TEXT PRIMARY KEY, content BLOB NOT NULL)"


class VerdictStore:
    """Verdicts by key, in a SQLite file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        try:
            self._connection = sqlite3.connect(self._path, timeout=60.0, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(_TABLE)
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def get(self, key: str) -> Verdict | None:
        """Return what was kept, or None; what cannot be read counts as not kept."""
        try:
            row = self._connection.execute(
                "SELECT content FROM verdict WHERE key = ?", (key,)
            ).fetchone()
        except sqlite3.Error as error:
            raise self._failure(error) from None
        return None if row is None else _unpacked(row[0])

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict."""
        try:
            self._connection.execute(
                "INSERT OR REPLACE INTO verdict VALUES (?, ?)", (key, _packed(verdict))
            )
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _failure(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"{self._path} cannot keep the trainings of this sieve ({error}). Check that the disk "
            "is not full and the folder is writable, or name another folder."
        )


@dataclass(frozen=True, eq=False)
class StoredJudge:
    """Asks a store first, and lets a judge do what it does not have."""

    judge: CrossFit
    store: VerdictStore

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Verdict]:
        """Yield the verdicts in the order of the tasks."""
        requested = list(tasks)
        keys = [task_key(self.judge, task) for task in requested]
        stored = [self.store.get(key) for key in keys]
        missing = [task for task, verdict in zip(requested, stored, strict=True) if verdict is None]
        fresh = self.judge(missing)
        for key, verdict in zip(keys, stored, strict=True):
            if verdict is not None:
                yield verdict
                continue
            new = next(fresh)
            self.store.put(key, new)
            yield new


@contextmanager
def kept(path: str | os.PathLike[str] | None) -> Iterator[Callable[[CrossFit], Judge]]:
    """Give a function that lets a judge keep its verdicts in a file; without one, none does."""
    if path is None:
        yield lambda judge: judge
        return
    store = VerdictStore(path)
    try:
        yield lambda judge: StoredJudge(judge, store)
    finally:
        store.close()


def task_key(judge: CrossFit, task: Task) -> str:
    """Return a text that is equal for trainings that give the same verdict."""
    parts: Sequence[object] = (
        import_module("ranksieve").__version__,
        judge.data.fingerprint,
        repr(judge.ranker),
        judge.measure.describe(),
        judge.random_state,
        task.fold,
        np.packbits(judge.folds.members(task.fold)).tobytes().hex(),
        np.packbits(task.selected).tobytes().hex(),
        task.permuted,
    )
    return hashlib.blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()


def _packed(verdict: Verdict) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, values=verdict.values, losses=verdict.losses)
    return buffer.getvalue()


def _unpacked(content: bytes) -> Verdict | None:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return Verdict(arrays["values"], arrays["losses"])
    except Exception:  # noqa: BLE001 - whatever is wrong with it, training again mends it
        return None
