"""Files larger than memory: their features go to disk, a block at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ranksieve.data.block_streams import BlockStream, block_stream
from ranksieve.data.check import check_dtype
from ranksieve.data.disk import stored_blocks
from ranksieve.data.memory import memory_limit, size_text
from ranksieve.data.missing import Missing, check_missing
from ranksieve.data.parquet import count_documents, parquet_columns
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import DataError
from ranksieve.progress import report

# Endings of compressed text, and how many times larger it is at most, as a rule.
_COMPRESSED, _EXPANSION = (".gz", ".xz", ".zst"), 10
# A file of text that takes less than this share of the limit fits, as a rule: a value takes about
# as many bytes there as in memory, and more where most values are 0 and left out.
_SURELY_FITS = 0.125


def load_on_disk(
    path: Path, kind: str, options: dict[str, Any], missing: Missing, *, sort: bool, graded: bool
) -> RankingData | None:
    """Return the data of a file with its features on disk; None where they fit into memory.

    Parameters
    ----------
    path, kind, options, missing, graded : as of `block_streams.block_stream`
    sort : bool, which data on disk cannot do
    """
    check_missing(missing)
    limit = memory_limit()
    dtype = check_dtype(options.get("dtype", np.float32))
    reading = {name: value for name, value in options.items() if name != "dtype"}
    if not _may_be_larger(path, kind, reading, dtype, limit, graded):
        return None
    stream = block_stream(path, kind, reading, dtype, missing, graded=graded)
    n_bytes = _n_bytes(stream, dtype)
    if n_bytes is not None and n_bytes <= limit:
        return None
    if sort:
        size = "more" if n_bytes is None else size_text(n_bytes)
        raise DataError(
            f"{path} needs {size} in memory, where {size_text(limit)} are allowed, and rows of a "
            "query can be brought together in memory only. Sort the file by query first, or allow "
            "more: --memory, or RANKSIEVE_MEMORY."
        )
    blocks = stored_blocks(_reported(stream), n_bytes)
    return RankingData(blocks, stream.feature_names)


def _may_be_larger(
    path: Path,
    kind: str,
    reading: dict[str, Any],
    dtype: np.dtype[Any],
    limit: int,
    graded: bool,
) -> bool:
    if kind == "Parquet":
        n_features = len(parquet_columns(path, **reading, graded=graded).features)
        return count_documents(path) * n_features * dtype.itemsize > limit
    if not path.is_file():
        return False
    expansion = _EXPANSION if path.suffix.lower() in _COMPRESSED else 1
    return path.stat().st_size * expansion > _SURELY_FITS * limit


def _n_bytes(stream: BlockStream, dtype: np.dtype[Any]) -> int | None:
    if stream.n_documents is None:
        return None
    return stream.n_documents * len(stream.feature_names) * dtype.itemsize


def _reported(stream: BlockStream) -> Any:
    n_documents = 0
    for block in stream.blocks:
        yield block
        n_documents += block.n_documents
        if stream.n_documents is not None:
            report("to disk", n_documents, stream.n_documents)
