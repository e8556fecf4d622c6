"""The one interface of sources."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol

from ranksieve.data import RankingData
from ranksieve.data.paths import exists
from ranksieve.errors import DataError

# Where data sets are looked for by name, besides the working folder.
DATA_VARIABLE = "RANKSIEVE_DATA"


class StudyFold(Protocol):
    """One split of a data set; `vali` is None where nothing is chosen on validation queries.

    A fold whose test queries are tested in other folds too has a text `test_part` besides, the
    same in all of them: statistics then count such a query once.
    """

    @property
    def name(self) -> str:
        """What the fold is called, such as Fold1."""

    @property
    def train(self) -> RankingData:
        """Queries to select and train on."""

    @property
    def vali(self) -> RankingData | None:
        """Queries to choose on."""

    @property
    def test(self) -> RankingData:
        """Queries to report on."""


@dataclass(frozen=True, repr=False)
class Source(ABC):
    """Where the folds of a data set come from: a value whose text form makes it again.

    Sources are frozen dataclasses; `repr` is the constructor call. The same text gives the same
    folds in every process.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What tables call the data set."""

    @abstractmethod
    def folds(self) -> list[StudyFold]:
        """Return the folds in order; data is loaded or made when it is first asked for."""

    def files(self) -> dict[str, Path]:
        """Return the files and folders that it reads, as full paths, by parameter."""
        return {}

    def with_full_paths(self) -> Source:
        """Return the same source by full paths: of the same folds in every working folder."""
        return replace(self, **{name: str(path) for name, path in self.files().items()})

    def __repr__(self) -> str:
        changed = [
            f"{field.name}={_literal(getattr(self, field.name))}"
            for field in sorted(fields(self), key=lambda each: bool(each.kw_only))
            if getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def data_path(text: str | os.PathLike[str]) -> Path:
    """Return the file or folder that a text names: as it is, or in the folder RANKSIEVE_DATA.

    Examples
    --------
    >>> data_path("no-such-folder")
    Traceback (most recent call last):
    ...
    ranksieve.errors.DataError: no-such-folder does not exist...
    """
    path = Path(text).expanduser()
    if exists(path):
        return path
    root = os.environ.get(DATA_VARIABLE, "")
    if root and not path.is_absolute() and exists(Path(root) / path):
        return Path(root) / path
    where = f", nor does {Path(root) / path}" if root and not path.is_absolute() else ""
    remedy = "" if root else f", or set {DATA_VARIABLE} to the folder that holds it"
    raise DataError(f"{text} does not exist{where}. Check the path{remedy}.")


def _literal(value: Any) -> str:
    plain = isinstance(value, str) and not any(sign in value for sign in '"\\\n')
    return f'"{value}"' if plain else repr(value)
