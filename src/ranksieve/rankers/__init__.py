"""Rankers: models that give documents scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.rankers._ascent import Ascent as Ascent
from ranksieve.rankers._cross_validation import CrossValidation as CrossValidation
from ranksieve.rankers._cross_validation import cross_validated as cross_validated
from ranksieve.rankers._cross_validation import picked as picked
from ranksieve.rankers._cross_validation import standard_errors as standard_errors
from ranksieve.rankers._description import Description as Description
from ranksieve.rankers._description import LayerDescription as LayerDescription
from ranksieve.rankers._description import LinearDescription as LinearDescription
from ranksieve.rankers._description import NetworkDescription as NetworkDescription
from ranksieve.rankers._description import TreeDescription as TreeDescription
from ranksieve.rankers._description import TreesDescription as TreesDescription
from ranksieve.rankers._fitted_values import fitted_array as fitted_array
from ranksieve.rankers._linear import LinearRanker as LinearRanker
from ranksieve.rankers._linear import linear_scores as linear_scores
from ranksieve.rankers._model_file import load_ranker as load_ranker
from ranksieve.rankers._model_file import parse_ranker as parse_ranker
from ranksieve.rankers._stopping import StoppingRanker as StoppingRanker
from ranksieve.rankers.base import Ranker as Ranker
from ranksieve.rankers.base import has_pairs as has_pairs
from ranksieve.rankers.base import mean_ndcg as mean_ndcg

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})
