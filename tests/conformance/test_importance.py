"""Every importance in the catalog obeys the laws, and every measure as an importance."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.importance import PairErrorImportance, as_importance
from ranksieve.testing import ImportanceSuite


class TestImportance(ImportanceSuite):
    components = (
        *(entry.load()() for entry in catalog.entries("importance")),
        *(as_importance(entry.short_name) for entry in catalog.entries("measures")),
    )

    def averaged(self, importance, scores):
        """A share of pairs is averaged, and the score is a curve of it."""
        return 1 / scores if isinstance(importance, PairErrorImportance) else scores
