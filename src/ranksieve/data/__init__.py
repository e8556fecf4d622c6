"""Ranking data: reading, checking, writing, folds, scaling and synthetic data."""

from ranksieve.data.block import Block
from ranksieve.data.check import from_arrays
from ranksieve.data.ranking_data import RankingData

__all__ = ["Block", "RankingData", "from_arrays"]
