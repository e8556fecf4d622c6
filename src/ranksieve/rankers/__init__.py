"""Rankers: models that give documents scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ranksieve.lazy import lazy_names

if TYPE_CHECKING:
    from ranksieve.rankers._cross_validation import CrossValidation as CrossValidation
    from ranksieve.rankers._cross_validation import cross_validated as cross_validated
    from ranksieve.rankers._cross_validation import picked as picked
    from ranksieve.rankers._cross_validation import standard_errors as standard_errors
    from ranksieve.rankers._linear import LinearRanker as LinearRanker
    from ranksieve.rankers._linear import linear_scores as linear_scores
    from ranksieve.rankers._model_file import load_ranker as load_ranker
    from ranksieve.rankers._model_file import parse_ranker as parse_ranker
    from ranksieve.rankers._stopping import StoppingRanker as StoppingRanker
    from ranksieve.rankers.base import Ranker as Ranker
    from ranksieve.rankers.base import has_pairs as has_pairs
    from ranksieve.rankers.ranksvm import RankSVM as RankSVM
    from ranksieve.rankers.ranksvmstruct import RankSVMStruct as RankSVMStruct
    from ranksieve.rankers.svmmap import SVMMAP as SVMMAP

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

__getattr__ = lazy_names(__name__)
