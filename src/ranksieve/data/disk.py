"""Data that stays on disk: its features in a file of columns, read a block at a time.

The file has no name: nobody else can cut it short or replace it, and it is gone with the process,
however that ends. Blocks are of about as many documents as passes work on, so that a pass reads
each with one call, in the thread that works on it.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block
from ranksieve.data.lazy_block import LazyBlock
from ranksieve.data.memory import memory_limit, size_text
from ranksieve.data.queries import one_type
from ranksieve.errors import DataError

# What is shown of data on disk comes into memory if it takes no more than this share of the limit.
EASILY = 0.25
# Bytes that one call may read: more than Linux does at once.
_MOST_AT_ONCE = 1 << 30


def stored_blocks(blocks: Iterable[Block], n_bytes: int | None = None) -> list[LazyBlock]:
    """Write the features of blocks to a file without a name, and return blocks that read them.

    Document ids are not stored. `n_bytes` is what all features take, where that is known: then too
    small a disk is an error before anything is written.

    Examples
    --------
    >>> from ranksieve.data import make_ranking
    >>> data, _ = make_ranking(n_queries=3)
    >>> blocks = stored_blocks(data.blocks())
    >>> np.array_equal(np.vstack([block.X for block in blocks]), data.X)
    True
    """
    file = _SpillFile(spill_folder(), n_bytes)
    stored = [_stored(piece, file) for block in blocks for piece in block.cuts()]
    ids = one_type([block.query_ids for block in stored])
    return [block.with_query_ids(query_ids) for block, query_ids in zip(stored, ids, strict=True)]


def _stored(piece: Block, file: _SpillFile) -> LazyBlock:
    # Copies: a part of an array would keep all of it in memory.
    return LazyBlock(
        file.append(piece.X[piece.rows]),
        piece.y[piece.rows].copy(),
        piece.query_ptr - piece.query_ptr[0],
        piece.query_ids.copy(),
    )


def spill_folder() -> Path:
    """Return the folder for data that does not fit: RANKSIEVE_SPILL, or one that is on disk.

    /var/tmp where there is one: /tmp may be in memory.
    """
    text = os.environ.get("RANKSIEVE_SPILL", "")
    if text:
        return Path(text).expanduser()
    lasting = Path("/var/tmp")
    usable = lasting.is_dir() and os.access(lasting, os.W_OK)
    return lasting if usable else Path(tempfile.gettempdir())


@dataclass(frozen=True, eq=False)
class FileColumns:
    """The features of one block in a file: one after the other, from `offset` on."""

    file: _SpillFile
    offset: int
    shape: tuple[int, int]
    dtype: np.dtype[Any]

    on_workers = False

    @property
    def limit(self) -> int:
        """Bytes of features that may be in memory: by default, as when the file was written."""
        return memory_limit(self.file.limit)

    @property
    def easily(self) -> int:
        """Bytes that come into memory where a view is gathered."""
        return int(EASILY * self.limit)

    def prefetch(self) -> None:
        """Let the system read the block into its cache, while others are worked on."""
        n_documents, n_features = self.shape
        self.file.prefetch(self.offset, n_documents * n_features * self.dtype.itemsize)

    def keep(self, blocks: Iterable[Block], n_bytes: int) -> list[LazyBlock]:
        """Return equal blocks in another file."""
        return stored_blocks(blocks, n_bytes)

    def read(self, rows: slice, features: NDArray[np.int64] | None) -> NDArray[Any]:
        """Return some rows of some features, or of all, column-major."""
        n_documents, n_features = self.shape
        n_rows = rows.stop - rows.start
        n_columns = n_features if features is None else len(features)
        columns = np.empty((n_columns, n_rows), dtype=self.dtype)
        if features is None and n_rows == n_documents:
            self.file.read(columns, self.offset)
            return columns.T
        for index, column in enumerate(range(n_features) if features is None else features):
            first = (int(column) * n_documents + rows.start) * self.dtype.itemsize
            self.file.read(columns[index], self.offset + first)
        return columns.T


class _SpillFile:
    """A file without a name that grows at its end."""

    def __init__(self, folder: Path, n_bytes: int | None) -> None:
        self._folder, self._size = folder, 0
        self.limit = memory_limit()
        try:
            free = shutil.disk_usage(folder).free
            with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
                self._descriptor = os.dup(file.fileno())
        except OSError as error:
            raise DataError(
                f"data larger than memory is kept on disk, but {folder} cannot be written "
                f"({error.strerror or error}). Set RANKSIEVE_SPILL to a folder with room."
            ) from None
        weakref.finalize(self, os.close, self._descriptor)
        if n_bytes is not None and n_bytes > free:
            raise self._full(n_bytes)

    def append(self, X: NDArray[Any]) -> FileColumns:
        """Write columns at the end; return where they are."""
        offset = self._size
        left = np.ascontiguousarray(X.T).data.cast("B")
        try:
            while len(left):
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise self._full(None) from None
            raise
        self._size += X.nbytes
        return FileColumns(self, offset, (X.shape[0], X.shape[1]), X.dtype)

    def read(self, target: NDArray[Any], offset: int) -> None:
        """Fill a contiguous array from the file; several threads may read at once."""
        left = target.data.cast("B")
        while len(left):
            n_read = os.preadv(self._descriptor, [left[:_MOST_AT_ONCE]], offset)
            if not n_read:
                raise DataError(
                    f"the file of columns in {self._folder} ends before its last block: the disk "
                    "has lost a part of it. Load the data again."
                )
            left, offset = left[n_read:], offset + n_read

    def prefetch(self, offset: int, n_bytes: int) -> None:
        """Ask the system to read a part of the file ahead, where it can be asked."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._descriptor, offset, n_bytes, os.POSIX_FADV_WILLNEED)

    def _full(self, n_bytes: int | None) -> DataError:
        free = shutil.disk_usage(self._folder).free
        needs = "more" if n_bytes is None else size_text(n_bytes)
        return DataError(
            f"data larger than memory is kept on disk, and needs {needs}, but {self._folder} has "
            f"{size_text(free + self._size)} free. Set RANKSIEVE_SPILL to a folder with more room, "
            "or read fewer features."
        )


def check_in_memory(n_documents: int, n_features: int, itemsize: int, limit: int) -> None:
    """Raise where data that stays on disk is to be brought into memory and does not fit."""
    needed = n_documents * n_features * itemsize
    if needed > limit:
        raise DataError(
            f"this needs all features in memory: {size_text(needed)} for {n_documents:,} documents "
            f"with {n_features:,} features, and {size_text(limit)} are allowed. Use a method that "
            "works on blocks (docs/scale.md lists them), fewer features or queries, or allow more: "
            "--memory, or RANKSIEVE_MEMORY."
        )
