"""Queries that certify are opened once: a list of those that were, for each user of a machine."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError, warn_caller

_TABLE = (
    "CREATE TABLE IF NOT EXISTS opening "
    "(query INTEGER NOT NULL, question TEXT NOT NULL, day TEXT NOT NULL, "
    "PRIMARY KEY (query, question)) WITHOUT ROWID"
)
# Variables that a statement may have in every SQLite.
_MOST_VARIABLES = 500


@dataclass(frozen=True)
class Opened:
    """How many of some queries were opened before, for another question, and when last."""

    n_queries: int
    day: str


def openings_file() -> Path:
    """Return the file of openings: RANKSIEVE_STATE, else the user's folder for states."""
    folder = os.environ.get("RANKSIEVE_STATE")
    if folder:
        return Path(folder) / "openings.db"
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "ranksieve" / "openings.db"


def check_unopened(queries: NDArray[np.uint64], question: str) -> None:
    """Raise DataError where queries were opened for another question; nothing is noted.

    For a look before hours of work: `open_once` looks again.
    """
    if not openings_file().exists():
        return
    try:
        with closing(_connection()) as connection, connection:
            opened = _opened(connection, queries, question)
    except (OSError, sqlite3.Error):
        return  # said when the queries are opened
    if opened is not None:
        raise _refusal(opened, len(queries))


def open_once(queries: NDArray[np.uint64], question: str, *, reopen: bool) -> bool:
    """Note that queries are opened for a question; tell whether they were open already.

    The same question may be asked again: its models are the same, and so is its answer. Another
    one, such as another margin, would choose what to ask by what the first answer was: that is
    refused, unless `reopen` asks for it.

    Parameters
    ----------
    queries : fingerprints of the queries
    question : a text that is equal where the models are
    reopen : whether to go on where queries were opened before
    """
    try:
        with closing(_connection()) as connection, connection:
            opened = _opened(connection, queries, question)
            if opened is not None and not reopen:
                raise _refusal(opened, len(queries))
            _note(connection, queries, question)
    except (OSError, sqlite3.Error) as error:
        warn_caller(
            f"cannot note in {openings_file()} that these queries were opened ({error}): a second "
            "look at them will not be noticed",
            UserWarning,
        )
        return False
    return opened is not None


def _connection() -> sqlite3.Connection:
    path = openings_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=60.0)
    connection.execute(_TABLE)
    return connection


def _opened(
    connection: sqlite3.Connection, queries: NDArray[np.uint64], question: str
) -> Opened | None:
    numbers = queries.view(np.int64).tolist()
    n_queries, last = 0, ""
    for start in range(0, len(numbers), _MOST_VARIABLES):
        part = numbers[start : start + _MOST_VARIABLES]
        marks = ",".join("?" * len(part))
        count, day = connection.execute(
            f"SELECT COUNT(DISTINCT query), MAX(day) FROM opening "
            f"WHERE question <> ? AND query IN ({marks})",
            (question, *part),
        ).fetchone()
        n_queries, last = n_queries + count, max(last, day or "")
    return Opened(n_queries, last) if n_queries else None


def _note(connection: sqlite3.Connection, queries: NDArray[np.uint64], question: str) -> None:
    day = datetime.now(UTC).date().isoformat()
    connection.executemany(
        "INSERT OR IGNORE INTO opening VALUES (?, ?, ?)",
        [(query, question, day) for query in queries.view(np.int64).tolist()],
    )


def _refusal(opened: Opened, n_queries: int) -> DataError:
    return DataError(
        f"{opened.n_queries:,} of the {n_queries:,} queries that certify were opened before, last "
        f"on {opened.day}, for another question (other data, margin, ranker, seed or costs). What "
        "is asked after seeing an answer is not proven by the same queries. Give queries that "
        "nothing has seen; or leave certify out; or set reopen (--reopen) to look again, which is "
        "marked and certifies nothing."
    )
