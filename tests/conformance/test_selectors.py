"""Every selector in the catalog obeys the laws."""

from __future__ import annotations

from ranksieve import (
    FSMSVM,
    FSSCPR,
    Boruta,
    FenchelRank,
    FSMRank,
    HierarchicalBEM,
    HierarchicalILTR,
    MultiTaskSparseRankSVM,
    RandomRFE,
    RSRank,
    SparseRankSVM,
    catalog,
)
from ranksieve.testing import SelectorSuite

BY_FOLDS = (FSMSVM, FSMRank, FenchelRank, MultiTaskSparseRankSVM, RSRank, SparseRankSVM)


class TestSelectors(SelectorSuite):
    components = tuple(entry.load() for entry in catalog.entries("selectors"))
    # That they keep one of each planted group is in their own tests too.
    by_cluster = (FSSCPR, HierarchicalBEM, HierarchicalILTR)
    # Strengths are chosen by folds all the same, of fewer.
    quick = {  # noqa: RUF012
        **{selector: {"n_folds": 2, "n_strengths": 4} for selector in BY_FOLDS},
        Boruta: {"n_rounds": 5},
        RandomRFE: {"n_starts": 2},
    }
