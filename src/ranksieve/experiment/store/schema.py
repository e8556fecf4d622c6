"""The tables of a store, the arrays in them, and the door through which every process opens it.

An array is kept as compressed bytes, without rounding and without pickle: the name of its type
(three bytes), the number of axes (one), the length of each (eight each, the lowest first), and the
numbers in C's order, little-endian.
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.paths import is_file
from ranksieve.errors import DataError, StoreError

# "rksv", which tells the file from any other SQLite database.
_APPLICATION = 0x726B7376
# Of the tables, and of what is in their columns. Another number is refused.
_FORMAT = 1
# Seconds to wait for another process's transaction: they last milliseconds.
_PATIENCE = 120.0
# Seconds between two attempts where SQLite itself does not wait.
_PAUSE = 0.01

_TABLES = """
CREATE TABLE study (
    id INTEGER PRIMARY KEY, spec TEXT NOT NULL UNIQUE, command TEXT NOT NULL,
    versions TEXT NOT NULL, folds TEXT NOT NULL
);
CREATE TABLE fold (
    fingerprint TEXT PRIMARY KEY, data TEXT NOT NULL, source TEXT NOT NULL, name TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE TABLE part (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, kind TEXT NOT NULL, component TEXT NOT NULL,
    content TEXT NOT NULL, arrays BLOB NOT NULL, seconds REAL NOT NULL, peak_memory INTEGER
);
CREATE TABLE model (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL,
    ranker TEXT NOT NULL, features BLOB NOT NULL, weights BLOB, validation BLOB,
    test BLOB NOT NULL, seconds REAL NOT NULL, peak_memory INTEGER, ending TEXT NOT NULL
);
CREATE TABLE trial (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL,
    variant TEXT NOT NULL, selector TEXT NOT NULL, number INTEGER NOT NULL, ranker TEXT NOT NULL,
    measures TEXT NOT NULL, seed INTEGER NOT NULL, version TEXT NOT NULL, setting TEXT NOT NULL,
    chosen BLOB, model INTEGER REFERENCES model (id), selection_seconds REAL, error TEXT
);
CREATE TABLE owner (id INTEGER PRIMARY KEY AUTOINCREMENT, process INTEGER NOT NULL);
CREATE TABLE claim (key TEXT PRIMARY KEY, owner INTEGER NOT NULL);
CREATE INDEX model_of_fold ON model (fingerprint);
CREATE INDEX trial_of_fold ON trial (fingerprint);
-- One row a trial with all that is known of it, whoever trained its model.
CREATE VIEW result AS
    SELECT trial.id, trial.key, fold.data, fold.name AS fold, trial.fingerprint, trial.variant,
           trial.selector, trial.setting, trial.number, trial.ranker, trial.measures, trial.seed,
           trial.version, trial.chosen, trial.selection_seconds, trial.error, trial.model,
           model.features, model.weights, model.validation, model.test, model.seconds,
           model.peak_memory, model.ending
    FROM trial JOIN fold USING (fingerprint) LEFT JOIN model ON model.id = trial.model;
"""


def connect(path: Path, *, create: bool = True) -> sqlite3.Connection:
    """Open a store, in WAL mode; make its tables where the file is new or empty."""
    if not create and not is_file(path):
        raise DataError(f"{path} does not exist. `ranksieve compare` makes a store.")
    if not path.resolve().parent.is_dir():
        raise DataError(f"cannot open {path}: its folder does not exist. Create it first.")
    if path.exists() and not path.is_file():
        raise DataError(f"cannot open {path}: it is not a file. Give the name of a store.")
    with store_errors(path):
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepare_patiently(connection, path, create=create)
        except BaseException:
            connection.close()
            raise
        return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a store to read it, also one that may not be written, as on a read-only disk."""
    if not path.is_file() or _may_write(path):
        return connect(path, create=False)
    with store_errors(path):
        # Without a log beside it nobody is at it, and SQLite needs no files of its own.
        still = "&immutable=1" if not Path(f"{path.resolve()}-wal").exists() else ""
        address = f"{path.resolve().as_uri()}?mode=ro{still}"
        connection = sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)
        try:
            _check_mark(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all that happens inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Where the disk is full, SQLite may have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Say in words what SQLite says in codes."""
    try:
        yield
    except sqlite3.Error as error:
        raise _in_words(path, error) from error
    except UnicodeDecodeError as error:
        raise _damaged(path, error) from error


def _prepare_patiently(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    """Prepare; again where another process is at it: SQLite does not wait while modes change."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            _prepare(connection, path, create=create)
            return
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


def _prepare(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    # Tables first: they come together with the mark, so that where they are, it is there too.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables or not create:
        _check_mark(connection, path)
        _set_up(connection)
        return
    _set_up(connection)
    with transaction(connection):
        # Another process may have been faster.
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # A transaction survives the end of any process; only a power cut may undo the last ones, and
    # the file stays whole. FULL would double the time of short trials: docs/experiments.md.
    connection.execute("PRAGMA synchronous = NORMAL")


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)


def _check_mark(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise DataError(
            f"{path} is no store that `ranksieve compare` made. Give another name for --store."
        )
    number = connection.execute("PRAGMA user_version").fetchone()[0]
    if number != _FORMAT:
        raise DataError(_other_format(connection, path, number))


def _other_format(connection: sqlite3.Connection, path: Path, number: int) -> str:
    """Return what to do with a store of another format: it says itself which version made it."""
    version = _maker(connection)
    reader = f"ranksieve {version}, which made it, reads it: install that version"
    if version is None:
        age = "a later" if number > _FORMAT else "an earlier"
        reader = f"It was made by {age} version, which reads it: install that one"
    ours = import_module("ranksieve").__version__
    return (
        f"{path} has format {number}, and ranksieve {ours} reads format {_FORMAT}. {reader}, or "
        "run the study into a new store."
    )


def _maker(connection: sqlite3.Connection) -> str | None:
    """Return the version of ranksieve that ran the latest study; None where it cannot be read."""
    try:
        row = connection.execute("SELECT versions FROM study ORDER BY id DESC LIMIT 1").fetchone()
        return str(json.loads(row[0])["ranksieve"])
    except (sqlite3.Error, ValueError, TypeError, KeyError):
        return None


def _damaged(path: Path, error: Exception) -> DataError:
    return DataError(
        f"{path} is no store that `ranksieve compare` made, or it was damaged ({error}). "
        "Give another name for --store, or restore it from a copy."
    )


def _is_busy(error: sqlite3.Error) -> bool:
    return (getattr(error, "sqlite_errorname", "") or "").startswith("SQLITE_BUSY")


def _in_words(path: Path, error: sqlite3.Error) -> Exception:
    code = getattr(error, "sqlite_errorname", "") or ""
    if code.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return StoreError(
            f"cannot write {path}: the disk is full or failing ({error}). What was finished is "
            "kept. Make room, and run the same command again: it does only what is missing."
        )
    if code.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return _damaged(path, error)
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return StoreError(f"cannot write {path} ({error}). Check the rights of file and folder.")
    if _is_busy(error):
        return StoreError(
            f"{path} was locked by another process for {_PATIENCE:.0f} s. Is it on a network disk, "
            "or held by a database browser? Close that, and run the command again."
        )
    return StoreError(f"{path}: {error}")


_TYPES = (b"<f8", b"<i8", b"|b1")


def packed(array: NDArray[Any]) -> bytes:
    """Return an array of numbers (float64, int64 or bool) as bytes.

    Examples
    --------
    >>> unpacked(packed(np.array([0.1, np.nan])))
    array([0.1, nan])
    """
    kind = array.dtype.newbyteorder("<").str.encode()
    if kind not in _TYPES:
        raise TypeError(f"arrays of float64, int64 and bool are kept, not of {array.dtype}")
    head = kind + struct.pack(f"<B{array.ndim}Q", array.ndim, *array.shape)
    return zlib.compress(head + np.ascontiguousarray(array).astype(kind.decode()).tobytes(), 1)


def unpacked(content: bytes) -> NDArray[Any]:
    """Return the array that `packed` made bytes of."""
    try:
        raw = zlib.decompress(content)
        if raw[:3] not in _TYPES:
            raise ValueError(f"unknown type {raw[:3]!r}")
        n_axes = raw[3]
        shape = struct.unpack_from(f"<{n_axes}Q", raw, 4)
        numbers = np.frombuffer(raw, dtype=raw[:3].decode(), offset=4 + 8 * n_axes)
        # A copy, since what is made of bytes cannot be written to.
        return numbers.reshape(shape).copy()
    except (zlib.error, ValueError, IndexError, struct.error) as error:
        raise DataError(
            f"the store holds an array that cannot be read ({error}): it was damaged. Restore it "
            "from a copy, or run the study into a new store."
        ) from None
