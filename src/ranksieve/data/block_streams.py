"""Files as streams of blocks: for what does not hold all of a file at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import DTypeLike

from ranksieve.data.block import Block
from ranksieve.data.delimited import TableReading, read_delimited_blocks
from ranksieve.data.logs.reader import Log, LogReading, read_log_blocks
from ranksieve.data.missing import Missing
from ranksieve.data.parquet import count_documents, parquet_columns, read_parquet_blocks
from ranksieve.errors import DataError


@dataclass(frozen=True, slots=True)
class BlockStream:
    """Blocks of whole queries from a file.

    Attributes
    ----------
    blocks : read as they are asked for
    feature_names : tuple of str
    n_documents : int, or None where only the end of the file tells
    log : what the blocks come from, if that is a log of a search engine
    """

    blocks: Iterator[Block]
    feature_names: tuple[str, ...]
    n_documents: int | None
    log: Log | None = None


def block_stream(
    path: Path,
    kind: str,
    options: dict[str, Any],
    dtype: DTypeLike,
    missing: Missing,
    *,
    graded: bool = True,
) -> BlockStream:
    """Return a file as a stream of blocks.

    Text and CSV are read twice, the first time for their width and their number of documents, which
    are known when this returns.

    Parameters
    ----------
    path : a file, or a folder of Parquet
    kind : as `loading.file_format` says
    options : those of `load` that apply to the kind
    dtype, missing, graded : as of `load`
    """
    if kind != "text":
        options = {**options, "graded": graded}
    return _STREAMS[kind](path, options, dtype, missing)


def _parquet_stream(
    path: Path, options: dict[str, Any], dtype: DTypeLike, missing: Missing
) -> BlockStream:
    names = parquet_columns(path, **options).features
    blocks = read_parquet_blocks(path, dtype=dtype, missing=missing, **options)
    return BlockStream(blocks, names, count_documents(path))


def _table_stream(
    path: Path, options: dict[str, Any], dtype: DTypeLike, missing: Missing
) -> BlockStream:
    layout = TableReading(**options).layout(path)
    n_documents, whole_ids = layout.scan()
    blocks = read_delimited_blocks(layout, dtype=dtype, missing=missing, text_ids=not whole_ids)
    return BlockStream(blocks, layout.features, n_documents)


def _text_stream(
    path: Path, options: dict[str, Any], dtype: DTypeLike, missing: Missing
) -> BlockStream:
    from ranksieve.data.text import TextFeatures, read_text_blocks, scan_text

    choice = ("names", "features", "exclude", "zero_based")
    selection = TextFeatures(**{name: options[name] for name in choice if name in options})
    shape = scan_text(path, zero_based=selection.zero_based)
    if not shape.n_features:
        raise DataError(f"{path} has no features: no line holds INDEX:VALUE")
    width = selection.width(options.get("n_features") or shape.n_features)
    names, _ = selection.names_and_columns(width, str(path))
    blocks = read_text_blocks(
        path,
        dtype=dtype,
        missing=missing,
        group_sizes=options.get("group_sizes"),
        n_features=width,
        text_ids=not shape.whole_ids,
        selection=selection,
    )
    return BlockStream(blocks, names, shape.n_documents)


def _log_stream(
    path: Path, options: dict[str, Any], dtype: DTypeLike, missing: Missing
) -> BlockStream:
    log = LogReading(**options).opened(path)
    blocks = read_log_blocks(log, dtype=dtype, missing=missing)
    # How many documents there are is known at the end only: the reader reports its bytes.
    return BlockStream(blocks, log.features, None, log)


_STREAMS = {
    "Parquet": _parquet_stream,
    "CSV": _table_stream,
    "log": _log_stream,
    "text": _text_stream,
}
