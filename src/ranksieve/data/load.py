"""The door for data: whatever holds documents becomes RankingData here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ranksieve.catalog import suggestion
from ranksieve.data.check import from_arrays
from ranksieve.data.folds import fold_folders
from ranksieve.data.missing import Missing
from ranksieve.data.parquet_files import SUFFIXES
from ranksieve.data.paths import exists
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import DataError, ParameterError

_COLUMNS = ("grade", "query", "document", "features")
_TAKES = (
    "a path of LETOR text or Parquet, a pandas, polars or Arrow table, a tuple (X, y, qid), "
    "or RankingData"
)


def load(
    source: Any,
    *,
    grade: str | None = None,
    query: str | None = None,
    document: str | None = None,
    features: Sequence[str] | None = None,
    missing: Missing = "error",
    sort: bool = False,
    dtype: DTypeLike | None = None,
    group_sizes: ArrayLike | str | os.PathLike[str] | None = None,
    n_features: int | None = None,
    graded: bool = True,
) -> RankingData:
    """Return checked ranking data from a file, a folder, a table, or arrays.

    Parameters
    ----------
    source : path, table, (X, y, qid), or RankingData
        A path that ends in .parquet or .pq and a folder of such files are Parquet; every
        other path is LETOR or SVMlight text, compressed if it ends in .gz, .xz or .zst.
        Tables are of pandas, polars or Arrow. X is dense or scipy sparse.
    grade, query, document : str, optional
        Columns of Parquet and tables: "grade", "qid", and "document_id" if there is one.
    features : sequence of str, optional
        Feature columns of Parquet and tables: all others by default.
    missing : "error", "query-minimum" or a number
        What becomes of missing values.
    sort : bool
        Bring rows of a query together that stand apart, instead of an error.
    dtype : float32 (the default) or float64
        Type of values from files; tables and arrays keep theirs.
    group_sizes : sizes or path, optional
        Documents a query, for text without qid.
    n_features : int, optional
        Number of features of text, where the largest index of the file is not the last one.
    graded : bool
        False: Parquet and tables may lack a column of grades, which are then 0: data to predict.

    Raises
    ------
    DataError
        The data cannot be used as it is; the message says where, what, and what to do.
    ParameterError
        A parameter does not apply to this kind of source.

    Examples
    --------
    >>> load(([[0.1], [0.7], [0.3]], [0, 2, 1], [7, 7, 9]))
    RankingData(3 documents, 2 queries, 1 features, float64)
    """
    given: dict[str, Any] = {
        "grade": grade,
        "query": query,
        "document": document,
        "features": features,
        "dtype": dtype,
        "group_sizes": group_sizes,
        "n_features": n_features,
    }
    options = {name: value for name, value in given.items() if value is not None}
    if isinstance(source, RankingData):
        _allow(options, (), "RankingData")
        return source
    if isinstance(source, str | os.PathLike):
        return _from_path(Path(source).expanduser(), options, missing, sort, graded)
    if isinstance(source, tuple):
        _allow(options, (), "arrays")
        return _from_tuple(source, missing, sort)
    return _from_table(source, options, missing, sort, graded)


def _from_path(
    path: Path, options: dict[str, Any], missing: Missing, sort: bool, graded: bool
) -> RankingData:
    if not exists(path):
        raise DataError(f"{path} does not exist{_nearest(path)}")
    if path.is_dir() or path.suffix.lower() in SUFFIXES:
        from ranksieve.data.parquet import read_parquet

        _refuse_folds(path)
        _allow(options, (*_COLUMNS, "dtype"), "Parquet")
        return read_parquet(path, missing=missing, sort=sort, graded=graded, **options)
    from ranksieve.data.text import read_text

    _allow(options, ("dtype", "group_sizes", "n_features"), "text")
    return read_text(path, missing=missing, sort=sort, **options)


def _from_tuple(source: tuple[Any, ...], missing: Missing, sort: bool) -> RankingData:
    if len(source) != 3:
        raise DataError(f"arrays come as (X, y, qid), but the tuple has {len(source)} parts")
    X, y, qid = source
    columns = getattr(X, "column_names", None) or getattr(X, "columns", None)
    names = None if columns is None else [str(name) for name in columns]
    return from_arrays(X, y, qid, feature_names=names, missing=missing, sort=sort)


def _from_table(
    source: Any, options: dict[str, Any], missing: Missing, sort: bool, graded: bool
) -> RankingData:
    from ranksieve.data.frames import from_frame, is_frame

    if not is_frame(source):
        lonely = isinstance(source, np.ndarray)
        hint = " An array alone has no grades and queries." if lonely else ""
        raise DataError(f"load takes {_TAKES}, but got {type(source).__name__}.{hint}")
    _allow(options, _COLUMNS, "a table")
    return from_frame(source, missing=missing, sort=sort, graded=graded, **options)


def _allow(options: dict[str, Any], allowed: tuple[str, ...], what: str) -> None:
    for name in options:
        if name not in allowed:
            takes = ", ".join((*allowed, "missing", "sort"))
            raise ParameterError(f"{name} does not apply to {what}, which takes: {takes}")


def _refuse_folds(path: Path) -> None:
    if path.is_dir() and (folds := fold_folders(path)):
        raise DataError(
            f"{path} is a folder of {len(folds)} folds ({folds[0].name}, ...). Read them with "
            f"ranksieve.data.letor_folds, or give one part, such as {folds[0].name}/train.txt."
        )


def _nearest(path: Path) -> str:
    if not path.parent.is_dir():
        return f", nor does the folder {path.parent}. Check the path."
    return suggestion(path.name, [place.name for place in path.parent.iterdir()])
