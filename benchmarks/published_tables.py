"""Published figures on OHSUMED and MQ2008, out of those that come with the package.

`ranksieve.experiment.published` says where they are from. Rows have the names that the papers give
them.
"""

from __future__ import annotations

from ranksieve.experiment.published import (
    MAP,
    NDCG10,
    PublishedTable,
    best_tables,
    rank_tables,
    ratio_tables,
    value_tables,
)

DATA = ("OHSUMED", "MQ2008")
# In the order of the columns.
ALL_MEASURES = (*(f"letor-ndcg@{k}" for k in range(1, 11)), MAP)
FIVE_MEASURES = ("letor-ndcg@1", "letor-ndcg@3", "letor-ndcg@5", NDCG10, MAP)

TABLES = value_tables(DATA)
RATIOS = ratio_tables(DATA)
BEST = best_tables(DATA)
# Over HP2004, NP2004, OHSUMED and MQ2008, five measures each.
RANKS = rank_tables()


def table(paper: str, number: str, data: str) -> PublishedTable:
    for each in value_tables():
        if (each.paper, each.number, each.data) == (paper, number, data):
            return each
    raise KeyError(f"no Table {number} of the {paper} paper on {data}")


def figures(paper: str, number: str, data: str, method: str) -> tuple[float, float]:
    """MAP and NDCG@10 of a row."""
    published = table(paper, number, data)
    return published.value(method, MAP), published.value(method, NDCG10)
