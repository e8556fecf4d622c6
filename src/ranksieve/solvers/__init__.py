"""Solvers: weights, with a proven gap to the optimum."""

from ranksieve.solvers._path import Path, critical_strength, path, solutions, strengths_between
from ranksieve.solvers._trace import Trace
from ranksieve.solvers.base import Penalised, Problem, Regularised, Risk, Solution, Solver
from ranksieve.solvers.newton_cg import NewtonCG
from ranksieve.solvers.proximal_newton import ProximalNewton
from ranksieve.solvers.reweighting import Reweighting, with_tolerance

__all__ = [
    "NewtonCG",
    "Path",
    "Penalised",
    "Problem",
    "ProximalNewton",
    "Regularised",
    "Reweighting",
    "Risk",
    "Solution",
    "Solver",
    "Trace",
    "critical_strength",
    "path",
    "solutions",
    "strengths_between",
    "with_tolerance",
]
