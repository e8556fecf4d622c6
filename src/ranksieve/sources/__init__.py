"""Sources: where the data sets of a study, and their folds, come from."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.sources.base import Source, StudyFold, data_path
from ranksieve.sources.letorfolds import LetorFolds
from ranksieve.sources.queryfolds import QueryFolds
from ranksieve.sources.rbfpoints import RBFPoints

__all__ = ["LetorFolds", "QueryFolds", "RBFPoints", "Source", "StudyFold", "as_source", "data_path"]


def as_source(spelled: str | Source) -> Source:
    """Return the source that a text spells: a call, or the path of a folder with folds.

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
    return LetorFolds(spelled)
