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

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from ranksieve.errors import MissingDependencyError

try:
    import pytest
except ModuleNotFoundError as error:
    raise MissingDependencyError(
        f"ranksieve.testing needs the package pytest, which cannot be imported ({error}). "
        "Install it: pip install pytest"
    ) from None

if TYPE_CHECKING:
    from ranksieve.testing.base import Suite
    from ranksieve.testing.choose import load_component, suite_for, suites_for
    from ranksieve.testing.importance import ImportanceSuite
    from ranksieve.testing.losses import LossSuite
    from ranksieve.testing.measures import MeasureSuite
    from ranksieve.testing.penalised_solvers import PenalisedSolverSuite
    from ranksieve.testing.penalties import PenaltySuite
    from ranksieve.testing.rankers import RankerSuite
    from ranksieve.testing.selectors import SelectorSuite
    from ranksieve.testing.similarity import SimilaritySuite
    from ranksieve.testing.solvers import SolverSuite

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

# Before they are imported, so that a law that does not hold shows its values.
pytest.register_assert_rewrite(*(f"{__name__}.{each.name}" for each in iter_modules(__path__)))


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.choose"), name)
