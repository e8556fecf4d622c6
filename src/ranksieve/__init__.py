"""Feature selection for learning to rank."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from ranksieve.data import RankingData as RankingData
    from ranksieve.data import load as load
    from ranksieve.data import make_ranking as make_ranking
    from ranksieve.measures.err import ERR as ERR
    from ranksieve.measures.kendall_tau import KendallTau as KendallTau
    from ranksieve.measures.mean_average_precision import MAP as MAP
    from ranksieve.measures.ndcg import NDCG as NDCG
    from ranksieve.measures.precision import Precision as Precision
    from ranksieve.measures.reciprocal_rank import ReciprocalRank as ReciprocalRank
    from ranksieve.rankers.adarank import AdaRank as AdaRank
    from ranksieve.rankers.catboostranker import CatBoostRanker as CatBoostRanker
    from ranksieve.rankers.committeeperceptron import CommitteePerceptron as CommitteePerceptron
    from ranksieve.rankers.coordinateascent import CoordinateAscent as CoordinateAscent
    from ranksieve.rankers.kernelranksvm import KernelRankSVM as KernelRankSVM
    from ranksieve.rankers.lightgbmranker import LightGBMRanker as LightGBMRanker
    from ranksieve.rankers.listnet import ListNet as ListNet
    from ranksieve.rankers.pointwiseranker import PointwiseRanker as PointwiseRanker
    from ranksieve.rankers.rankboost import RankBoost as RankBoost
    from ranksieve.rankers.ranknet import RankNet as RankNet
    from ranksieve.rankers.ranksvm import RankSVM as RankSVM
    from ranksieve.rankers.ranksvmstruct import RankSVMStruct as RankSVMStruct
    from ranksieve.rankers.svmmap import SVMMAP as SVMMAP
    from ranksieve.rankers.xgboostranker import XGBoostRanker as XGBoostRanker
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
    from ranksieve.sieve.selector import Sieve as Sieve

_DATA = ("RankingData", "load", "make_ranking")


def __getattr__(name: str) -> Any:
    try:
        value = _load(name)
    except KeyError:
        raise AttributeError(f"module 'ranksieve' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_load("__all__")})


def _load(name: str) -> Any:
    if name == "__all__":
        return [*_DATA, *import_module("ranksieve.catalog").public_names()]
    if name in _DATA:
        return getattr(import_module("ranksieve.data"), name)
    return import_module("ranksieve.catalog").public(name)
