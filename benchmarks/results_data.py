"""What the papers print about the data sets, and what the files on this machine hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.results_markdown import table
from ranksieve import RankingData
from ranksieve.data import letor_folds

COLUMNS = (
    "features",
    "queries",
    "documents",
    "preferences",
    "documents per query",
    "relevant per query",
    "grades",
)
# Table III of the sparse RankSVM paper; the grades are those of FS-SCPR's Table 1, whose other
# figures are the same.
PUBLISHED: Mapping[str, Sequence[float]] = {
    "OHSUMED": (45, 106, 16_140, 582_588, 152.2, 45.6, 3),
    "MQ2008": (46, 784, 15_211, 80_925, 19.4, 3.7, 3),
}


def data_table(folder: Path | None) -> list[str]:
    """The section on the data sets; `folder` holds them, None where they are not at hand."""
    lines = [
        "## Data sets: Table III of sparse RankSVM and Table 1 of FS-SCPR",
        "",
        "*Preferences* are pairs of documents of a query with different grades; relevant is a "
        "grade of 1 or more. *Files* are the test parts of the five folds, which together are all "
        "queries.",
        "",
    ]
    rows = []
    for data, published in PUBLISHED.items():
        rows.append([data, "published", *(_cell(value) for value in published)])
        if folder is not None and (folder / data).is_dir():
            parts = [fold.test for fold in letor_folds(folder / data)]
            rows.append(["", "files", *(_cell(value) for value in characteristics(parts))])
        else:
            rows.append(["", "not at hand", *([""] * len(published))])
    return [*lines, *table(["*data", "*", *COLUMNS], rows)]


def characteristics(parts: Sequence[RankingData]) -> tuple[float, ...]:
    """The columns of the table, of data in parts that share no query."""
    n_queries = sum(part.n_queries for part in parts)
    n_documents = sum(part.n_documents for part in parts)
    queries = [y for part in parts for y in np.split(part.y, part.query_ptr[1:-1])]
    relevant = sum(int(np.count_nonzero(y >= 1)) for y in queries)
    return (
        parts[0].n_features,
        n_queries,
        n_documents,
        sum(_preferences(y) for y in queries),
        n_documents / n_queries,
        relevant / n_queries,
        len(np.unique(np.concatenate(queries))),
    )


def _preferences(y: np.ndarray) -> int:
    """Pairs of different grades: all pairs less those of equal ones."""
    _, counts = np.unique(y, return_counts=True)
    return (len(y) ** 2 - int((counts**2).sum())) // 2


def _cell(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
