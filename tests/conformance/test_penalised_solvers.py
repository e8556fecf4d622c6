"""Every solver of risk plus charge in the catalog obeys the laws."""

from __future__ import annotations

import pytest

from ranksieve import catalog
from ranksieve.solvers import FISTA, Penalised, Subgradient, TruncatedGradient
from ranksieve.testing import PenalisedSolverSuite
from ranksieve.testing.cases import random_arrays
from ranksieve.testing.penalised_solvers import CHARGES, charge_of, least_objective
from tests.reference.penalised import objective, optimum


class TestPenalisedSolvers(PenalisedSolverSuite):
    components = tuple(
        solver
        for solver in (entry.load() for entry in catalog.entries("solvers"))
        if solver.solves is Penalised
    )
    distances = {Subgradient: 0.05}  # noqa: RUF012
    options = {Subgradient: {"max_iter": 500}}  # noqa: RUF012
    refuses = dict.fromkeys((FISTA, TruncatedGradient), ("redundancy", "sums", "mirrored"))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", CHARGES)
def test_the_optimum_that_solvers_are_compared_with_is_that_of_an_interior_point_method(kind, seed):
    arrays = random_arrays(seed)
    charge = charge_of(kind, arrays[0], seed)
    expected = objective(*arrays, charge, optimum(*arrays, charge))
    assert least_objective(seed, kind) == pytest.approx(expected, rel=1e-10)
