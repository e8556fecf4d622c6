"""Every selector in the catalog obeys the laws."""

from __future__ import annotations

from ranksieve import FSSCPR, catalog
from ranksieve.testing import SelectorSuite


class TestSelectors(SelectorSuite):
    components = tuple(entry.load() for entry in catalog.entries("selectors"))
    # That it keeps one of each planted group is in tests/selectors/test_fsscpr.py.
    by_cluster = (FSSCPR,)
