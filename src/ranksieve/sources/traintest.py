"""Train, validation and test parts, each a file of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ranksieve.data.check import check_seed
from ranksieve.data.folds import Fold
from ranksieve.errors import ParameterError
from ranksieve.sources._files import FileSource, InnerSplit, check_share
from ranksieve.sources.base import StudyFold, data_path
from ranksieve.sources.letorfolds import data_path_name


@dataclass(frozen=True, repr=False)
class TrainTest(FileSource):
    """One fold of parts that are given one by one; the test part takes no part in choosing.

    Parameters
    ----------
    train, test : str
        Paths of LETOR text, CSV or Parquet, or names in the folder RANKSIEVE_DATA.
    validation : str or None
        The queries to choose on.
    validation_share : float or None
        Choose on this share of the train part's queries, drawn by `random_state`, which then take
        no part in selecting and training. Without either, nothing can be chosen.
    random_state : int
    missing, grade, query, document, features, exclude, ... : how files are read, as in `load`

    Examples
    --------
    >>> TrainTest("train.txt", "test.txt", validation_share=0.2)
    TrainTest(train="train.txt", test="test.txt", validation_share=0.2)
    """

    data_parameters: ClassVar[tuple[str, ...]] = ("train", "test", "validation")

    train: str = ""
    test: str = ""
    validation: str | None = None
    validation_share: float | None = None
    random_state: int = 0

    @property
    def name(self) -> str:
        """The train file's own name."""
        return data_path_name(self.train)

    def folds(self) -> list[StudyFold]:
        """Return the one fold; nothing is read yet."""
        check_seed(self.random_state)
        if not self.train or not self.test:
            raise ParameterError("TrainTest needs files for train and test, as text")
        paths = {"train": data_path(self.train), "test": data_path(self.test)}
        if self.validation is not None:
            paths["vali"] = data_path(self.validation)
        _check_different(paths)
        fold = Fold("Fold1", paths, self.reading)
        if self.validation_share is None:
            return [fold]
        check_share(self.validation_share)
        if self.validation is not None:
            raise ParameterError(
                "validation names the queries to choose on, and validation_share draws them: "
                "give one of the two"
            )
        return [InnerSplit(fold, self.validation_share, self.random_state)]


def _check_different(paths: dict[str, Path]) -> None:
    parts = list(paths)
    for index, part in enumerate(parts):
        for other in parts[:index]:
            if paths[part].samefile(paths[other]):
                raise ParameterError(
                    f"{paths[part]} is given as {other} and as {part}: what is reported must not "
                    "have been trained or chosen on. Give different files."
                )
