"""Sources: where the data sets of a study, and their folds, come from."""

from __future__ import annotations

from typing import Any

from ranksieve import catalog
from ranksieve.errors import DataError
from ranksieve.sources.base import Source, StudyFold, data_path
from ranksieve.sources.letorfolds import LetorFolds
from ranksieve.sources.partpermutations import PartPermutations
from ranksieve.sources.queryfolds import QueryFolds
from ranksieve.sources.rbfpoints import RBFPoints

__all__ = [
    "LetorFolds",
    "PartPermutations",
    "QueryFolds",
    "RBFPoints",
    "Source",
    "StudyFold",
    "as_source",
    "data_path",
]


def as_source(spelled: str | Source, **columns: Any) -> Source:
    """Return the source that a text spells: a call, or a path.

    A folder holds folds; a file is cut into five by query. `columns` name the grade, query and
    document of Parquet files that are given by their path.

    Examples
    --------
    >>> as_source("data/MQ2008")
    LetorFolds(folder="data/MQ2008")
    """
    if isinstance(spelled, Source):
        return spelled
    name = spelled.split("(", 1)[0].strip()
    if "(" in spelled and catalog.knows("sources", name):
        found: Source = catalog.parse(spelled, "sources")
        return found
    if _is_file(spelled):
        return QueryFolds(spelled, **columns)
    return LetorFolds(spelled, **columns)


def _is_file(spelled: str) -> bool:
    try:
        place = data_path(spelled)
    except DataError:
        return False  # said when it is read
    return place.is_file() or place.suffix in (".parquet", ".pq")
