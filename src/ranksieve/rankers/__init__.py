"""Rankers: models that give documents scores."""

from ranksieve.rankers._linear import LinearRanker, linear_scores
from ranksieve.rankers.base import Ranker
from ranksieve.rankers.ranksvm import RankSVM

__all__ = ["LinearRanker", "RankSVM", "Ranker", "linear_scores"]
