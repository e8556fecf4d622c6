"""Ranking data: reading, checking, writing, folds, scaling and synthetic data."""

from ranksieve.data.block import Block
from ranksieve.data.check import from_arrays
from ranksieve.data.conversion import convert
from ranksieve.data.folds import k_folds, letor_folds, set_aside
from ranksieve.data.loading import load
from ranksieve.data.parquet import write_parquet
from ranksieve.data.ranking_data import RankingData
from ranksieve.data.scaling import scale
from ranksieve.data.synthetic import make_ranking
from ranksieve.data.text_writer import write_text

__all__ = [
    "Block",
    "RankingData",
    "convert",
    "from_arrays",
    "k_folds",
    "letor_folds",
    "load",
    "make_ranking",
    "scale",
    "set_aside",
    "write_parquet",
    "write_text",
]
