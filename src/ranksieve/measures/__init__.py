"""Measures of a ranking: values, called on grades, scores and query ids."""

from ranksieve.measures.base import Measure
from ranksieve.measures.best import best_mean
from ranksieve.measures.err import ERR
from ranksieve.measures.kendall_tau import KendallTau
from ranksieve.measures.mean_average_precision import MAP
from ranksieve.measures.ndcg import NDCG
from ranksieve.measures.parse import parse_measure
from ranksieve.measures.precision import Precision
from ranksieve.measures.reciprocal_rank import ReciprocalRank

__all__ = [
    "ERR",
    "MAP",
    "NDCG",
    "KendallTau",
    "Measure",
    "Precision",
    "ReciprocalRank",
    "best_mean",
    "parse_measure",
]
