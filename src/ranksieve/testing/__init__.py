"""Conformance suites: laws that every component of a family obeys, for components anywhere.

A suite is a class of tests for pytest. A test module of another package subclasses the one of its
family and names what to test::

    from my_package import HuberPenalty
    from ranksieve.testing import PenaltySuite

    class TestHuberPenalty(PenaltySuite):
        components = [HuberPenalty(), HuberPenalty(width=0.1)]

Without a test module, `python -m ranksieve.testing my_package:HuberPenalty` runs the same suite on
a class, built with its defaults. Suites need numpy, scipy and pytest, which ranksieve does not
install; nothing else of the package imports this folder.

Stations: `base` (what a suite is), `cases` (the data), `references` (slow, obvious versions), a
module for each family, `choose` (from a component to its suite), `plugin` (the command line).
"""

from __future__ import annotations

from pkgutil import iter_modules

from ranksieve.errors import MissingDependencyError

try:
    import pytest
except ModuleNotFoundError as error:
    raise MissingDependencyError(
        f"ranksieve.testing needs the package pytest, which cannot be imported ({error}). "
        "Install it: pip install pytest"
    ) from None

# Before they are imported: a failed law shows its values.
pytest.register_assert_rewrite(*(f"{__name__}.{each.name}" for each in iter_modules(__path__)))

from ranksieve.testing.base import Suite  # noqa: E402
from ranksieve.testing.choose import load_component, suite_for, suites_for  # noqa: E402
from ranksieve.testing.importance import ImportanceSuite  # noqa: E402
from ranksieve.testing.losses import LossSuite  # noqa: E402
from ranksieve.testing.measures import MeasureSuite  # noqa: E402
from ranksieve.testing.penalised_solvers import PenalisedSolverSuite  # noqa: E402
from ranksieve.testing.penalties import PenaltySuite  # noqa: E402
from ranksieve.testing.rankers import RankerSuite  # noqa: E402
from ranksieve.testing.selectors import SelectorSuite  # noqa: E402
from ranksieve.testing.similarity import SimilaritySuite  # noqa: E402
from ranksieve.testing.solvers import SolverSuite  # noqa: E402

__all__ = [
    "ImportanceSuite",
    "LossSuite",
    "MeasureSuite",
    "PenalisedSolverSuite",
    "PenaltySuite",
    "RankerSuite",
    "SelectorSuite",
    "SimilaritySuite",
    "SolverSuite",
    "Suite",
    "load_component",
    "suite_for",
    "suites_for",
]
