"""ranksieve warm: compile now what the usual commands need, on all cores."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ranksieve.errors import RanksieveError

_CHILD = [sys.executable, "-m", "ranksieve.cli._warm_tasks"]


@click.command()
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option(
    "-w", "--workers", type=click.IntRange(min=1), help="Processes.  [default: one per core]"
)
def command(tasks: tuple[str, ...], workers: int | None) -> None:
    """Compile now what the usual commands need, so that their first run does not wait for it.

    TASK is one of select, train (RankSVM), sparse (SparseRankSVM), fsmrank (FSMRank), sieve and
    compare; without one it is all of them. Compiled code is kept for all later runs, in the folder
    NUMBA_CACHE_DIR or beside the installed package.
    """
    from ranksieve.catalog import suggestion
    from ranksieve.cli._output import console
    from ranksieve.cli._progress import progress_bars
    from ranksieve.cli._warm_tasks import TASKS
    from ranksieve.threads import n_threads

    for name in tasks:
        if name not in TASKS:
            raise click.UsageError(f"no task is called {name!r}{suggestion(name, TASKS)}")
    names = list(dict.fromkeys(tasks)) or list(TASKS)
    began = time.monotonic()
    with progress_bars():
        n_compiled = _run(names, min(workers or n_threads(), len(names)))
    seconds = time.monotonic() - began
    if n_compiled:
        console().print(f"{n_compiled} functions compiled in {seconds:.0f} s.")
    else:
        console().print(f"Nothing to do: all of it was compiled before ({seconds:.0f} s).")


def _run(names: list[str], n_processes: int) -> int:
    """Run the tasks in processes side by side; return how many functions were compiled."""
    from ranksieve.progress import report

    remaining, answers = deque(names), SimpleQueue[int | Exception]()
    for _ in range(n_processes):
        threading.Thread(target=_serve, args=(remaining, answers), daemon=True).start()
    n_compiled = 0
    for n_finished in range(len(names)):
        report("compiling", n_finished, len(names))
        answer = answers.get()
        if isinstance(answer, Exception):
            raise answer
        n_compiled += answer
    report("compiling", len(names), len(names))
    return n_compiled


def _serve(remaining: deque[str], answers: SimpleQueue[int | Exception]) -> None:
    """Give one process a task after the other, and pass on what it answers."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as messages, _process(messages) as process:
        while remaining and process.stdin is not None and process.stdout is not None:
            process.stdin.write(f"{remaining.popleft()}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            if not answer:
                messages.seek(0)
                answers.put(_failure(messages.read()))
                return
            answers.put(int(answer))


def _process(messages: IO[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        _CHILD,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=messages,
        text=True,
    )


def _failure(messages: str) -> RanksieveError:
    from ranksieve.errors import RanksieveError

    last = (messages.strip().splitlines() or ["the process ended"])[-1]
    return RanksieveError(
        f"not everything was compiled: {last}. Set NUMBA_CACHE_DIR to a folder that is writable "
        "and has room."
    )
