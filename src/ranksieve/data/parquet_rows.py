"""Rows of Parquet files as checked arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.check import check_grades, check_row_ids
from ranksieve.data.missing import Missing
from ranksieve.data.named_columns import NamedColumns
from ranksieve.data.parquet_files import damaged, opened, parquet_files
from ranksieve.data.values import check_values
from ranksieve.data.whole_queries import Rows
from ranksieve.errors import DataError

_BATCH = 16384


def parquet_rows(
    path: str | os.PathLike[str], names: NamedColumns, dtype: np.dtype[Any], missing: Missing
) -> Iterator[Rows]:
    """Yield the rows of a file or folder as arrays, checked, a batch at a time."""
    for file in parquet_files(path):
        first_row = 0
        for batch in _batches(file, names):
            yield checked_batch(batch, names, dtype, missing, file, first_row)
            first_row += len(batch)


def _batches(file: Path, names: NamedColumns) -> Iterator[Any]:
    import pyarrow as pa

    with opened(file) as table:
        try:
            for batch in table.iter_batches(_BATCH, columns=names.all):
                if len(batch):
                    yield batch
        except (pa.ArrowException, OSError) as error:
            raise damaged(file, error) from error


def checked_batch(
    batch: Any,
    names: NamedColumns,
    dtype: np.dtype[Any],
    missing: Missing,
    file: Path,
    first_row: int,
) -> Rows:
    """Return the rows of an Arrow batch as arrays, checked."""
    X = np.empty((len(batch), len(names.features)), dtype=dtype, order="F")
    with np.errstate(over="ignore"):
        for index, name in enumerate(names.features):
            X[:, index] = _numbers(batch.column(name))
    check_values(X, missing, names.features, first_row=first_row, source=str(file))
    for role, column in (("grade", names.grade), ("query", names.query)):
        if column is not None:
            _refuse_nulls(batch.column(column), role, column, file, first_row)
    documents = None if names.document is None else _document_ids(batch.column(names.document))
    return Rows(
        X,
        np.zeros(len(batch))
        if names.grade is None
        else _grades(batch.column(names.grade), file, first_row),
        _query_ids(batch.column(names.query), file, first_row),
        documents,
    )


def _numbers(column: Any) -> NDArray[Any]:
    import pyarrow as pa

    if not pa.types.is_floating(column.type) or column.type == pa.float16():
        column = column.cast(pa.float64(), safe=False)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _grades(column: Any, file: Path, first_row: int) -> NDArray[np.float64]:
    if not is_numeric(column.type):
        raise DataError(
            f"{file}: grades must be numbers, but column is {column.type}. "
            "Map text labels to 0, 1, 2, ... first."
        )
    try:
        return check_grades(_numbers(column), len(column))
    except DataError as error:
        raise DataError(f"{file}, batch from row {first_row}: {error}") from None


def _query_ids(column: Any, file: Path, first_row: int) -> NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        return check_row_ids(column.to_numpy(zero_copy_only=False), len(column))
    except DataError as error:
        raise DataError(f"{file}, batch from row {first_row}: {error}") from None


def _refuse_nulls(column: Any, role: str, name: str, file: Path, first_row: int) -> None:
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False))) + first_row
        raise DataError(
            f"every row needs a {role}, but in {file} column {name!r} is empty at row {row}. "
            "Fill it in, or leave such rows out."
        )


def _document_ids(column: Any) -> NDArray[Any]:
    ids = ["" if value is None else str(value) for value in column.to_pylist()]
    return np.array(ids, dtype=object)


def is_numeric(kind: Any) -> bool:
    """Return whether an Arrow type holds numbers, truth values, or nothing but nulls."""
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_null(kind)
    )
