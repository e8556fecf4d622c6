"""Solvers: weights, with a proven gap to the optimum."""

from ranksieve.solvers._path import Path, critical_strength, path, solutions, strengths_between
from ranksieve.solvers._penalised import Penalised, Regularised
from ranksieve.solvers._protocols import Problem, Risk, StronglyConvex
from ranksieve.solvers._trace import Trace
from ranksieve.solvers.accelerated_gradient import (
    AcceleratedGradient,
    lipschitz_bound,
    rate_bound,
)
from ranksieve.solvers.base import Solution, Solver
from ranksieve.solvers.cutting_plane import CuttingPlane
from ranksieve.solvers.fista import FISTA
from ranksieve.solvers.frank_wolfe import FrankWolfe
from ranksieve.solvers.newton_cg import NewtonCG
from ranksieve.solvers.proximal_newton import ProximalNewton
from ranksieve.solvers.reweighting import Reweighting, with_tolerance
from ranksieve.solvers.subgradient import Subgradient

__all__ = [
    "FISTA",
    "AcceleratedGradient",
    "CuttingPlane",
    "FrankWolfe",
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
    "StronglyConvex",
    "Subgradient",
    "Trace",
    "critical_strength",
    "lipschitz_bound",
    "path",
    "rate_bound",
    "solutions",
    "strengths_between",
    "with_tolerance",
]
