"""A folder with the folds of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass

from ranksieve.data import letor_folds
from ranksieve.sources.base import Source, StudyFold, data_path


@dataclass(frozen=True, repr=False)
class LetorFolds(Source):
    """The folds in a folder laid out as `Fold1/{train,vali,test}.txt`, Fold2, ...

    Parameters
    ----------
    folder : str
        A path, or a name in the folder that the variable RANKSIEVE_DATA names.

    Examples
    --------
    >>> LetorFolds("MQ2008").name
    'MQ2008'
    """

    folder: str = ""

    @property
    def name(self) -> str:
        """The folder's own name."""
        return data_path_name(self.folder)

    def folds(self) -> list[StudyFold]:
        """Return Fold1, Fold2, ...; nothing is read yet."""
        return list(letor_folds(data_path(self.folder)))


def data_path_name(text: str) -> str:
    """Return the last part of a path, also of one such as `.`.

    Examples
    --------
    >>> data_path_name("data/MQ2008/"), data_path_name("train.txt")
    ('MQ2008', 'train.txt')
    """
    from pathlib import Path

    return Path(text).name or Path(text).resolve().name
