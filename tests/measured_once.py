"""Coverage of a test's first cases alone: `coverage run -m pytest -p tests.measured_once`.

To be traced costs Python a third of its time, in its libraries too, and the tenth seed of a law
runs the lines of the first. So cases are traced until they reach nothing new: a case is not when
neither the last one of its test nor the last one of its component reached a new branch.
Nor is the collection, for what runs when a module is imported is measured once, by
`python -m tests.all_modules`. Whatever was traced was run, so that the coverage is never more than
that of all cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from coverage import Coverage
from coverage.collector import Collector

# How many traced cases in a row may reach nothing new.
OF_A_TEST, OF_A_COMPONENT = 1, 1

# Traced cases of a test, or with a component, since the last that reached a new branch.
_barren: Counter[tuple[str, str]] = Counter()


def _collector() -> Collector | None:
    # Coverage.start would look at all modules again each time, for 20 milliseconds.
    coverage = Coverage.current()
    return coverage and coverage._collector


# This module is imported before any test is.
if _collector():
    _collector().stop()


def pytest_unconfigure() -> None:
    """Leave coverage as it was: it ends what it began."""
    if collector := _collector():
        collector.start()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Trace a case, or not."""
    collector = _collector()
    test, components = _keys(item)
    if not collector or (
        _barren[test] >= OF_A_TEST and all(_barren[each] >= OF_A_COMPONENT for each in components)
    ):
        return (yield)
    before = _n_branches(collector)
    collector.start()
    try:
        result = yield
    finally:
        collector.stop()
    reached = _n_branches(collector) > before
    for key in (test, *components):
        _barren[key] = 0 if reached else _barren[key] + 1
    return result


def _keys(item: pytest.Item) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    """Return the test of a case, and its components: classes, or the objects of a suite."""
    test = ("test", item.nodeid.split("[")[0])
    spec = getattr(item, "callspec", None)
    values = spec.params.values() if spec else ()
    kinds = [value if isinstance(value, type) else type(value) for value in values]
    ours = [kind for kind in kinds if kind.__module__.startswith("ranksieve.")]
    return test, [("component", kind.__name__) for kind in ours]


def _n_branches(collector: Collector) -> int:
    return sum(map(len, collector.data.values()))
