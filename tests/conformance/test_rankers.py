"""Every ranker in the catalog obeys the laws."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.testing import RankerSuite


class TestRankers(RankerSuite):
    components = tuple(entry.load() for entry in catalog.entries("rankers"))
