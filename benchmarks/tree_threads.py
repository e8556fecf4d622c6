"""LightGBM, XGBoost and CatBoost on one and two threads: beside nothing, and beside busy processes.

A library whose threads wait for each other actively spends CPU time without getting on where
other processes have the cores. Seconds by the clock, and of CPU time over all threads.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.datasets import described
from ranksieve import CatBoostRanker, LightGBMRanker, RankingData, XGBoostRanker, make_ranking

THREADS = (1, 2)
# Queries of 20 documents (MQ2008 has about as many), and rounds that keep a run short.
SIZES = {"small": (500, 20, 10), "large": (2000, 100, 3)}
# Seconds after which a process that keeps a core busy ends, whatever became of this one.
LONGEST = 30.0
RANKERS = (LightGBMRanker, XGBoostRanker, CatBoostRanker)


def main() -> None:
    print(
        "Boosted trees on one and two threads, seconds by the clock (of CPU time); load average "
        f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before the start"
    )
    for name, (n_queries, n_documents, n_rounds) in SIZES.items():
        data, _ = make_ranking(
            n_queries, n_documents, n_relevant=10, n_redundant=10, n_irrelevant=26, random_state=0
        )
        print(f"  {described(name, data)}, {n_rounds} rounds")
        for ranker in RANKERS:
            compare(ranker, data, n_rounds)


def compare(ranker: type, data: RankingData, n_rounds: int) -> None:
    """Print one line: each number of threads, beside nothing and beside busy processes."""
    ranker(1, n_jobs=1).fit(data)
    cells = [measured(ranker, data, n_rounds, n_jobs) for n_jobs in THREADS]
    with busy(os.cpu_count() or 1):
        cells += [measured(ranker, data, n_rounds, n_jobs) for n_jobs in THREADS]
    print(
        f"    {ranker.__name__:16} alone {cells[0]}, {cells[1]}   busy {cells[2]}, {cells[3]}",
        flush=True,
    )


def measured(ranker: type, data: RankingData, n_rounds: int, n_jobs: int) -> str:
    """Seconds by the clock and of CPU time of one fit."""
    started, used = time.perf_counter(), time.process_time()
    ranker(n_rounds, n_jobs=n_jobs).fit(data)
    return f"{time.perf_counter() - started:6.2f} s ({time.process_time() - used:6.2f})"


@contextlib.contextmanager
def busy(n_processes: int) -> Iterator[None]:
    """Keep all cores busy inside the `with`."""
    loop = f"import time; end = time.monotonic() + {LONGEST}\nwhile time.monotonic() < end: pass"
    command = [sys.executable, "-c", loop]
    with contextlib.ExitStack() as stack:
        for _ in range(n_processes):
            process = stack.enter_context(subprocess.Popen(command))
            stack.callback(process.terminate)
        yield


if __name__ == "__main__":
    main()
