"""The door for data: whatever holds documents becomes RankingData here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ranksieve.data.check import from_arrays
from ranksieve.data.delimited import TableReading, is_delimited, read_delimited
from ranksieve.data.feature_lists import FeatureList, NamesSource, read_names, selected_features
from ranksieve.data.file_suggestions import suggest_file
from ranksieve.data.folds import fold_folders, has_parts
from ranksieve.data.labels import task_of_queries
from ranksieve.data.logs import is_log
from ranksieve.data.memory import memory as memory_of
from ranksieve.data.missing import Missing
from ranksieve.data.parquet_files import SUFFIXES, is_pattern
from ranksieve.data.paths import exists
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import DataError, ParameterError

_COLUMNS = ("grade", "query", "document", "task", "features", "exclude")
_CHOICE = ("features", "exclude")
# Bytes of a file that fits into any memory, so that nothing has to be looked at first.
_SMALL_FILE = 1 << 20
_TAKES = (
    "a path of LETOR text, CSV, Parquet or a log of an engine, a pandas, polars or Arrow table, "
    "a tuple (X, y, qid), or RankingData"
)


def load(
    source: Any,
    *,
    grade: str | int | None = None,
    query: str | int | None = None,
    document: str | int | None = None,
    task: str | int | None = None,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
    names: NamesSource | None = None,
    missing: Missing = "error",
    sort: bool = False,
    dtype: DTypeLike | None = None,
    group_sizes: ArrayLike | str | os.PathLike[str] | None = None,
    n_features: int | None = None,
    zero_based: bool = False,
    header: bool | None = None,
    columns: str | os.PathLike[str] | None = None,
    judgements: str | os.PathLike[str] | None = None,
    graded: bool = True,
    memory: int | str | None = None,
) -> RankingData:
    """Return checked ranking data from a file, a folder, a table, or arrays.

    Parameters
    ----------
    source : path, table, (X, y, qid), or RankingData
        A path that ends in .parquet or .pq, a folder of such files, and a pattern such as
        `folder/*.parquet` are Parquet; .csv and
        .tsv are tables of text; .json, .jsonl and .ndjson are logs of a search engine; every other
        path is LETOR or SVMlight text. Text is compressed if its name ends in .gz, .xz or .zst.
        Tables are of pandas, polars or Arrow. X is dense or scipy sparse.
    grade, query, document : str or int, optional
        Columns of CSV, Parquet and tables, by name or by position from 1: "grade", "qid", and
        "document_id" if there is one. Of logs, the path of the query's id and the document's field.
    task : str or int, optional
        The column, likewise, with the task of each query: a market, a language, a kind of query.
        Of text the name or number of a feature that holds it; it is then no feature. Methods
        for several tasks use it (`RankingData.tasks`), all others leave it aside.
    features, exclude : str or list, optional
        Features to read, and features to leave out, in every kind of source: names, numbers,
        ranges such as "6-10" and patterns such as "url_*"; a text is cut at its commas. A list of
        `features` also gives their order. Where all names are whole numbers, as in text,
        numbers are names; elsewhere they count the features from 1.
    names : path or list, optional
        Names of the features of text, of CSV without a header and of arrays: a list, or a file
        with one name per line.
    missing : "error", "query-minimum" or a number
        What becomes of missing values. Those of features that are left out do not matter.
    sort : bool
        Bring together rows of a query that are apart, instead of raising an error.
    dtype : float32 (the default) or float64
        Type of values from files; tables and arrays keep theirs.
    group_sizes : sizes or path, optional
        Documents per query, for text without qid.
    n_features : int, optional
        Number of features of text, where the largest index of the file is not the last one.
    zero_based : bool
        Whether text numbers its features from 0, as scikit-learn's `dump_svmlight_file` does.
    header : bool, optional
        Whether the first line of a CSV names its columns; found out by default.
    columns : path, optional
        CatBoost's description of the columns of a CSV; `train.cd` beside `train.csv` is taken by
        itself.
    judgements : path, optional
        Grades of the documents of a log: TREC qrels, or a CSV with query, document and grade.
    graded : bool
        False: tables may lack a column of grades, and logs judgements; grades are then 0: data to
        predict.
    memory : int or str, optional
        How much memory the features may take: bytes, or a text such as "2GiB"; by default half of
        what is free. Features of a larger file stay on disk (`RankingData.on_disk`), and document
        ids are then left out; see docs/scale.md.

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
    arguments: dict[str, Any] = {
        "grade": grade,
        "query": query,
        "document": document,
        "task": task,
        "features": features,
        "exclude": exclude,
        "names": names,
        "dtype": dtype,
        "group_sizes": group_sizes,
        "n_features": n_features,
        "zero_based": zero_based or None,
        "header": header,
        "columns": columns,
        "judgements": judgements,
    }
    options = {name: value for name, value in arguments.items() if value is not None}
    if isinstance(source, RankingData):
        _allow(options, _CHOICE, "RankingData")
        return _some_features(source, options)
    if isinstance(source, str | os.PathLike):
        with memory_of(memory):
            return _from_path(Path(source).expanduser(), options, missing, sort, graded)
    if isinstance(source, tuple):
        _allow(options, (*_CHOICE, "names"), "arrays")
        return _some_features(
            _from_tuple(source, options.pop("names", None), missing, sort), options
        )
    return _from_table(source, options, missing, sort, graded)


