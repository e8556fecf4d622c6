"""Embedded selection: the default solver against the papers' own, paths, and web scale.

Writes docs/embedded-convergence.svg, where all of its data is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import embedded_webscale
from benchmarks.convergence import (
    BEST_TOLERANCE,
    LEVEL,
    Run,
    best_objective,
    fsmrank_problem,
    l1_problem,
    run,
    within,
)
from benchmarks.convergence_figure import Panel, figure
from benchmarks.datasets import described, generated_large, generated_small, letor_train
from benchmarks.timing import Result, best_of, timed
from ranksieve import RankingData, SparseRankSVM
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import L1Penalty
from ranksieve.problems import PairRisk
from ranksieve.solvers import (
    FISTA,
    AcceleratedGradient,
    FrankWolfe,
    ProximalNewton,
    Regularised,
    Solver,
    critical_strength,
    path,
    strengths_between,
    with_tolerance,
)

PICTURE = Path(__file__).parents[1] / "docs" / "embedded-convergence.svg"
PROBLEMS = {"l1": l1_problem, "FSMRank": fsmrank_problem}
AIM = 10
KINDS = {
    "distances": "objective within the gap of the best one known",
    "gaps": "gap proven by the solver",
}
N_STRENGTHS, SMALLEST, PATH_LIMIT = 50, 1e-3, 6
PLAIN_STEPS = 500


def main() -> None:
    ohsumed, mq2008 = letor_train("OHSUMED"), letor_train("MQ2008")
    small, large = generated_small(), generated_large()
    print_convergence(ohsumed, large)
    print_paths({"OHSUMED fold 1": ohsumed, "MQ2008 fold 1": mq2008, "generated": small}, large)
    if ohsumed is not None:
        print_frank_wolfe(ohsumed)
    del small, large
    embedded_webscale.main()


def print_convergence(ohsumed: RankingData | None, large: RankingData) -> None:
    print(
        f"Seconds to a relative gap of {LEVEL:g}, at a hundredth of the critical strength: "
        "of the objective to the best one known, and as proven by the solver itself"
    )
    panels = []
    if ohsumed is not None:
        panels += _panels("OHSUMED fold 1", ohsumed, limit=60.0, times=3)
    panels += _panels("generated", large, limit=80.0, times=1)
    if ohsumed is not None:
        PICTURE.write_text(figure(panels, level=LEVEL), encoding="utf-8")


def _panels(name: str, data: RankingData, *, limit: float, times: int) -> list[Panel]:
    """Compare on each problem; the default solver is the best of 3, others of `times`."""
    panels = []
    for problem_name, make in PROBLEMS.items():
        problem = make(data)
        best = best_objective(problem)
        default = run(ProximalNewton(tol=LEVEL), problem, best, times=3)
        peers: list[Solver] = [AcceleratedGradient(tol=LEVEL)]
        # Where runs are short there is time for the algorithm of the other paper.
        peers += [FISTA(tol=LEVEL)] if problem_name == "l1" and times > 1 else []
        runs = [run(within(peer, problem, limit), problem, best, times=times) for peer in peers]
        print(f"  {problem_name}: {described(name, data)}")
        for kind, meaning in KINDS.items():
            print(f"    {meaning}")
            for run_ in (default, *runs):
                print(f"      {run_.name:<20}{_reached(run_, kind, default)}")
        # In the figure the default solver goes on to where the others never come.
        farther = run(ProximalNewton(tol=BEST_TOLERANCE), problem, best, times=2)
        title = f"{problem_name}: {name}, {data.n_documents:,} by {data.n_features}"
        panels.append(Panel(title, [farther, *runs]))
    return panels


def _reached(run_: Run, kind: str, default: Run) -> str:
    ours = default.seconds[default.reached(kind)]
    iteration = run_.reached(kind)
    if iteration is None:
        spent = run_.seconds[-1]
        return (
            f"not reached in {spent:.0f} s: gap {getattr(run_, kind)[-1]:.0e} after "
            f"{len(run_.seconds) - 1:,} iterations; at least {spent / ours:.0f} times (aim: {AIM})"
        )
    seconds = run_.seconds[iteration]
    ratio = "" if run_ is default else f"   {seconds / ours:.0f} times (aim: {AIM})"
    return f"{seconds:9.4f} s   at iteration {iteration:>5,}{ratio}"


def print_paths(named: dict[str, RankingData | None], large: RankingData) -> None:
    print(
        f"A path of {N_STRENGTHS} strengths, l1, down to {SMALLEST:g} of the critical one, and one "
        "solve from zero at the last: seconds of solving, by the clock and the processor; and of "
        "fit() and path() as they are called"
    )
    for name, data in named.items():
        if data is not None:
            _print_path(name, data, times=10)
    _print_path("generated", large, times=2)


def _print_path(name: str, data: RankingData, *, times: int) -> None:
    svm, penalty = SparseRankSVM(), L1Penalty()
    solver = with_tolerance(ProximalNewton(), svm.tol, svm.max_iter)
    risk = PairRisk(data, SquaredHingeLoss())
    strengths = strengths_between(critical_strength(risk, penalty), SMALLEST, N_STRENGTHS)
    last = Regularised(risk, penalty, float(strengths[-1]))
    cold, _ = _least_seconds(lambda: solver.solve(last), times)
    along, solution = _least_seconds(lambda: path(risk, penalty, strengths, solver), times)
    assert solution.converged.all(), f"the largest gap is {solution.gaps.max():.1e}"
    print(f"  {described(name, data)}: {solution.n_features[-1]} features at the last strength")
    print(
        f"    one {cold[0]:8.4f} s, path {along[0]:8.4f} s   {along[0] / cold[0]:.1f} times "
        f"(limit: {PATH_LIMIT})"
    )
    print(f"    CPU {cold[1]:8.4f} s,      {along[1]:8.4f} s   {along[1] / cold[1]:.1f} times")
    _print_called(data, float(strengths[-1]), times)


def _print_called(data: RankingData, strength: float, times: int) -> None:
    """The same as a user calls them, with the checks and the sums over pairs that both need."""
    fit, _ = _least_seconds(lambda: SparseRankSVM(strength=strength).fit(data), times)
    called, _ = _least_seconds(
        lambda: SparseRankSVM().path(data, n_strengths=N_STRENGTHS, smallest=SMALLEST), times
    )
    print(f"    fit {fit[0]:8.4f} s, path() {called[0]:6.4f} s   {called[0] / fit[0]:.1f} times")


def _least_seconds(call: Callable[[], Result], times: int) -> tuple[np.ndarray, Result]:
    """The least seconds of the clock, and of the processor, over some calls; the result."""
    rows = []
    for _ in range(times):
        cpu = time.process_time()
        seconds, result = timed(call)
        rows.append((seconds, time.process_time() - cpu))
    return np.min(rows, axis=0), result


def print_frank_wolfe(data: RankingData) -> None:
    problem = l1_problem(data)
    radius = float(np.abs(ProximalNewton().solve(problem).weights).sum())
    print(
        f"FrankWolfe within |w|_1 <= {radius:.3g}, the l1 solution's, on OHSUMED fold 1, to a "
        f"gap of {LEVEL:g}"
    )
    default = FrankWolfe(radius=radius, tol=LEVEL)
    plain = FrankWolfe(radius=radius, tol=LEVEL, steps="plain", max_iter=PLAIN_STEPS)
    for name, solver in (("pairwise, corrective", default), ("plain", plain)):
        seconds, solution = best_of(1, lambda solver=solver: solver.solve(problem.risk))
        print(
            f"  {name:<22}{solution.n_iter:>6,} iterations {seconds:8.4f} s   "
            f"gap {solution.gap:.0e}{'' if solution.converged else ', not reached'}"
        )


if __name__ == "__main__":
    main()
