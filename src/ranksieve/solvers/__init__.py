"""Solvers: weights, with a proven gap to the optimum."""

from ranksieve.solvers._trace import Trace
from ranksieve.solvers.base import Penalised, Problem, Risk, Solution, Solver
from ranksieve.solvers.newton_cg import NewtonCG
from ranksieve.solvers.proximal_newton import ProximalNewton

__all__ = [
    "NewtonCG",
    "Penalised",
    "Problem",
    "ProximalNewton",
    "Risk",
    "Solution",
    "Solver",
    "Trace",
]
