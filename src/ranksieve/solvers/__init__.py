"""Solvers: weights, with a proven gap to the optimum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.solvers._path import Path as Path
from ranksieve.solvers._path import critical_strength as critical_strength
from ranksieve.solvers._path import path as path
from ranksieve.solvers._path import solutions as solutions
from ranksieve.solvers._path import strengths_between as strengths_between
from ranksieve.solvers._penalised import Penalised as Penalised
from ranksieve.solvers._penalised import Regularised as Regularised
from ranksieve.solvers._protocols import Problem as Problem
from ranksieve.solvers._protocols import Risk as Risk
from ranksieve.solvers._protocols import StronglyConvex as StronglyConvex
from ranksieve.solvers._task_problem import TaskPenalised as TaskPenalised
from ranksieve.solvers._task_problem import TaskRegularised as TaskRegularised
from ranksieve.solvers._task_reweighting import TaskReweighting as TaskReweighting
from ranksieve.solvers._task_reweighting import TaskSolution as TaskSolution
from ranksieve.solvers._trace import Trace as Trace
from ranksieve.solvers.accelerated_gradient import lipschitz_bound as lipschitz_bound
from ranksieve.solvers.accelerated_gradient import rate_bound as rate_bound
from ranksieve.solvers.base import Solution as Solution
from ranksieve.solvers.base import Solver as Solver
from ranksieve.solvers.reweighting import with_tolerance as with_tolerance

if TYPE_CHECKING:
    from ranksieve.solvers.accelerated_gradient import AcceleratedGradient as AcceleratedGradient
    from ranksieve.solvers.cutting_plane import CuttingPlane as CuttingPlane
    from ranksieve.solvers.fista import FISTA as FISTA
    from ranksieve.solvers.frank_wolfe import FrankWolfe as FrankWolfe
    from ranksieve.solvers.newton_cg import NewtonCG as NewtonCG
    from ranksieve.solvers.proximal_newton import ProximalNewton as ProximalNewton
    from ranksieve.solvers.reweighting import Reweighting as Reweighting
    from ranksieve.solvers.subgradient import Subgradient as Subgradient
    from ranksieve.solvers.truncated_gradient import TruncatedGradient as TruncatedGradient


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})
