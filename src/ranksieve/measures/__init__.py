"""Measures of a ranking: values, called on grades, scores and query ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.measures.base import Measure as Measure
from ranksieve.measures.best import best_mean as best_mean
from ranksieve.measures.counting import counting_queries as counting_queries
from ranksieve.measures.parse import parse_measure as parse_measure

if TYPE_CHECKING:
    from ranksieve.measures.err import ERR as ERR
    from ranksieve.measures.kendall_tau import KendallTau as KendallTau
    from ranksieve.measures.mean_average_precision import MAP as MAP
    from ranksieve.measures.ndcg import NDCG as NDCG
    from ranksieve.measures.precision import Precision as Precision
    from ranksieve.measures.reciprocal_rank import ReciprocalRank as ReciprocalRank


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})
