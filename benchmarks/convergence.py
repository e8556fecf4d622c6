"""How fast solvers of embedded selection come near the optimum, by their traces."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchmarks.timing import timed
from ranksieve import RankingData
from ranksieve.importance.pearson import PearsonImportance
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import Charge, RedundancyPenalty, make_semidefinite
from ranksieve.problems import PairRisk
from ranksieve.similarity import PearsonSimilarity
from ranksieve.solvers import Penalised, ProximalNewton, Solver, Trace

LEVEL, BEST_TOLERANCE = 1e-6, 1e-10
SHARE, SIMILARITY_STRENGTH = 0.01, 0.1
# Iterations of a short run that tells what one costs.
SHORT = 15


@dataclass(frozen=True, eq=False)
class Run:
    """A solver's way: seconds since the call, and two gaps, both relative.

    `gaps` is what the solver proved by then; `distances` is how far its objective was above
    the best one known, which nobody knew then.
    """

    name: str
    seconds: np.ndarray
    distances: np.ndarray
    gaps: np.ndarray

    def reached(self, kind: str) -> int | None:
        """The iteration after which "distances" or "gaps" were within LEVEL, or None."""
        reached = np.flatnonzero(getattr(self, kind) <= LEVEL)
        return int(reached[0]) if len(reached) else None


def l1_problem(data: RankingData) -> Penalised:
    """SparseRankSVM's problem with l1, at a hundredth of the critical strength."""
    risk = PairRisk(data, SquaredHingeLoss())
    critical = np.abs(_gradient_at_zero(risk)).max()
    return Penalised(risk, Charge(np.full(risk.n_weights, SHARE * critical)))


def fsmrank_problem(data: RankingData) -> Penalised:
    """FSMRank's problem, at a hundredth of the critical strength."""
    risk = PairRisk(data, SquaredHingeLoss())
    similarity = make_semidefinite(np.abs(PearsonSimilarity().matrix(data))).matrix
    importance = PearsonImportance().scores(data)
    penalty = RedundancyPenalty(similarity, SIMILARITY_STRENGTH, importance)
    critical = penalty.critical_strength(_gradient_at_zero(risk))
    return Penalised(risk, penalty.charge(np.zeros(risk.n_weights), SHARE * critical))


def _gradient_at_zero(risk: PairRisk) -> np.ndarray:
    return risk.value_and_grad(np.zeros(risk.n_weights))[1]


def best_objective(problem: Penalised) -> float:
    """The optimum, to ten digits."""
    solution = ProximalNewton(tol=BEST_TOLERANCE).solve(problem)
    assert solution.gap <= 10 * BEST_TOLERANCE, f"the optimum is not known: gap {solution.gap:.1e}"
    return solution.objective


def run(solver: Solver, problem: Penalised, best: float, *, times: int) -> Run:
    """The fastest of some runs."""
    runs = [_run(solver, problem, best) for _ in range(times)]
    return min(runs, key=lambda run_: run_.seconds[-1])


def _run(solver: Solver, problem: Penalised, best: float) -> Run:
    seconds, solution = timed(lambda: solver.solve(problem))
    trace = solution.trace
    # A trace starts after the first pass over the data, which is counted here.
    since_call = trace.seconds + (seconds - trace.seconds[-1])
    distances = (trace.objectives - best) / best
    return Run(type(solver).__name__, since_call, distances, trace.gaps)


def within(solver: Solver, problem: Penalised, limit: float) -> Solver:
    """The solver with as many iterations as it makes in `limit` seconds, by a short run."""
    short: Trace = replace(solver, max_iter=SHORT).solve(problem).trace
    # The mean, with the steps that first have to find their length, errs to the side of less.
    each = float(np.diff(short.seconds).mean())
    return replace(solver, max_iter=max(SHORT, int(limit / each)))
