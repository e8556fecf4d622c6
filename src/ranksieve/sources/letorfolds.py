"""A folder with the folds of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ranksieve.data import letor_folds
from ranksieve.sources.base import Source, StudyFold, data_path


@dataclass(frozen=True, repr=False)
class LetorFolds(Source):
    """The folds in a folder laid out as `Fold1/{train,vali,test}.txt`, Fold2, ...

    Parameters
    ----------
    folder : str
        A path, or a name in the folder that the variable RANKSIEVE_DATA names.
    grade, query, document : str or None, the columns of Parquet files

    Examples
    --------
    >>> LetorFolds("MQ2008").name
    'MQ2008'
    """

    folder: str = ""
    grade: str | None = None
    query: str | None = None
    document: str | None = None

    @property
    def name(self) -> str:
        """The folder's own name."""
        return data_path_name(self.folder)

    def folds(self) -> list[StudyFold]:
        """Return Fold1, Fold2, ...; nothing is read yet."""
        return list(letor_folds(data_path(self.folder), **columns(self)))


def columns(source: Any) -> dict[str, Any]:
    """Return the columns that a source names, as options of `load`."""
    named = {name: getattr(source, name) for name in ("grade", "query", "document")}
    return {name: column for name, column in named.items() if column is not None}


def data_path_name(text: str) -> str:
    """Return the last part of a path, also of one such as `.`.

    Examples
    --------
    >>> data_path_name("data/MQ2008/"), data_path_name("train.txt")
    ('MQ2008', 'train.txt')
    """
    from pathlib import Path

    return Path(text).name or Path(text).resolve().name
