"""Rankers: models that give documents scores."""

from ranksieve.rankers._cross_validation import (
    CrossValidation,
    cross_validated,
    picked,
    standard_errors,
)
from ranksieve.rankers._linear import LinearRanker, linear_scores
from ranksieve.rankers._model_file import load_ranker, parse_ranker
from ranksieve.rankers._stopping import StoppingRanker
from ranksieve.rankers.base import Ranker, has_pairs
from ranksieve.rankers.ranksvm import RankSVM
from ranksieve.rankers.ranksvmstruct import RankSVMStruct
from ranksieve.rankers.svmmap import SVMMAP

__all__ = [
    "SVMMAP",
    "CrossValidation",
    "LinearRanker",
    "RankSVM",
    "RankSVMStruct",
    "Ranker",
    "StoppingRanker",
    "cross_validated",
    "has_pairs",
    "linear_scores",
    "load_ranker",
    "parse_ranker",
    "picked",
    "standard_errors",
]
