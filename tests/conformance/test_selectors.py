"""Every selector in the catalog obeys the laws."""

from __future__ import annotations

from ranksieve import FSSCPR, HierarchicalBEM, HierarchicalILTR, catalog
from ranksieve.testing import SelectorSuite


class TestSelectors(SelectorSuite):
    components = tuple(entry.load() for entry in catalog.entries("selectors"))
    # That they keep one of each planted group is in their own tests too.
    by_cluster = (FSSCPR, HierarchicalBEM, HierarchicalILTR)
