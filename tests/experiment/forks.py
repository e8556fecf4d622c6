"""Many runs of `compare` in forks of one process, which end at chosen places by SIGKILL.

A fork costs no import, so that a run can be killed before every kind of SQL statement. This is a
program: `python -c "from tests.experiment.forks import main; main()" STUDY FOLDER SEED`.
It ends with 0 where all that it asserts holds, and says how many stores of each kind it filled.
"""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import sys
import traceback
from pathlib import Path

import numpy as np

from ranksieve.experiment import StoreError, Study, compare
from ranksieve.experiment.store import schema
from tests.experiment.cases import assert_still_there, computed, contents
from tests.experiment.child import note_computations
from tests.experiment.processes import by_kind, noted

_connect = sqlite3.connect
EMPTY = {"trial": {}, "model": {}, "part": {}}


def main():
    text, folder, seed = sys.argv[1:]
    study, place = Study.from_json(text), Path(folder)
    statements = _Statements()
    # In this process, so that its forks find every kernel loaded.
    with _patched(statements):
        compare(study, place / "undisturbed.db")
    expected = contents(place / "undisturbed.db")
    for scenario in (killed, together, full):
        own = place / scenario.__name__
        own.mkdir()
        rng = np.random.default_rng(int(seed))
        n_stores = scenario(study, own, expected, statements.count, rng)
        sys.stdout.write(f"{scenario.__name__}: {n_stores}\n")


def killed(study, place, expected, n_statements, rng):
    """A run is killed before a statement, a second one too, and a third does the rest."""
    points = rng.choice(np.arange(1, n_statements), 10, replace=False)
    for point in points:
        store, there = place / f"{point}.db", EMPTY
        for last in (point, rng.integers(1, n_statements)):
            # The second may end by itself, where less was left to do.
            _ended(_fork(study, store, die_at=int(last)))
            there, before = _held(store), there
            assert_still_there(before, there)
        _finish(study, store, place / f"{point}.log", expected, there)
    return len(points)


def together(study, place, expected, n_statements, rng):
    """Six runs begin at one moment, three of them are killed, and the others do everything."""
    for turn in range(3):
        store, log = place / f"{turn}.db", place / f"{turn}.log"
        gate, opened = os.pipe()
        points = [*rng.integers(1, n_statements // 2, size=3).tolist(), None, None, None]
        forks = [_fork(study, store, die_at=point, log=log, gate=gate) for point in points]
        os.write(opened, b"." * len(points))
        codes = [_ended(fork) for fork in forks]
        assert codes[3:] == [0, 0, 0]
        assert contents(store) == expected
        # A killed one was at one model, or at a part and what that needed.
        extra = by_kind(noted(log)) - computed(expected)
        assert sum(extra.values()) <= 2 * sum(code != 0 for code in codes)
    return turn + 1


def full(study, place, expected, n_statements, rng):
    """A run may not write more than so many bytes, says so, and goes on when it may."""
    limits = [0, 2000, 30_000, *rng.integers(40_000, 400_000, size=4).tolist()]
    for limit in limits:
        store = place / f"{limit}.db"
        assert _ended(_fork(study, store, limit=limit)) in (0, _FULL)
        _finish(study, store, place / f"{limit}.log", expected, _held(store))
    assert _ended(_fork(study, place / "again.db", limit=30_000)) == _FULL
    return len(limits)


def _finish(study, store, log, expected, there):
    assert _ended(_fork(study, store, log=log)) == 0
    after = contents(store)
    assert after == expected
    assert_still_there(there, after)
    assert by_kind(noted(log)) == computed(expected) - computed(there)


def _held(store):
    """What a store holds, which may not have its tables yet."""
    if not store.exists():
        return EMPTY
    connection = _connect(store)
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    connection.close()
    return contents(store) if tables else EMPTY


_FULL = 5


def _fork(study, store, *, die_at=None, limit=None, log=None, gate=None):
    """Start a run in a fork, and return its process."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        if log is not None:
            note_computations(str(log), setattr)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        if gate is not None:
            os.read(gate, 1)
        with _patched(_Statements(die_at)):
            compare(study, store)
        code = 0
    except StoreError as error:
        code = _FULL if "disk is full or failing" in str(error) else 1
        if code == 1:
            traceback.print_exc()
    except BaseException:  # noqa: BLE001 - a fork must not run on as its parent
        traceback.print_exc()
    os._exit(code)


def _ended(process):
    """Wait for a fork: its exit code, or minus the signal."""
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert code in (0, _FULL, -signal.SIGKILL), code
    return code


class _Statements:
    """Counts SQL statements; before a chosen one the process is killed."""

    def __init__(self, die_at=None):
        self.count, self._die_at = 0, die_at

    def __call__(self, statement):
        self.count += 1
        if self.count == self._die_at:
            os.kill(os.getpid(), signal.SIGKILL)


class _patched:  # noqa: N801 - used as a function
    """Every connection to a store tells each of its statements."""

    def __init__(self, statements):
        self._statements = statements

    def __enter__(self):
        def connect(*given, **options):
            connection = _connect(*given, **options)
            connection.set_trace_callback(self._statements)
            return connection

        schema.sqlite3.connect = connect

    def __exit__(self, *_):
        schema.sqlite3.connect = _connect