def file_format(path: Path, options: dict[str, Any]) -> str:
    """Return what a path holds: "Parquet", "CSV", "log" or "text"; reading options may tell.

    Examples
    --------
    >>> file_format(Path("train.csv.gz"), {}), file_format(Path("train"), {"columns": "train.cd"})
    ('CSV', 'CSV')
    """
    if path.is_dir() or path.suffix.lower() in SUFFIXES:
        return "Parquet"
    if is_delimited(path) or "columns" in options or "header" in options:
        return "CSV"
    return "log" if is_log(path) or "judgements" in options else "text"


# What each format takes besides `missing` and `sort`.
FILE_OPTIONS = {
    "Parquet": (*_COLUMNS, "dtype"),
    "CSV": (*_COLUMNS, "names", "header", "columns", "dtype"),
    "log": ("judgements", "query", "document", *_CHOICE, "dtype"),
    "text": (*_CHOICE, "task", "names", "dtype", "group_sizes", "n_features", "zero_based"),
}


def _from_path(
    path: Path, options: dict[str, Any], missing: Missing, sort: bool, graded: bool
) -> RankingData:
    if not exists(path) and not is_pattern(path):
        raise DataError(f"{path} does not exist{_nearest(path)}")
    kind = file_format(path, options)
    _refuse_folds(path)
    allow_options(options, kind)
    if "task" not in options:
        return _read(path, kind, options, missing, sort, graded)
    if kind == "text":
        return _with_task_of_text(path, options, missing, sort, graded)
    from ranksieve.data.file_tasks import file_tasks, tasks_of

    data = _read(path, kind, dict(options), missing, sort, graded)
    return data.with_tasks(tasks_of(file_tasks(path, kind, options, graded=graded), data.query_ids))


def _with_task_of_text(
    path: Path, options: dict[str, Any], missing: Missing, sort: bool, graded: bool
) -> RankingData:
    """Return text with tasks from one of its features, which is taken out of them."""
    from ranksieve.data.file_tasks import whole_numbers

    reading = dict(options)
    task = str(reading.pop("task"))
    data = _read(path, "text", dict(reading), missing, sort, graded)
    alone = {name: value for name, value in reading.items() if name not in _CHOICE}
    column = _read(path, "text", alone | {"features": [task]}, missing, sort, graded)
    labels = whole_numbers(column.column(0).astype(np.float64))
    tasks = task_of_queries(labels, column.query_ptr, column.query_ids)
    name = column.feature_names[0]
    others = [feature for feature in data.feature_names if feature != name]
    return (data.features(others) if len(others) < data.n_features else data).with_tasks(tasks)


def _read(
    path: Path,
    kind: str,
    options: dict[str, Any],
    missing: Missing,
    sort: bool,
    graded: bool,
) -> RankingData:
    if kind == "Parquet" or path.stat().st_size > _SMALL_FILE:
        from ranksieve.data.large_files import load_on_disk

        data = load_on_disk(path, kind, options, missing, sort=sort, graded=graded)
        if data is not None:
            return data
    if kind == "Parquet":
        from ranksieve.data.parquet import read_parquet

        return read_parquet(path, missing=missing, sort=sort, graded=graded, **options)
    if kind == "CSV":
        dtype = options.pop("dtype", np.float32)
        reading = TableReading(graded=graded, **options)
        return read_delimited(path, reading, dtype=dtype, missing=missing, sort=sort)
    if kind == "log":
        from ranksieve.data.logs.reader import LogReading, read_log

        dtype = options.pop("dtype", np.float32)
        return read_log(
            path, LogReading(graded=graded, **options), dtype=dtype, missing=missing, sort=sort
        )
    from ranksieve.data.text import read_text

    return read_text(path, missing=missing, sort=sort, **options)


def _from_tuple(
    source: tuple[Any, ...], names: NamesSource | None, missing: Missing, sort: bool
) -> RankingData:
    if len(source) != 3:
        raise DataError(f"arrays come as (X, y, qid), but the tuple has {len(source)} parts")
    X, y, qid = source
    columns = getattr(X, "column_names", None)
    columns = getattr(X, "columns", None) if columns is None else columns
    if names is not None:
        columns = read_names(names)
    texts = None if columns is None else [str(name) for name in columns]
    return from_arrays(X, y, qid, feature_names=texts, missing=missing, sort=sort)


def _some_features(data: RankingData, options: dict[str, Any]) -> RankingData:
    if not options:
        return data
    return data.features(selected_features(data.feature_names, "the data", **options)).gathered()


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


def allow_options(options: dict[str, Any], kind: str) -> None:
    """Raise if an option does not apply to a format."""
    _allow(options, FILE_OPTIONS[kind], kind)


def _allow(options: dict[str, Any], allowed: tuple[str, ...], kind: str) -> None:
    for name in options:
        if name not in allowed:
            takes = ", ".join((*allowed, "missing", "sort"))
            raise ParameterError(f"{name} does not apply to {kind}, which takes: {takes}")


def _refuse_folds(path: Path) -> None:
    if path.is_dir() and (folds := fold_folders(path)):
        raise DataError(
            f"{path} is a folder of {len(folds)} folds ({folds[0].name}, ...). Read them with "
            f"ranksieve.data.letor_folds, or give one part, such as {folds[0].name}/train.txt."
        )
    if path.is_dir() and has_parts(path, "train") and has_parts(path, "test"):
        raise DataError(
            f"{path} is a folder with parts, train and test. Give one of them, or read it with "
            "ranksieve.data.letor_folds."
        )


def _nearest(path: Path) -> str:
    if not path.parent.is_dir():
        return f", nor does the folder {path.parent}. Check the path."
    return suggest_file(path.name, [other.name for other in path.parent.iterdir()])
