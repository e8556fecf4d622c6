"""A folder with the folds of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ranksieve.data import letor_folds
from ranksieve.data.check import check_seed
from ranksieve.data.folds import Fold, is_fold_name
from ranksieve.errors import DataError
from ranksieve.sources._files import FileSource, InnerSplit, check_share
from ranksieve.sources.base import StudyFold, data_path


@dataclass(frozen=True, repr=False)
class LetorFolds(FileSource):
    """The folds in a folder laid out as `Fold1/{train,vali,test}.txt`, Fold2, ...

    The folder may also be a single fold, with train, test and maybe vali in it.

    Parameters
    ----------
    folder : str
        A path, or a name in the folder that the variable RANKSIEVE_DATA names.
    validation_share : float or None
        For folds without a vali part: choose on this share of the train part's queries, drawn by
        `random_state`, which then take no part in selecting and training.
    random_state : int
    missing, grade, query, document, features, exclude, ... : how files are read, as in `load`

    Examples
    --------
    >>> LetorFolds("MQ2008").name, LetorFolds("data/MQ2008/Fold1").name
    ('MQ2008', 'MQ2008, Fold1')
    """

    data_parameters: ClassVar[tuple[str, ...]] = ("folder",)

    folder: str = ""
    validation_share: float | None = None
    random_state: int = 0

    @property
    def name(self) -> str:
        """The folder's own name; of a single fold also that of the folder around it."""
        name = data_path_name(self.folder)
        around = Path(self.folder).parent.name
        return f"{around}, {name}" if around and is_fold_name(name) else name

    def folds(self) -> list[StudyFold]:
        """Return Fold1, Fold2, ...; nothing is read yet."""
        check_seed(self.random_state)
        folds = letor_folds(data_path(self.folder), **self.reading)
        if self.validation_share is None:
            return list(folds)
        check_share(self.validation_share)
        return [self._with_validation(fold, self.validation_share) for fold in folds]

    def _with_validation(self, fold: Fold, share: float) -> StudyFold:
        if "vali" in fold.paths:
            raise DataError(
                f"{self.folder}, {fold.name} has a vali part, {fold.paths['vali'].name}, so no "
                "share of its train part is needed to choose on. Leave validation_share out."
            )
        return InnerSplit(fold, share, self.random_state)


def data_path_name(text: str) -> str:
    """Return the last part of a path, also of one such as `.`.

    Examples
    --------
    >>> data_path_name("data/MQ2008/"), data_path_name("train.txt")
    ('MQ2008', 'train.txt')
    """
    return Path(text).name or Path(text).resolve().name
