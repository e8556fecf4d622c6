"""What the processes run that tests start and kill: `compare`, noting each computation.

A request is one JSON text, the only argument. Computations are noted in the file that the
variable below names, a line each, before they begin.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from pathlib import Path

_LOG, _PAUSE = "RANKSIEVE_TEST_LOG", "RANKSIEVE_TEST_PAUSE"
# How many processes begin together, where that is in the environment.
TOGETHER = "RANKSIEVE_TEST_TOGETHER"
# Exit code of a run that ended with an error of ranksieve's own, which is on standard output.
OWN_ERROR = 4


def main():
    from ranksieve.errors import RanksieveError
    from ranksieve.experiment import Study, compare

    request = json.loads(sys.argv[1])
    if request["limit"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["limit"], request["limit"]))
    note_in_workers(request["log"], setattr, os.environ.__setitem__, pause=request["pause"])
    start()
    try:
        compare(Study.from_json(request["study"]), request["store"], **request["options"])
    except RanksieveError as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        sys.stdout.flush()
        os._exit(OWN_ERROR)


def note_in_workers(log, put, put_variable, *, pause=0.0):
    """Let workers that start later note what they compute; what is put may be undone."""
    from ranksieve.experiment.run import workers

    put_variable(_LOG, str(log))
    put_variable(_PAUSE, str(pause))
    before, _, _ = workers._START.rpartition("main()")
    put(workers, "_START", f"{before}from tests.experiment.child import start; start(); main()")


def start():
    """Note what this process computes, as the environment says, from when the others do too."""
    _wait_for_others(os.environ[_LOG] + ".ready", int(os.environ.get(TOGETHER, "1")))
    note_computations(os.environ[_LOG], setattr, pause=float(os.environ[_PAUSE]))


def note_computations(log, put, *, pause=0.0):
    """Wrap whatever computes; `put(module, name, value)` is `setattr`, or one that is undone."""
    from ranksieve.experiment.run import jobs
    from ranksieve.experiment.run.train import FoldWork
    from ranksieve.selectors import SharedComponent

    def noted(kind, function):
        def wrapper(*given, **options):
            said = repr([getattr(one, "fingerprint", one) for one in given if not callable(one)])
            mark = hashlib.sha256(said.encode()).hexdigest()[:16]
            _append(log, f"{kind} {mark} {os.getpid()}\n")
            time.sleep(pause)
            return function(*given, **options)

        return wrapper

    def trained(work, text, features, _trained=FoldWork.trained):
        call = noted("trained", lambda train, *given: _trained(work, *given))
        return call(work.fold.train, text, features)

    put(FoldWork, "trained", trained)
    for name in ("models", "selection", "trace"):
        put(jobs, name, noted(name, getattr(jobs, name)))

    def numbers(shared, data, _numbers=SharedComponent.numbers):
        return noted(shared.parameter, lambda text, data: _numbers(shared, data))(shared.text, data)

    put(SharedComponent, "numbers", numbers)


def _wait_for_others(ready, number):
    """Wait until so many processes have come here, for a minute at most."""
    if number > 1:
        _append(ready, ".")
        end = time.monotonic() + 60.0
        while Path(ready).stat().st_size < number and time.monotonic() < end:
            time.sleep(0.005)


def _append(log, line):
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(descriptor, line.encode())
    os.close(descriptor)
