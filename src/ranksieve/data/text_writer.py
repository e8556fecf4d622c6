"""LETOR text, written: `2 qid:10 1:0.03 2:1 #docid = GX029-35-5894638`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.atomic import replacing
from ranksieve.data.block import Block
from ranksieve.data.ranking_data import RankingData, document_text
from ranksieve.data.writing import blocks_and_names
from ranksieve.errors import DataError
from ranksieve.kernels.text.line_writer import MAX_VALUE_BYTES, write_lines
from ranksieve.kernels.text.shortest import UNKNOWN, decimal_places
from ranksieve.packages import require
from ranksieve.threads import side_by_side

_PIECE = 4096
# Compressing this much is short enough for Ctrl-C to be answered at once.
_WRITE_BYTES = 1 << 17
_MAX_INDEX = 10**7

# Letters and where each text starts: what the kernel takes.
Texts = tuple[NDArray[np.uint8], NDArray[np.int32]]


def write_text(
    data: RankingData | Iterable[Block],
    path: str | os.PathLike[str],
    *,
    feature_names: Sequence[str] | None = None,
) -> None:
    """Write ranking data as LETOR text, compressed if `path` ends in .gz, .xz or .zst.

    Every value is written, zeros too, with the fewest decimals that read back to the same
    float32 or float64. Features whose names are all whole numbers from 1 keep them as
    indices, in increasing order; others are numbered 1, 2, ... The file appears as a whole
    or not at all.

    Lines are made on all cores, 4,096 documents at a time, and written in order.

    Parameters
    ----------
    data : RankingData, or blocks of whole queries
        Blocks may come from a generator: one at a time is held.
    path : path
        An existing file is replaced.
    feature_names : sequence of str, optional
        Names of the features where `data` is blocks.

    Raises
    ------
    DataError
        A query id is empty or has blanks or '#', a document id has a line end, or the file
        cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from ranksieve.data import from_arrays
    >>> target = Path(tempfile.mkdtemp()) / "train.txt"
    >>> write_text(from_arrays([[0.5, 1.0], [0.25, 0.0]], [2, 0], [10, 10]), target)
    >>> print(target.read_text())
    2 qid:10 1:0.5 2:1
    0 qid:10 1:0.25 2:0
    """
    blocks, names = blocks_and_names(data, feature_names, _PIECE)
    order, indices = _indices(names)
    labels = _texts([f" {index}:" for index in indices])
    if order is not None:
        blocks = (block.take(None, order) for block in blocks)
    with (
        replacing(path) as temporary,
        opened_for_text(temporary) as out,
        closing(side_by_side(partial(_lines, labels=labels), blocks)) as texts,
    ):
        for text in texts:
            for start in range(0, len(text), _WRITE_BYTES):
                out.write(text[start : start + _WRITE_BYTES])


def _indices(names: tuple[str, ...]) -> tuple[NDArray[np.int64] | None, list[int]]:
    if not all(re.fullmatch(r"[1-9]\d{0,7}", name, re.ASCII) for name in names):
        return None, list(range(1, len(names) + 1))
    indices = np.array([int(name) for name in names], dtype=np.int64)
    if indices.max(initial=0) > _MAX_INDEX:
        return None, list(range(1, len(names) + 1))
    order = np.argsort(indices)
    in_order = np.array_equal(order, np.arange(len(order)))
    return None if in_order else order, indices[order].tolist()


def opened_for_text(path: Path) -> Any:
    """Open a file for writing bytes, compressed if it ends in .gz, .xz or .zst."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        import gzip

        return gzip.GzipFile(path, "wb", compresslevel=6, mtime=0)
    if suffix == ".xz":
        import lzma

        return lzma.open(path, "wb")
    if suffix == ".zst":
        pa = require("pyarrow", extra="tables", caller="writing .zst")
        return pa.CompressedOutputStream(path, "zstd")
    return path.open("wb")


def _lines(block: Block, *, labels: Texts) -> memoryview:
    X = np.ascontiguousarray(block.X[block.rows])
    places = np.empty(X.shape, dtype=np.int8)
    n_odd = decimal_places(X, places)
    odd = _odd_values(X, places, n_odd)
    heads, tails = _texts(_heads(block)), _texts(_tails(block))
    fixed = len(heads[0]) + len(tails[0]) + len(odd[0]) + len(X) * len(labels[0])
    text = np.empty(fixed + X.size * MAX_VALUE_BYTES, dtype=np.uint8)
    end = write_lines(text, X, places, heads, labels, odd, tails)
    return text[:end].data


def _odd_values(X: NDArray[Any], places: NDArray[np.int8], n_odd: int) -> Texts:
    if n_odd == 0:
        return _texts([])
    values = X[places == UNKNOWN]
    if find_spec("pyarrow") is None:
        # Several times slower; exponents may be written otherwise, the values are the same.
        return _texts([str(value).encode() for value in values])
    import pyarrow as pa

    _, offsets, letters = pa.array(values).cast(pa.string()).buffers()
    return np.frombuffer(letters, np.uint8), np.frombuffer(offsets, np.int32)[: n_odd + 1]


def _heads(block: Block) -> list[bytes]:
    levels, inverse = np.unique(block.y[block.rows], return_inverse=True)
    grades = [_number(level) for level in levels.tolist()]
    ids = [_query_text(value) for value in block.query_ids.tolist()]
    queries = np.repeat(np.arange(len(ids)), np.diff(block.query_ptr))
    pairs = zip(inverse.tolist(), queries.tolist(), strict=True)
    return [grades[level] + ids[query] for level, query in pairs]


def _number(value: float) -> bytes:
    return str(int(value) if value.is_integer() else value).encode()


def _query_text(value: Any) -> bytes:
    text = str(value)
    if not text or "#" in text or any(letter.isspace() for letter in text):
        raise DataError(
            f"query id {text!r} cannot be written as text: it must not be empty nor have blanks "
            "or '#'. Rename it, or write Parquet."
        )
    if re.fullmatch(r"[+-]?\d+", text, re.ASCII) and text != str(int(text)):
        raise DataError(
            f"query id {text!r} cannot be written as text: it would be read as the number "
            f"{int(text)}. Rename it, or write Parquet."
        )
    return b" qid:" + text.encode()


def _tails(block: Block) -> list[bytes]:
    if block.document_ids is None:
        return [b"\n"] * block.n_documents
    return [_comment(text) for text in document_text(block, block.rows).tolist()]


def _comment(document: str) -> bytes:
    if "\n" in document or "\r" in document:
        raise DataError(
            f"document id {document!r} cannot be written as text: it has a line end. "
            "Rename it, or write Parquet."
        )
    if document != document.strip() or re.match(r"docid\s*=", document):
        raise DataError(
            f"document id {document!r} cannot be written as text: it has blanks around it, or "
            "looks like a comment. Rename it, or write Parquet."
        )
    if not document:
        return b"\n"
    # A reader takes the first word after "docid =", and otherwise the whole comment.
    named = " #docid = " if len(document.split()) == 1 else " # "
    return (named + document + "\n").encode()


def _texts(texts: Sequence[bytes] | Sequence[str]) -> Texts:
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    lengths = np.array([len(text) for text in encoded], dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return np.frombuffer(b"".join(encoded), np.uint8), offsets
