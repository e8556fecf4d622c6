"""Coverage of a test's first cases alone: `coverage run -m pytest -p tests.measured_once`.

To be traced costs Python a third of its time, in its libraries too, and the tenth seed of a law
runs the lines of the first. So cases are traced until they reach nothing new: a case is not when
neither the last three of its test nor the last two of its component reached a new branch. Where the
last three of a file did not, only every fourth of its cases is traced. Slow ones, which repeat what
is published, never are. Whatever was traced was run, so that the coverage is never more than that
of all cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from coverage import Coverage
from coverage.collector import Collector

# What cases have in common: "test", "file" or "component", and its name.
Key = tuple[str, str]

# How many traced cases in a row may reach nothing new.
OF_A_TEST, OF_A_COMPONENT, OF_A_FILE = 3, 2, 3
# Of the cases of a file that reached nothing new for so long, one in this many is traced.
STEP = 4

# Traced cases of a test, of a file, or with a component, since the last that reached a new branch.
_barren: Counter[Key] = Counter()
# Cases of a file that were not traced because of the file.
_passed_over: Counter[Key] = Counter()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Trace a case, or stop tracing for its time."""
    coverage = Coverage.current()
    # Coverage.start would look at all modules again each time, for 20 milliseconds.
    collector = coverage and coverage._collector
    if not collector:
        return (yield)
    test, file, components = _keys(item)
    if item.get_closest_marker("slow") or _reaches_nothing_new(test, file, components):
        collector.stop()
        result = yield
        collector.start()
        return result
    before = _n_branches(collector)
    result = yield
    reached = _n_branches(collector) > before
    for key in (test, file, *components):
        _barren[key] = 0 if reached else _barren[key] + 1
    return result


def _reaches_nothing_new(test: Key, file: Key, components: list[Key]) -> bool:
    """Guess by the cases before it whether a case would add to what was reached."""
    if _barren[test] >= OF_A_TEST and all(_barren[each] >= OF_A_COMPONENT for each in components):
        return True
    if _barren[file] < OF_A_FILE:
        return False
    _passed_over[file] += 1
    return _passed_over[file] % STEP != 0


def _keys(item: pytest.Item) -> tuple[Key, Key, list[Key]]:
    """Return the test of a case, its file, and its components: classes, or objects of a suite."""
    test, file = ("test", item.nodeid.split("[")[0]), ("file", item.nodeid.split("::")[0])
    spec = getattr(item, "callspec", None)
    values = spec.params.values() if spec else ()
    kinds = [value if isinstance(value, type) else type(value) for value in values]
    ours = [kind for kind in kinds if kind.__module__.startswith("ranksieve.")]
    return test, file, [("component", kind.__name__) for kind in ours]


def _n_branches(collector: Collector) -> int:
    return sum(map(len, collector.data.values()))
