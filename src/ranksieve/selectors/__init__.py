"""Selectors: an order of the features, and a subset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.selectors._shared import SharedComponent as SharedComponent
from ranksieve.selectors.base import Selection as Selection
from ranksieve.selectors.base import Selector as Selector
from ranksieve.selectors.filters._gas.pareto import ParetoFront as ParetoFront
from ranksieve.selectors.filters._gas.pareto import pareto_front as pareto_front

if TYPE_CHECKING:
    from ranksieve.selectors.embedded.fenchelrank import FenchelRank as FenchelRank
    from ranksieve.selectors.embedded.fsmrank import FSMRank as FSMRank
    from ranksieve.selectors.embedded.fsmsvm import FSMSVM as FSMSVM
    from ranksieve.selectors.embedded.multitasksparseranksvm import (
        MultiTaskSparseRankSVM as MultiTaskSparseRankSVM,
    )
    from ranksieve.selectors.embedded.rsrank import RSRank as RSRank
    from ranksieve.selectors.embedded.sparseranksvm import SparseRankSVM as SparseRankSVM
    from ranksieve.selectors.filters.fsscpr import FSSCPR as FSSCPR
    from ranksieve.selectors.filters.gas import GAS as GAS
    from ranksieve.selectors.filters.hcas import HCAS as HCAS
    from ranksieve.selectors.filters.hierarchicalbem import HierarchicalBEM as HierarchicalBEM
    from ranksieve.selectors.filters.miqubo import MIQUBO as MIQUBO
    from ranksieve.selectors.filters.mrmr import MRMR as MRMR
    from ranksieve.selectors.filters.ngas import NGAS as NGAS
    from ranksieve.selectors.filters.topk import TopK as TopK
    from ranksieve.selectors.filters.xgas import XGAS as XGAS
    from ranksieve.selectors.relief.rankfilter import RankFilter as RankFilter
    from ranksieve.selectors.relief.rankwrapper import RankWrapper as RankWrapper
    from ranksieve.selectors.relief.relieff import ReliefF as ReliefF
    from ranksieve.selectors.relief.rrelieff import RReliefF as RReliefF
    from ranksieve.selectors.wrappers.bestfirst import BestFirst as BestFirst
    from ranksieve.selectors.wrappers.boruta import Boruta as Boruta
    from ranksieve.selectors.wrappers.brtree import BRTree as BRTree
    from ranksieve.selectors.wrappers.greedyrankrls import GreedyRankRLS as GreedyRankRLS
    from ranksieve.selectors.wrappers.hierarchicaliltr import HierarchicalILTR as HierarchicalILTR
    from ranksieve.selectors.wrappers.randomrfe import RandomRFE as RandomRFE
    from ranksieve.selectors.wrappers.rankrfe import RankRFE as RankRFE


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})
