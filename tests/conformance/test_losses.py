"""Every loss in the catalog obeys the laws."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.testing import LossSuite


class TestLosses(LossSuite):
    components = tuple(entry.load()() for entry in catalog.entries("losses"))
