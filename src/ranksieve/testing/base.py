"""What a conformance suite is: a class of tests over the components that a subclass names."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar

import pytest

from ranksieve import catalog
from ranksieve.errors import ParameterError


class Suite:
    """Laws of a family, run on each of `components`.

    A suite's tests take the component as the argument `argument`. Subclasses whose names begin
    with `Test` are what pytest collects; they set `components`, may add laws of their own, and
    override a law that they do not claim.

    Attributes
    ----------
    components : sequence
        Components of the family: objects where a family's members are values (penalties,
        importances, similarities, measures, losses), classes where they are built many times
        (selectors, rankers, solvers), whose suites have `of_values` False.
    """

    components: ClassVar[Sequence[Any]] = ()
    argument: ClassVar[str]
    family: ClassVar[str]
    of_values: ClassVar[bool] = True

    def arguments(self) -> dict[str, Sequence[Any]]:
        """Return the arguments of tests that are components, and the values of each."""
        return {self.argument: self.components}

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test on all components."""
        if not self.components:
            raise ParameterError(
                f"{type(self).__name__} has nothing to test: set components, a list of "
                f"{self.family}"
            )
        for name, values in self.arguments().items():
            if name in metafunc.fixturenames:
                metafunc.parametrize(name, values, ids=label)

    def read(self, text: str, component: Any) -> Any:
        """Return what a text spells: by the catalog, and by the component's class if that is new.

        Examples
        --------
        >>> from ranksieve.testing import PenaltySuite
        >>> PenaltySuite().read("MCPPenalty(gamma=3.0)", None)
        MCPPenalty(gamma=3.0, units='mean')
        """
        kind = component if isinstance(component, type) else type(component)
        if component is None or kind.__module__.startswith("ranksieve."):
            return catalog.parse(text, self.family)

        def find(name: str) -> Any:
            if name == kind.__name__:
                return kind
            families = [family for family in catalog.FAMILIES if catalog.knows(family, name)]
            return catalog.get(families[0] if families else self.family, name)

        return catalog.parse_with(text, find)

    @pytest.fixture
    def always_threads(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Hand even the smallest pass to threads, which small data would not be worth."""
        monkeypatch.setattr(import_module("ranksieve.passes.blocks"), "WORTH_THREADS", -1.0)


def label(component: Any) -> str:
    """Return a component's name in the list of tests: a class's name, or the constructor call."""
    return component.__name__ if isinstance(component, type) else repr(component)
