"""The task of each query of a file: from a column of a table, or from a feature of text.

The column is read by itself, beside the query ids, after the features: whatever reads those,
blocks and data on disk included, knows nothing of tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.check import check_row_ids
from ranksieve.data.delimited import TableReading
from ranksieve.data.labels import check_labels
from ranksieve.errors import DataError

# By the text of a query id.
TaskByQuery = dict[str, Any]


def file_tasks(path: Path, kind: str, options: dict[str, Any], *, graded: bool) -> TaskByQuery:
    """Return the task of each query of a CSV or Parquet file; the same in all rows of a query.

    Parameters
    ----------
    path, kind, graded : as of `block_streams.block_stream`
    options : those of `load` that apply to the kind, `task` among them
    """
    reading = {name: value for name, value in options.items() if name != "dtype"}
    rows = _csv_rows if kind == "CSV" else _parquet_rows
    tasks: TaskByQuery = {}
    for ids, labels in rows(path, reading, graded):
        _add(tasks, ids, labels, str(path))
    return _as_numbers(tasks)


def tasks_of(tasks: TaskByQuery, query_ids: NDArray[Any]) -> NDArray[Any]:
    """Return the tasks of some queries."""
    return np.array([tasks[str(query)] for query in query_ids.tolist()])


def whole_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values of a feature as labels: whole numbers where all are, and text else.

    Examples
    --------
    >>> whole_numbers(np.array([2.0, 1.0])), whole_numbers(np.array([0.5, 1.0]))
    (array([2, 1]), array(['0.5', '1.0'], dtype='<U3'))
    """
    if (values == np.rint(values)).all():
        return values.astype(np.int64)
    return np.array([str(value) for value in values.tolist()])


def _csv_rows(path: Path, reading: dict[str, Any], graded: bool) -> Iterator[tuple[Any, Any]]:
    layout = TableReading(graded=graded, **reading).layout(path)
    for ids, labels in layout.tasks():
        yield np.array(ids.to_pylist(), dtype=object), labels.to_pylist()


def _parquet_rows(path: Path, reading: dict[str, Any], graded: bool) -> Iterator[tuple[Any, Any]]:
    from ranksieve.data.parquet import parquet_columns
    from ranksieve.data.parquet_files import opened, parquet_files

    columns = parquet_columns(path, graded=graded, **reading)
    for file in parquet_files(path):
        with opened(file) as table:
            for batch in table.iter_batches(columns=[columns.query, str(columns.task)]):
                ids = check_row_ids(np.array(batch.column(0).to_pylist(), dtype=object), len(batch))
                yield ids, batch.column(1).to_pylist()


def _add(tasks: TaskByQuery, ids: NDArray[Any], labels: list[Any], source: str) -> None:
    for query, label in zip(ids.tolist(), labels, strict=True):
        if label is None or label == "":
            raise DataError(
                f"every row needs a task, but in {source} a row of query {query!r} has none. Fill "
                "it in, or leave such rows out."
            )
        if tasks.setdefault(str(query), label) != label:
            raise DataError(
                f"all documents of a query must have the same task, but in {source} query "
                f"{query!r} has {tasks[str(query)]!r} and {label!r}. Correct the column, or give "
                "the documents of each task a query of their own."
            )


def _as_numbers(tasks: TaskByQuery) -> TaskByQuery:
    """Return the labels as whole numbers where all are, and as checked text or numbers else."""
    values = list(tasks.values())
    if all(isinstance(value, str) and _is_whole(value) for value in values):
        return {query: int(value) for query, value in tasks.items()}
    labels = check_labels(np.array(values, dtype=object), len(values), "tasks", "query").tolist()
    return dict(zip(tasks, labels, strict=True))


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and str(int(text)) == text and len(text) < 18
