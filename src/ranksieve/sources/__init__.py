"""Sources: where the data sets of a study, and their folds, come from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.errors import DataError, ParameterError
from ranksieve.sources._files import FileSource as FileSource
from ranksieve.sources.base import Source as Source
from ranksieve.sources.base import StudyFold as StudyFold
from ranksieve.sources.base import data_path as data_path
from ranksieve.sources.letorfolds import LetorFolds as LetorFolds
from ranksieve.sources.queryfolds import QueryFolds as QueryFolds

if TYPE_CHECKING:
    from ranksieve.sources.partpermutations import PartPermutations as PartPermutations
    from ranksieve.sources.rbfpoints import RBFPoints as RBFPoints
    from ranksieve.sources.traintest import TrainTest as TrainTest


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})


def as_source(spelled: str | Source, **changes: Any) -> Source:
    """Return the source that a text spells: a call, or a path.

    A folder holds folds, or is one; a file is cut into five by query. `changes` are parameters of
    the source: how its files are read, and the share of validation queries.

    Examples
    --------
    >>> as_source("data/MQ2008", missing=0.0)
    LetorFolds(folder="data/MQ2008", missing=0.0)
    """
    source = spelled if isinstance(spelled, Source) else _spelled(spelled)
    return changed(source, **changes) if changes else source


def changed(source: Source, **changes: Any) -> Source:
    """Return a source with other parameters, which must be parameters that it has.

    Examples
    --------
    >>> changed(RBFPoints(), missing=0.0)
    Traceback (most recent call last):
    ...
    ranksieve.errors.ParameterError: RBFPoints() has no parameter 'missing'...
    """
    names = set(source.__dataclass_fields__)
    for name in changes:
        if name == "validation_share" and name not in names and isinstance(source, QueryFolds):
            raise ParameterError(
                f"{source.path} is cut into {source.n_folds} folds, and each has a validation part "
                "of its own. Leave validation_share out, or give the test part as well."
            )
        if name not in names:
            raise ParameterError(
                f"{source!r} has no parameter {name!r}: it applies to sources that read files"
            )
    return replace(source, **changes)


def _spelled(text: str) -> Source:
    name = text.split("(", 1)[0].strip()
    if "(" in text and catalog.knows("sources", name):
        source: Source = catalog.parse(text, "sources")
        return source
    return QueryFolds(text) if _is_file(text) else LetorFolds(text)


def _is_file(spelled: str) -> bool:
    try:
        path = data_path(spelled)
    except DataError:
        return False  # said when it is read
    return path.is_file() or path.suffix in (".parquet", ".pq")
