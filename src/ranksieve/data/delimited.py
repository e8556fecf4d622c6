"""CSV and TSV: read as a whole or block by block."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ranksieve.data.block import Block
from ranksieve.data.check import check_dtype, check_feature_names, from_arrays
from ranksieve.data.column_description import (
    ColumnDescription,
    find_description,
    read_description,
)
from ranksieve.data.feature_lists import FeatureList, NamesSource, read_names, selected_features
from ranksieve.data.missing import Missing, check_missing
from ranksieve.data.named_columns import (
    NamedColumns,
    choose_columns,
    column_name,
    refuse_text_columns,
)
from ranksieve.data.parquet_rows import checked_batch, is_numeric
from ranksieve.data.queries import one_type
from ranksieve.data.ranking_data import RankingData
from ranksieve.data.text.complaints import check_magic
from ranksieve.data.text.streams import SUFFIXES as COMPRESSED
from ranksieve.data.text.streams import TextStream
from ranksieve.data.whole_queries import Rows, joined, whole_queries
from ranksieve.errors import DataError
from ranksieve.packages import require

SUFFIXES = (".csv", ".tsv")
_DELIMITERS = (",", "\t", ";", "|")
_HEAD_BYTES, _MAX_HEAD_BYTES = 1 << 20, 1 << 26
_QUOTED = re.compile(r'"[^"]*"')
# Text that Arrow reads at a time: no line may be longer, and memory grows with it.
_BLOCK_BYTES = 1 << 20
_BLOCK_LINES = 64
# A whole number as it is always written: text such as 007 stays text.
_WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
_CONVERSION = re.compile(
    r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to \w+: invalid value '(.*)'",
    re.DOTALL,
)

PathLike = str | os.PathLike[str]


def is_delimited(path: Path) -> bool:
    """Tell whether a file is a table of text by its ending, compressed or not.

    Examples
    --------
    >>> is_delimited(Path("train.csv.gz")), is_delimited(Path("train.txt"))
    (True, False)
    """
    plain = path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
    return plain.suffix.lower() in SUFFIXES


@dataclass(frozen=True)
class TableReading:
    """How a table of text is read: what it has in which column, and what is asked for.

    Parameters
    ----------
    grade, query, document, task : names of columns, or positions from 1
    features, exclude : lists of features
    names : of the features, where there is no header
    header : whether the first line has the names of the columns; None to find out
    columns : a file in CatBoost's format; one beside the data, `train.cd`, is found by itself
    graded : whether there must be grades
    """

    grade: str | int | None = None
    query: str | int | None = None
    document: str | int | None = None
    task: str | int | None = None
    features: FeatureList | None = None
    exclude: FeatureList | None = None
    names: NamesSource | None = None
    header: bool | None = None
    columns: PathLike | None = None
    graded: bool = True

    def layout(self, path: Path) -> TableLayout:
        """Return which column holds what, after reading the start of the file."""
        record, delimiter, n_bytes = _first_record(path)
        require("pyarrow", extra="tables", caller="reading CSV")
        described = self._description(path)
        header = self._has_header(record, described) if self.header is None else self.header
        names = _column_names(record, header, described)
        columns = self._columns(names, described, path, header)
        block_bytes = max(_BLOCK_BYTES, _BLOCK_LINES * n_bytes)
        layout = TableLayout(path, delimiter, header, tuple(names), columns, block_bytes)
        return self._renamed(layout, header or (described is not None and bool(described.names)))

    def _description(self, path: Path) -> ColumnDescription | None:
        file = find_description(path) if self.columns is None else Path(self.columns).expanduser()
        return None if file is None else read_description(file)

    def _has_header(self, record: list[str], described: ColumnDescription | None) -> bool:
        """Tell whether a line names columns: one that is asked for, or none of them a number."""
        requested = [str(name) for name in (self.grade, self.query) if name is not None]
        usual = ["grade", "qid"] if described is None else []
        if any(name in record and not name.isdecimal() for name in [*requested, *usual]):
            return True
        return not any(_is_number(cell) for cell in record)

    def _columns(
        self, names: list[str], described: ColumnDescription | None, path: Path, header: bool
    ) -> NamedColumns:
        if described is not None:
            _check_described(described, len(names), path)
        roles = self._roles(names, described)
        needed = {"grade", "query"} if self.graded else {"query"}
        if not header and not needed <= set(roles):
            raise DataError(
                f"{path} has no header: its first line holds numbers. Say which columns hold the "
                "grade and the query, by their positions, such as grade='1' and query='2'; or "
                "pass header=True if the line does name them."
            )
        left_out = set() if described is None else described.left_out()
        usable = [name for index, name in enumerate(names) if index not in left_out]
        return choose_columns(
            usable,
            str(path),
            features=None if self.names is not None else self.features,
            exclude=None if self.names is not None else self.exclude,
            graded=self.graded,
            **roles,
        )

    def _roles(self, names: list[str], described: ColumnDescription | None) -> dict[str, Any]:
        """Return the columns that are asked for or described, by what they hold."""
        roles = {}
        for role in ("grade", "query", "document", "task"):
            column = getattr(self, role)
            position = None if described is None else described.position(role)
            if column is not None:
                roles[role] = column_name(column, names)
            elif position is not None:
                roles[role] = names[position]
        return roles

    def _renamed(self, layout: TableLayout, named: bool) -> TableLayout:
        """Return the layout with the features' own names, where the file has none."""
        if self.names is None:
            return layout
        if named:
            raise DataError(f"{layout.path} names its columns itself: leave names out.")
        original = layout.columns.features
        names = check_feature_names(read_names(self.names), len(original))
        position = dict(zip(names, original, strict=True))
        selected = selected_features(
            names, str(layout.path), features=self.features, exclude=self.exclude
        )
        columns = replace(layout.columns, features=tuple(position[name] for name in selected))
        return replace(layout, columns=columns, feature_names=tuple(selected))


