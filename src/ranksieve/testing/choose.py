"""From a component to the suite of its family."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ranksieve.errors import ParameterError
from ranksieve.importance import Importance
from ranksieve.losses import PairLoss
from ranksieve.measures import Measure
from ranksieve.penalties import Penalty
from ranksieve.rankers import Ranker
from ranksieve.selectors import Selector
from ranksieve.similarity import Similarity
from ranksieve.solvers import Penalised, Solver
from ranksieve.testing.base import Suite
from ranksieve.testing.importance import ImportanceSuite
from ranksieve.testing.losses import LossSuite
from ranksieve.testing.measures import MeasureSuite
from ranksieve.testing.penalised_solvers import PenalisedSolverSuite
from ranksieve.testing.penalties import PenaltySuite
from ranksieve.testing.rankers import RankerSuite
from ranksieve.testing.selectors import SelectorSuite
from ranksieve.testing.similarity import SimilaritySuite
from ranksieve.testing.solvers import SolverSuite

# Embedded selectors are rankers too, and selectors first.
_SUITES: tuple[tuple[type, type[Suite]], ...] = (
    (Importance, ImportanceSuite),
    (Similarity, SimilaritySuite),
    (Measure, MeasureSuite),
    (PairLoss, LossSuite),
    (Penalty, PenaltySuite),
    (Selector, SelectorSuite),
    (Ranker, RankerSuite),
)


def suite_for(component: Any) -> type[Suite]:
    """Return the suite of a component's family.

    Examples
    --------
    >>> from ranksieve import GAS
    >>> suite_for(GAS).__name__
    'SelectorSuite'
    """
    kind = component if isinstance(component, type) else type(component)
    if issubclass(kind, Solver):
        return PenalisedSolverSuite if kind.solves is Penalised else SolverSuite
    for base, suite in _SUITES:
        if issubclass(kind, base):
            return suite
    names = ", ".join(base.__name__ for base in (*(base for base, _ in _SUITES), Solver))
    raise ParameterError(
        f"no suite is for {kind.__module__}.{kind.__name__}, which has none of the base classes "
        f"{names}"
    )


def suites_for(components: Sequence[Any]) -> dict[str, type[Suite]]:
    """Return a class of tests for each component, by the name that pytest collects it under.

    Of a family whose members are values, a class counts as the object with its defaults.

    Examples
    --------
    >>> from ranksieve.penalties import L1Penalty
    >>> suites_for([L1Penalty])
    {'TestL1Penalty': <class 'ranksieve.testing.choose.TestL1Penalty'>}
    """
    return {f"Test{_kind(each).__name__}": _suite_of(each) for each in components}


def load_component(text: str) -> Any:
    """Return what `package.module:Name` stands for.

    Examples
    --------
    >>> load_component("ranksieve.penalties:L1Penalty")
    <class 'ranksieve.penalties.l1.L1Penalty'>
    """
    module, colon, name = text.partition(":")
    if not colon:
        raise ParameterError(
            f"cannot read {text!r}: write a module and a class, such as my_package.penalties:"
            "HuberPenalty"
        )
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise ParameterError(
            f"cannot import {module!r} ({error}). Install the package, or start in its folder"
        ) from None
    except AttributeError:
        raise ParameterError(f"the module {module!r} has no {name!r}") from None


def _kind(component: Any) -> type:
    return component if isinstance(component, type) else type(component)


def _suite_of(component: Any) -> type[Suite]:
    suite, kind = suite_for(component), _kind(component)
    tested = component() if suite.of_values and isinstance(component, type) else component
    members = {"components": (tested,), "__module__": __name__}
    return type(f"Test{kind.__name__}", (suite,), members)
