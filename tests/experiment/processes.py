"""Runs of `compare` in processes of their own, to be watched and killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from ranksieve.experiment import Store
from ranksieve.experiment.store.claims import Claims

ROOT = Path(__file__).parents[2]
_RUN = "from tests.experiment.child import main; main()"
# Seconds after which a test gives up waiting: no measure of speed.
_PATIENCE = 90.0


class Run:
    """A `compare` in a session of its own, with its workers."""

    def __init__(self, study, store, log, *, pause=0.0, limit=0, **options):
        request = {
            "study": study.to_json(),
            "store": str(store),
            "log": str(log),
            "pause": pause,
            "limit": limit,
            "options": options,
        }
        self._start([sys.executable, "-c", _RUN, json.dumps(request)], store)

    @classmethod
    def of(cls, command, store):
        """Another command that works at a store."""
        run = cls.__new__(cls)
        run._start(command, store)
        return run

    def _start(self, command, store):
        self.store = Path(store)
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.members():
            os.kill(process, signal.SIGKILL)
        self.process.communicate()

    def wait(self):
        """Wait for the end; return exit code, standard output and standard error."""
        out, err = self.process.communicate(timeout=_PATIENCE)
        return self.process.returncode, out, err

    def until_trials(self, number):
        """Wait until the store has so many trials."""
        wait_until(lambda: self.process.poll() is not None or n_trials(self.store) >= number)
        assert self.process.poll() is None, self.process.communicate()

    def workers(self):
        """The living processes of the session but the first."""
        return [process for process in self.members() if process != self.process.pid]

    def members(self):
        """The living processes of the session."""
        return [pid for pid in _processes() if _session(pid) == self.process.pid]

    def until_nobody_is_left(self):
        """Wait until the session has no living process."""
        if self.process.poll() is None and self.process.pid not in self.members():
            self.process.wait()
        wait_until(lambda: not self.members())


def environment():
    """The environment of a run: this one, with the sources that are tested."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}


def wait_until(happened):
    """Wait for something that must happen."""
    deadline = time.monotonic() + _PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.03)


def n_trials(store):
    """Trials in a store that another process may just be making."""
    if not store.exists() or store.stat().st_size == 0:
        return 0
    with closing(Store(store)) as opened:
        return opened.n_trials()


def noted(log):
    """How often each computation was begun, by kind and what it was given."""
    lines = Path(log).read_text().splitlines() if Path(log).exists() else []
    return Counter(tuple(line.split()[:2]) for line in lines)


def by_kind(counts):
    """How often each kind of computation was begun."""
    return sum((Counter({kind: n}) for (kind, _), n in counts.items()), Counter())


def nothing_is_claimed(store):
    """Whether no living process claims anything: a claim that is left may be taken over."""
    with closing(Store(store)) as opened, Claims(opened) as claims:
        keys = [row[0] for row in opened._read("SELECT key FROM claim")]
        return all(claims.take(key) for key in keys)


def _processes():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]


def _session(pid):
    """The session of a process, or -1 where it is gone or only waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return -1
    return -1 if fields[0] in "ZX" else int(fields[3])
