"""Every solver of strongly convex problems in the catalog obeys the laws."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.solvers import Problem, StronglyConvex
from ranksieve.testing import SolverSuite


class TestSolvers(SolverSuite):
    components = tuple(
        solver
        for solver in (entry.load() for entry in catalog.entries("solvers"))
        if solver.solves in (Problem, StronglyConvex)
    )
