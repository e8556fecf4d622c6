"""Ranking data from a pandas, polars or Arrow table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.check import from_arrays
from ranksieve.data.feature_lists import FeatureList
from ranksieve.data.missing import Missing
from ranksieve.data.named_columns import choose_columns, refuse_text_columns
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import DataError

_SOURCE = "the table"


def from_frame(
    frame: Any,
    *,
    grade: str | int = "grade",
    query: str | int = "qid",
    document: str | int | None = None,
    task: str | int | None = None,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
    missing: Missing = "error",
    sort: bool = False,
    graded: bool = True,
) -> RankingData:
    """Return checked ranking data from a pandas, polars or Arrow table.

    Feature values are float32 if every feature column is, and float64 otherwise. Nulls are
    missing values. A column `document_id` holds document ids unless another is named.

    Parameters
    ----------
    frame : table that narwhals knows, in memory
    grade, query : str or int
        Columns with the grade and the query id of each document: a name, or a position from 1.
    document, task : str or int, optional
    features, exclude : lists of features, optional
        All other columns by default; see `selected_features`.
    missing : "error", "query-minimum" or a number
    sort : bool
        Bring the rows of a query together.
    graded : bool
        False: there may be no column of grades, and these are then 0.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"qid": [1, 1], "grade": [0, 2], "bm25": [0.5, 0.7]})
    >>> from_frame(frame).feature_names
    ('bm25',)
    """
    table = _in_memory(frame)
    names = {str(name): name for name in table.columns}
    if len(names) < len(table.columns):
        raise _repeated(table.columns)
    columns = choose_columns(
        list(names),
        _SOURCE,
        grade=grade,
        query=query,
        document=document,
        task=task,
        features=features,
        exclude=exclude,
        graded=graded,
    )
    series = [table.get_column(names[name]) for name in columns.features]
    refuse_text_columns([str(column.name) for column in series if not _is_numeric(column)], _SOURCE)
    documents = None if columns.document is None else table.get_column(names[columns.document])
    tasks = None if columns.task is None else table.get_column(names[columns.task])
    return from_arrays(
        _matrix(series),
        np.zeros(len(table))
        if columns.grade is None
        else _present(table.get_column(names[columns.grade]), "grade"),
        _present(table.get_column(names[columns.query]), "query"),
        feature_names=columns.features,
        document_ids=None if documents is None else _document_ids(documents),
        task=None if tasks is None else _present(tasks, "task"),
        missing=missing,
        sort=sort,
    )


def is_frame(source: Any) -> bool:
    """Return whether narwhals takes `source` as a table, in memory or lazy."""
    import narwhals as nw

    try:
        table = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:
        return True  # said when its columns are looked at
    return isinstance(table, nw.DataFrame | nw.LazyFrame)


def _repeated(names: list[Any]) -> DataError:
    """Return the error for two columns of one name as text: 0 and "0" are two of a kind."""
    texts = [str(name) for name in names]
    again = next(name for index, name in enumerate(texts) if name in texts[:index])
    return DataError(
        f"{_SOURCE} has two columns that are called {again!r}. Features are identified by their "
        "names: rename one of them, or drop it."
    )


def _in_memory(frame: Any) -> Any:
    import narwhals as nw

    try:
        table = nw.from_native(frame)
    except nw.exceptions.DuplicateError:
        raise _repeated(list(getattr(frame, "column_names", None) or frame.columns)) from None
    except (TypeError, ValueError) as error:
        raise DataError(f"the table cannot be read: {error}") from None
    if isinstance(table, nw.LazyFrame):
        raise DataError(
            "the table is lazy, and its rows are needed: call .collect() on it first, or write "
            "it to Parquet and load that"
        )
    return table


def _is_numeric(column: Any) -> bool:
    import narwhals as nw

    return bool(
        column.dtype.is_numeric()
        or column.dtype == nw.Boolean
        or column.null_count() == len(column)
    )


def _matrix(series: list[Any]) -> NDArray[Any]:
    import narwhals as nw

    single = all(column.dtype == nw.Float32 for column in series)
    dtype = np.float32 if single else np.float64
    X = np.empty((len(series[0]), len(series)), dtype=dtype, order="F")
    for index, column in enumerate(series):
        if column.null_count() == len(column):
            X[:, index] = np.nan
        else:
            values = column if single else column.cast(nw.Float64)
            X[:, index] = values.to_numpy()
    return X


def _present(column: Any, role: str) -> NDArray[Any]:
    import narwhals as nw

    null = column.is_null()
    if column.dtype.is_float():
        null = null | column.is_nan()
    holes = np.flatnonzero(null.fill_null(True).to_numpy())
    if len(holes):
        raise DataError(
            f"every row needs a {role}, but column {column.name!r} is empty in {len(holes)} "
            f"(first: row {holes[0]}). Fill them in, or leave these rows out."
        )
    if isinstance(column.dtype, nw.Categorical | nw.Enum):
        column = column.cast(nw.String)
    if column.dtype.is_decimal():
        column = column.cast(nw.Float64)
    return np.asarray(column.to_numpy())


def _document_ids(column: Any) -> NDArray[Any]:
    ids = ["" if value is None else str(value) for value in column.to_list()]
    return np.array(ids, dtype=object)
