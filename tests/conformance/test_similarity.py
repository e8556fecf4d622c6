"""Every similarity in the catalog obeys the laws."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.testing import SimilaritySuite


class TestSimilarity(SimilaritySuite):
    components = tuple(entry.load()() for entry in catalog.entries("similarity"))
