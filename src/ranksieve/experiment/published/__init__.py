"""Figures that papers print, to stand beside results.

figures   what is printed, from `published.csv`
rows      which line of a study's results stands for a row of a paper's table
"""

from __future__ import annotations

from ranksieve.experiment.published.figures import (
    DATA_SETS,
    MAP,
    NDCG10,
    PublishedBest,
    PublishedFigure,
    PublishedRanks,
    PublishedRatios,
    PublishedTable,
    best_tables,
    data_facts,
    published_figures,
    published_name,
    rank_tables,
    ratio_tables,
    table_notes,
    value_tables,
)

__all__ = [
    "DATA_SETS",
    "MAP",
    "NDCG10",
    "PublishedBest",
    "PublishedFigure",
    "PublishedRanks",
    "PublishedRatios",
    "PublishedTable",
    "best_tables",
    "data_facts",
    "published_figures",
    "published_name",
    "rank_tables",
    "ratio_tables",
    "table_notes",
    "value_tables",
]
