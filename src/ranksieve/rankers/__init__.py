"""Rankers: models that give documents scores."""

from ranksieve.rankers.base import Ranker
from ranksieve.rankers.ranksvm import RankSVM

__all__ = ["RankSVM", "Ranker"]
