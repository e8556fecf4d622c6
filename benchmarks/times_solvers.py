"""Figure 5 of the FSMRank paper: training time against that of the subgradient method."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.convergence import LEVEL, Run, best_objective, fsmrank_problem, run
from benchmarks.convergence_figure import Panel, figure
from benchmarks.datasets import letor_train
from ranksieve import RankingData
from ranksieve.solvers import AcceleratedGradient, ProximalNewton, Subgradient

LEVELS = (1e-2, 1e-3, 1e-4, 1e-6)
# The most steps of the slow ones.
ITERATIONS = 4_000
CALLS = 3


def solver_times() -> tuple[list[dict[str, Any]], str]:
    """Rows of data set and solver with the seconds to each level; and the chart.

    No rows where the data is absent.
    """
    rows: list[dict[str, Any]] = []
    panels = []
    for name in ("OHSUMED", "MQ2008"):
        data = letor_train(name)
        if data is None:
            continue
        runs = compared(data)
        rows += [_row(name, run_) for run_ in runs]
        drawn = [run_ for run_ in runs if run_.name != "AcceleratedGradient, the paper's stop"]
        panels.append(Panel(f"{name}, fold 1, {data.n_documents:,} documents", drawn))
    return rows, figure(panels, level=LEVEL) if panels else ""


def compared(data: RankingData) -> list[Run]:
    """Our default solver, the paper's algorithm, that with its own stop, and the subgradient's."""
    problem = fsmrank_problem(data)
    best = best_objective(problem)
    solvers = {
        "ProximalNewton": ProximalNewton(tol=LEVEL),
        "AcceleratedGradient": AcceleratedGradient(tol=LEVEL, max_iter=ITERATIONS),
        "AcceleratedGradient, the paper's stop": AcceleratedGradient(stopping="paper"),
        "Subgradient": Subgradient(tol=LEVEL, max_iter=ITERATIONS),
    }
    return [
        Run(name, run_.seconds, run_.distances, run_.gaps)
        for name, solver in solvers.items()
        for run_ in [run(solver, problem, best, times=CALLS)]
    ]


def _row(data: str, run_: Run) -> dict[str, Any]:
    """Seconds until the best objective so far is within each level of the optimum, or None."""
    nearest = np.minimum.accumulate(run_.distances)
    seconds = {}
    for level in LEVELS:
        reached = np.flatnonzero(nearest <= level)
        seconds[f"{level:g}"] = float(run_.seconds[reached[0]]) if len(reached) else None
    return {
        "data": data,
        "solver": run_.name,
        "seconds": seconds,
        "iterations": len(run_.seconds) - 1,
        "last second": float(run_.seconds[-1]),
        "last distance": float(nearest[-1]),
    }
