"""Parquet: read as a whole or block by block, and written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ranksieve.data.atomic import replacing
from ranksieve.data.block import Block
from ranksieve.data.check import check_dtype, from_arrays
from ranksieve.data.feature_lists import FeatureList, list_items
from ranksieve.data.missing import Missing, check_missing
from ranksieve.data.named_columns import (
    DOCUMENT_ID,
    TASK,
    NamedColumns,
    choose_columns,
    refuse_text_columns,
)
from ranksieve.data.parquet_files import opened, parquet_files
from ranksieve.data.parquet_rows import is_numeric, parquet_rows
from ranksieve.data.ranking_data import RankingData, document_text
from ranksieve.data.whole_queries import joined, whole_queries
from ranksieve.data.writing import blocks_and_names
from ranksieve.errors import DataError
from ranksieve.packages import require

_ROW_GROUP = 1 << 17


def read_parquet(
    path: str | os.PathLike[str],
    *,
    grade: str | int = "grade",
    query: str | int = "qid",
    document: str | int | None = None,
    task: str | int | None = None,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
    dtype: DTypeLike = np.float32,
    missing: Missing = "error",
    sort: bool = False,
    graded: bool = True,
) -> RankingData:
    """Return ranking data from a Parquet file, or from a folder of them with equal columns.

    Parameters
    ----------
    path : path of a file or folder
        Files of a folder are read by name; hidden ones and `_` files are passed over.
    grade, query : str or int
        Columns with the grade and the query id of each document: a name, or a position from 1.
    document : str or int, optional
        Column with document ids; `document_id` if there is one.
    task : str or int, optional
        Column that is left out of the features: `load` takes the task of each query from it.
    features, exclude : lists of features, optional
        All other columns by default; see `ranksieve.data.feature_lists.selected_features`.
    dtype : float32 or float64
    missing : "error", "query-minimum" or a number
        What becomes of nulls and NaN.
    sort : bool
        Bring the rows of a query together; this takes twice the memory.
    graded : bool
        False: there may be no column of grades, and these are then 0.

    Examples
    --------
    >>> import tempfile
    >>> from ranksieve.data import make_ranking
    >>> data, _ = make_ranking(n_queries=2)
    >>> target = Path(tempfile.mkdtemp()) / "train.parquet"
    >>> write_parquet(data, target)
    >>> read_parquet(target).fingerprint == data.fingerprint
    True
    """
    names = parquet_columns(
        path,
        grade=grade,
        query=query,
        document=document,
        task=task,
        features=features,
        exclude=exclude,
        graded=graded,
    )
    if not sort:
        blocks = list(_blocks(path, names, check_dtype(dtype), missing))
        return RankingData(blocks, names.features)
    check_missing(missing)
    rows = joined(list(parquet_rows(path, names, check_dtype(dtype), missing)))
    return from_arrays(
        rows.X,
        rows.y,
        rows.qid,
        feature_names=names.features,
        document_ids=rows.document_ids,
        missing=missing,
        sort=True,
    )


def read_parquet_blocks(
    path: str | os.PathLike[str],
    *,
    grade: str | int = "grade",
    query: str | int = "qid",
    document: str | int | None = None,
    task: str | int | None = None,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
    dtype: DTypeLike = np.float32,
    missing: Missing = "error",
    graded: bool = True,
) -> Iterator[Block]:
    """Yield ranking data from Parquet in blocks of whole queries, of about 16,000 documents.

    Memory is bounded by a few blocks (and by the longest query). The parameters are those of
    `read_parquet`.
    """
    names = parquet_columns(
        path,
        grade=grade,
        query=query,
        document=document,
        task=task,
        features=features,
        exclude=exclude,
        graded=graded,
    )
    return _blocks(path, names, check_dtype(dtype), missing, streamed=True)


def parquet_columns(
    path: str | os.PathLike[str],
    *,
    grade: str | int = "grade",
    query: str | int = "qid",
    document: str | int | None = None,
    task: str | int | None = None,
    features: FeatureList | None = None,
    exclude: FeatureList | None = None,
    graded: bool = True,
) -> NamedColumns:
    """Return which columns of a file or folder hold what, after a look at every schema."""
    files = parquet_files(path)
    first = _schema(files[0])
    requested = (grade, query, document, task, *(() if features is None else list_items(features)))
    names = [name for name in first.names if name in requested or name not in _index_names(first)]
    columns = choose_columns(
        names,
        str(files[0]),
        grade=grade,
        query=query,
        document=document,
        task=task,
        features=features,
        exclude=exclude,
        graded=graded,
    )
    for file in files:
        schema = _schema(file)
        if set(schema.names) != set(first.names):
            odd = sorted(set(schema.names) ^ set(first.names))
            raise DataError(
                f"{file} has other columns than {files[0]}: {odd[0]!r} is in one of them only. "
                "Files of a folder must have the same columns."
            )
        text = [name for name in columns.features if not is_numeric(schema.field(name).type)]
        refuse_text_columns(text, str(file))
    return columns


def column_names(path: str | os.PathLike[str]) -> list[str]:
    """Return the names of all columns of a file, or of the first file of a folder."""
    names: list[str] = _schema(parquet_files(path)[0]).names
    return names


def count_documents(path: str | os.PathLike[str]) -> int:
    """Return the number of rows in a Parquet file or folder, from its footers."""
    total = 0
    for file in parquet_files(path):
        with opened(file) as table:
            total += table.metadata.num_rows
    return total


def write_parquet(
    data: RankingData | Iterable[Block],
    path: str | os.PathLike[str],
    *,
    feature_names: Sequence[str] | None = None,
    tasks: Mapping[str, Any] | None = None,
) -> None:
    """Write ranking data as Parquet: grade, qid, document_id and task if there are any, features.

    One row group per block (a block of more than 131,072 documents is cut). The file appears
    as a whole or not at all.

    Parameters
    ----------
    data : RankingData, or blocks of whole queries
        Blocks may come from a generator: one at a time is held.
    path : path
        An existing file is replaced.
    feature_names : sequence of str, optional
        Names of the features where `data` is blocks.
    tasks : mapping of query ids, as text, to tasks, optional
        Where `data` is blocks; RankingData has its own.
    """
    pa = require("pyarrow", extra="tables", caller="writing Parquet")
    import pyarrow.parquet as pq

    blocks, names = blocks_and_names(data, feature_names, _ROW_GROUP)
    if isinstance(data, RankingData) and data.tasks is not None:
        ids = [str(query) for query in data.query_ids.tolist()]
        tasks = dict(zip(ids, data.tasks.tolist(), strict=True))
    for name in ("grade", "qid", DOCUMENT_ID, *(() if tasks is None else (TASK,))):
        if name in names:
            raise DataError(f"a feature is called {name!r}, as the column of that role. Rename it.")
    with replacing(path) as temporary:
        writer = None
        try:
            for block in blocks:
                table = _table(block, names, None if writer is None else writer.schema, tasks)
                if writer is None:
                    # Dictionaries of features took as long as all else, and made files larger.
                    plain = [name for name in table.schema.names if name not in names]
                    writer = pq.ParquetWriter(
                        temporary,
                        table.schema,
                        compression="zstd",
                        use_dictionary=plain,
                        write_page_checksum=True,
                    )
                writer.write_table(table, row_group_size=len(table))
        except pa.ArrowInvalid as error:
            raise DataError(f"cannot write {path}: blocks of different types ({error})") from error
        finally:
            if writer is not None:
                writer.close()


def _table(
    block: Block, names: tuple[str, ...], schema: Any, tasks: Mapping[str, Any] | None
) -> Any:
    import pyarrow as pa

    qid = np.repeat(block.query_ids, np.diff(block.query_ptr))
    columns = {"grade": pa.array(block.y[block.rows]), "qid": pa.array(qid)}
    if schema is None:
        with_documents = block.document_ids is not None
    else:
        with_documents = DOCUMENT_ID in schema.names
    if with_documents:
        columns[DOCUMENT_ID] = pa.array(document_text(block, block.rows), pa.string())
    if tasks is not None:
        labels = np.array([tasks[str(query)] for query in block.query_ids.tolist()])
        columns[TASK] = pa.array(np.repeat(labels, np.diff(block.query_ptr)))
    for index, name in enumerate(names):
        columns[name] = pa.array(block.X[block.rows, index])
    table = pa.table(columns)
    return table if schema is None else table.cast(schema)


def _blocks(
    path: str | os.PathLike[str],
    names: NamedColumns,
    dtype: np.dtype[Any],
    missing: Missing,
    *,
    streamed: bool = False,
) -> Iterator[Block]:
    check_missing(missing)
    n_blocks = 0
    rows = parquet_rows(path, names, dtype, missing)
    for block in whole_queries(rows, missing, streamed=streamed):
        n_blocks += 1
        yield block
    if not n_blocks:
        raise DataError(f"{path} has no documents: its tables have no rows")


def _index_names(schema: Any) -> list[str]:
    """Return the columns in which pandas keeps the index of a frame: row numbers, no features."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in index if isinstance(name, str)]


def _schema(file: Path) -> Any:
    with opened(file) as table:
        return table.schema_arrow
