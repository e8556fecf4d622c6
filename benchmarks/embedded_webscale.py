"""Seconds and memory of one l1 solve on generated data of the size of an MSLR training fold.

In a process of its own, so that its peak of memory is that of this work alone.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import numpy as np

from benchmarks.timing import in_own_process, timed
from benchmarks.webscale import DOCUMENTS, QUERIES, SHAPE
from ranksieve import RankingData, make_ranking
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import L1Penalty
from ranksieve.problems import PairRisk
from ranksieve.solvers import ProximalNewton, Regularised, Solution, critical_strength

SHARE, TOLERANCE = 0.01, 1e-6
SECONDS_LIMIT, MEMORY_LIMIT = 300, 1.3
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def solve(data: RankingData) -> tuple[float, float, Solution]:
    """Seconds of the risk and of the solver, and the solution."""
    preparing, risk = timed(lambda: PairRisk(data, SquaredHingeLoss()))
    strength = SHARE * critical_strength(risk, L1Penalty())
    problem = Regularised(risk, L1Penalty(), strength).first()
    solving, solution = timed(lambda: ProximalNewton(tol=TOLERANCE).solve(problem))
    return preparing, solving, solution


def resident(field: str) -> int:
    """Bytes in memory: VmRSS now, VmHWM at the most."""
    lines = STATUS.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def forget_peak() -> bool:
    """Let VmHWM start again; False where the system has no such thing."""
    try:
        CLEAR.write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def measure() -> None:
    # Compiled, with everything in use once, before the clock starts.
    solve(make_ranking(40, DOCUMENTS, **SHAPE, random_state=1)[0])
    gc.collect()
    interpreter = resident("VmRSS") if STATUS.exists() else 0
    data, _ = make_ranking(QUERIES, DOCUMENTS, **SHAPE, random_state=0)
    has_peak = forget_peak()
    preparing, solving, solution = solve(data)
    used = int(np.count_nonzero(solution.weights))
    print(f"l1 at the size of an MSLR training fold: {data!r}")
    print(
        f"  {solving:.1f} s to a gap of {solution.gap:.0e} in {solution.n_iter} steps, "
        f"{used} features (limit: {SECONDS_LIMIT} s), after {preparing:.1f} s for the pairs"
    )
    assert solution.converged
    print(f"  {_memory(data, interpreter) if has_peak else 'no peak of memory: /proc is absent'}")


def _memory(data: RankingData, interpreter: int) -> str:
    size = sum(block.X.nbytes for block in data.blocks())
    beyond = resident("VmHWM") - interpreter
    return (
        f"peak beyond the interpreter {beyond / 2**30:.2f} GiB, {beyond / size:.2f} times the "
        f"features (limit: {MEMORY_LIMIT})"
    )


def main() -> None:
    in_own_process("benchmarks.embedded_webscale", "--measure")


if __name__ == "__main__":
    measure() if "--measure" in sys.argv else main()
