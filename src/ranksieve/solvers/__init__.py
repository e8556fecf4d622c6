"""Solvers: weights, with a proven gap to the optimum."""

from ranksieve.solvers.base import Problem, Solution, Solver
from ranksieve.solvers.newton_cg import NewtonCG

__all__ = ["NewtonCG", "Problem", "Solution", "Solver"]