@dataclass(frozen=True)
class TableLayout:
    """A table of text: its delimiter, its columns, and what they hold."""

    path: Path
    delimiter: str
    header: bool
    names: tuple[str, ...]
    columns: NamedColumns
    block_bytes: int = _BLOCK_BYTES
    feature_names: tuple[str, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        return self.feature_names or self.columns.features

    def rows(
        self, dtype: np.dtype[Any], missing: Missing, *, text_ids: bool = False
    ) -> Iterator[Rows]:
        """Yield the rows as arrays, checked, some at a time."""
        first_row = 0
        for batch in self._batches(self.columns.all, self._types()):
            batch = self._with_ids(batch, text_ids)
            rows = checked_batch(batch, self.columns, dtype, missing, self.path, first_row)
            first_row += len(batch)
            yield rows

    def tasks(self) -> Iterator[tuple[Any, Any]]:
        """Yield the query ids and the tasks of rows as Arrow text, some rows at a time."""
        import pyarrow as pa

        names = [self.columns.query, str(self.columns.task)]
        for batch in self._batches(names, dict.fromkeys(names, pa.string())):
            yield batch.column(0), batch.column(1)

    def scan(self) -> tuple[int, bool]:
        """Return the number of rows, and whether all query ids are whole numbers."""
        import pyarrow as pa

        n_documents, all_whole = 0, True
        for batch in self._batches([self.columns.query], {self.columns.query: pa.string()}):
            n_documents += len(batch)
            all_whole = all_whole and _all_whole(batch.column(0))
        return n_documents, all_whole

    def _types(self) -> dict[str, Any]:
        """Return the types to read columns as; raise where a feature has text."""
        import pyarrow as pa

        features = list(self.columns.features)
        with TextStream(self.path) as stream:
            schema = self._opened(stream, features, {}).schema
        text = [name for name in features if not is_numeric(schema.field(name).type)]
        refuse_text_columns(text, str(self.path))
        types = {
            name: pa.bool_() if pa.types.is_boolean(schema.field(name).type) else pa.float64()
            for name in features
        }
        types[self.columns.query] = pa.string()
        if self.columns.grade is not None:
            types[self.columns.grade] = pa.float64()
        if self.columns.document is not None:
            types[self.columns.document] = pa.string()
        return types

    def _batches(self, names: list[str], types: dict[str, Any]) -> Iterator[Any]:
        with TextStream(self.path) as stream:
            table = self._opened(stream, names, types)
            while True:
                batch = self._next(table)
                if batch is None:
                    return
                if len(batch):
                    yield batch

    def _next(self, table: Any) -> Any:
        import pyarrow as pa

        try:
            return table.read_next_batch()
        except StopIteration:
            return None
        except pa.ArrowException as error:
            raise self._complaint(error) from None

    def _opened(self, stream: TextStream, names: list[str], types: dict[str, Any]) -> Any:
        import pyarrow as pa
        from pyarrow import csv as arrow

        try:
            return arrow.open_csv(
                pa.PythonFile(_Readable(stream), mode="r"),
                # One thread: only then do errors know their rows.
                read_options=arrow.ReadOptions(
                    column_names=list(self.names),
                    skip_rows_after_names=int(self.header),
                    block_size=self.block_bytes,
                    use_threads=False,
                ),
                parse_options=arrow.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                convert_options=arrow.ConvertOptions(include_columns=names, column_types=types),
            )
        except pa.ArrowException as error:
            raise self._complaint(error) from None

    def _complaint(self, error: Exception) -> DataError:
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        match = _CONVERSION.match(str(error))
        if match is None:
            return DataError(
                f"{self.path} cannot be read as {_kind(self.delimiter)}: {message.rstrip('.')}. "
                "Check that line, and that the file is whole."
            )
        column = self.names[int(match[1])]
        line = f", line {match[2]}" if match[2] else ""
        return DataError(
            f"{self.path}{line}: {match[3]!r} in column {column!r} is no number. Correct it, leave "
            f"the cell empty where the value is missing, or leave the column out with "
            f"exclude='{column}'."
        )

    def _with_ids(self, batch: Any, text_ids: bool) -> Any:
        """Return the batch with its query ids as whole numbers where all of them are."""
        import pyarrow as pa
        import pyarrow.compute as pc

        index = batch.schema.get_field_index(self.columns.query)
        ids = batch.column(index)
        if not text_ids and _all_whole(ids):
            ids = ids.cast(pa.int64())
        else:
            ids = pc.if_else(pc.equal(ids, ""), pa.scalar(None, pa.string()), ids)
        return batch.set_column(index, self.columns.query, ids)


def read_delimited(
    path: Path,
    reading: TableReading,
    *,
    dtype: DTypeLike = np.float32,
    missing: Missing = "error",
    sort: bool = False,
) -> RankingData:
    r"""Return ranking data from a table of text with a delimiter.

    The delimiter is what the first line has most of: a comma, a tab, a semicolon or a bar; that
    of .tsv is a tab. The first line is a header if it has the name of the grade's or the query's
    column, or no number. Without one, columns are called by their positions: "1", "2", ... .
    Empty cells, NA, NULL and nan are missing values. Query ids are numbers where all are whole
    numbers, and text otherwise.

    Notes
    -----
    Memory is the arrays and a few blocks of 1 MiB of text; with `sort` twice the arrays.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "train.csv"
    >>> _ = file.write_text("label,query,bm25,url\n2,a,0.5,x\n0,a,0.1,y\n")
    >>> read_delimited(file, TableReading(grade="label", query=2, exclude="url")).feature_names
    ('bm25',)
    """
    check_missing(missing)
    layout = reading.layout(path)
    rows = layout.rows(check_dtype(dtype), missing)
    if not sort:
        blocks = list(whole_queries(rows, missing))
        if not blocks:
            raise _no_rows(path)
        ids = one_type([block.query_ids for block in blocks])
        alike = [
            replace(block, query_ids=query_ids)
            for block, query_ids in zip(blocks, ids, strict=True)
        ]
        return RankingData(alike, layout.features)
    parts = list(rows)
    if not parts:
        raise _no_rows(path)
    together = joined(parts)
    return from_arrays(
        together.X,
        together.y,
        together.qid,
        feature_names=layout.features,
        document_ids=together.document_ids,
        missing=missing,
        sort=True,
    )


def read_delimited_blocks(
    layout: TableLayout, *, dtype: DTypeLike, missing: Missing, text_ids: bool
) -> Iterator[Block]:
    """Yield a table in blocks of whole queries; `scan` tells beforehand whether ids are text."""
    check_missing(missing)
    rows = layout.rows(check_dtype(dtype), missing, text_ids=text_ids)
    n_blocks = 0
    for block in whole_queries(rows, missing, streamed=True):
        n_blocks += 1
        yield block
    if not n_blocks:
        raise _no_rows(layout.path)


class _Readable(io.RawIOBase):
    """A stream of text as a file, for Arrow to read from."""

    def __init__(self, stream: TextStream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._stream.fill(memoryview(buffer))


def _first_record(path: Path) -> tuple[list[str], str, int]:
    """Return the cells of the first line, the delimiter, and the length of the line."""
    head = _head(path)
    check_magic(str(path), head[:16])
    try:
        text = head.decode("utf-8-sig", "strict" if len(head) % _HEAD_BYTES else "replace")
    except UnicodeDecodeError:
        raise DataError(f"{path} is no text in UTF-8. Save it as UTF-8.") from None
    if not text.strip():
        raise _no_rows(path)
    line = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = _delimiter(path, line)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        record = next(row for row in rows if row)
    except csv.Error as error:
        raise DataError(
            f"{path} cannot be read as {_kind(delimiter)}: {error} in its first line. Check it."
        ) from None
    return [cell.strip() for cell in record], delimiter, len(line.encode())


def _delimiter(path: Path, line: str) -> str:
    plain = path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
    if plain.suffix.lower() == ".tsv":
        return "\t"
    return max(_DELIMITERS, key=_QUOTED.sub("", line).count)


def _head(path: Path) -> bytes:
    """Return the start of the text, its first line at least unless that is endless."""
    head = bytearray()
    with TextStream(path) as stream:
        while len(head) < _MAX_HEAD_BYTES:
            piece = bytearray(_HEAD_BYTES)
            count = stream.fill(memoryview(piece))
            head += piece[:count]
            if count < _HEAD_BYTES or b"\n" in head:
                break
    return bytes(head)


def _column_names(
    record: list[str], header: bool, described: ColumnDescription | None
) -> list[str]:
    described_names = {} if described is None else described.names
    return [
        described_names.get(index) or (cell if header and cell else str(index + 1))
        for index, cell in enumerate(record)
    ]


def _check_described(described: ColumnDescription, n_columns: int, path: Path) -> None:
    beyond = [index for index in described.roles if index >= n_columns]
    if beyond:
        raise DataError(
            f"{path} has {n_columns} columns, but its description speaks of column {beyond[0]}, "
            "counted from 0. Check that both files belong together, and the delimiter."
        )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _all_whole(ids: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(ids, _WHOLE)).as_py())


def _kind(delimiter: str) -> str:
    return "TSV" if delimiter == "\t" else "CSV"


def _no_rows(path: Path) -> DataError:
    return DataError(f"{path} has no documents: it has no rows. Check that it is the right file.")
