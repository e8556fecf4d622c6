"""Every importance in the catalog obeys the laws, and every measure as an importance."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.importance import (
    PairErrorImportance,
    PermutationImportance,
    ShapImportance,
    SingleRankerImportance,
    as_importance,
)
from ranksieve.testing import ImportanceSuite


def of_class(importance):
    """Return an importance as it is by default, but with fewer folds where it trains on them.

    One that trains hundreds of rankers has a fast one too.

    Those of trees are in tests/importance/test_single_ranker.py.
    """
    if importance is SingleRankerImportance:
        return importance("RankSVM(C=1.0)")
    if importance in (PermutationImportance, ShapImportance):
        return importance(n_folds=2)
    return importance()


class TestImportance(ImportanceSuite):
    components = (
        *(of_class(entry.load()) for entry in catalog.entries("importance")),
        *(as_importance(entry.short_name) for entry in catalog.entries("measures")),
    )

    def averaged(self, importance, scores):
        """A share of pairs is averaged, and the score is a curve of it."""
        return 1 / scores if isinstance(importance, PairErrorImportance) else scores
