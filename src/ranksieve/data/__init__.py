"""Ranking data: reading, checking, writing, folds, scaling and synthetic data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ranksieve.lazy import lazy_names

if TYPE_CHECKING:
    from ranksieve.data.block import Block as Block
    from ranksieve.data.check import from_arrays as from_arrays
    from ranksieve.data.conversion import convert as convert
    from ranksieve.data.folds import k_folds as k_folds
    from ranksieve.data.folds import letor_folds as letor_folds
    from ranksieve.data.folds import set_aside as set_aside
    from ranksieve.data.loading import load as load
    from ranksieve.data.parquet import write_parquet as write_parquet
    from ranksieve.data.ranking_data import RankingData as RankingData
    from ranksieve.data.scaling import scale as scale
    from ranksieve.data.synthetic import make_ranking as make_ranking
    from ranksieve.data.text_writer import write_text as write_text

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

__getattr__ = lazy_names(__name__)
