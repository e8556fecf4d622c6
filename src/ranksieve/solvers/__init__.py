"""Solvers: weights, with a proven gap to the optimum."""

from ranksieve.solvers._trace import Trace
from ranksieve.solvers.accelerated_gradient import (
    AcceleratedGradient,
    lipschitz_bound,
    rate_bound,
)
from ranksieve.solvers.base import Penalised, Problem, Risk, Solution, Solver
from ranksieve.solvers.fista import FISTA
from ranksieve.solvers.frank_wolfe import FrankWolfe
from ranksieve.solvers.newton_cg import NewtonCG
from ranksieve.solvers.subgradient import Subgradient

__all__ = [
    "FISTA",
    "AcceleratedGradient",
    "FrankWolfe",
    "NewtonCG",
    "Penalised",
    "Problem",
    "Risk",
    "Solution",
    "Solver",
    "Subgradient",
    "Trace",
    "lipschitz_bound",
    "rate_bound",
]
