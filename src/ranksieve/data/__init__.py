"""Ranking data: reading, checking, writing, folds, scaling and synthetic data.

The way of data, from a source to a file:

    loading         `load`: which reader takes a source
    text/           LETOR and SVMlight text: streams -> chunks -> parse -> reader
    delimited       CSV and TSV; column_description reads CatBoost's .cd files
    parquet         Parquet: parquet_files -> parquet_rows -> parquet
    logs/           what search engines log, with judgements: json_stream -> responses -> reader
    profiles/       what features cost in an engine, from its own measurements
    frames          pandas, polars and Arrow tables
    check           arrays
    feature_lists   which features are read, and their names; named_columns for tables
    missing         the rule for missing values; values checks that the others are finite
    whole_queries   rows of a stream, cut into blocks at queries; queries checks their ids
    ranking_data    RankingData, a list of Blocks
    canonical       data in an order of its own
    folds, scaling, synthetic, scores, fingerprint    what is done with it
    text_writer, parquet, conversion                  files again, through atomic
"""

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
