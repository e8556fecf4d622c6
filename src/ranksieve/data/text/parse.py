"""A chunk of text to a block: arrays are allocated, filled by kernels, and checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block
from ranksieve.data.check import check_dense_size
from ranksieve.data.missing import Missing, fill
from ranksieve.data.text.chunks import Chunk, count_lines
from ranksieve.data.text.complaints import line_complaint, rest_of_text
from ranksieve.errors import DataError
from ranksieve.kernels.text import parse as kernel
from ranksieve.kernels.text.comments import copy_spans
from ranksieve.kernels.text.eisel_lemire import powers_of_five
from ranksieve.kernels.text.lines import measure_lines
from ranksieve.kernels.text.query_tokens import whole_numbers

# Doubles from here on become infinite as float32: half a step beyond the largest one.
_FLOAT32_LIMIT = float(2**128 - 2**103)
_UNDECIDED_ROOM = 64
_DOCUMENT_ID_SHARE = 2
_WHOLE = re.compile(r"([+-]?)0*([0-9]+)")


@dataclass(frozen=True, slots=True)
class Reading:
    """How text is read: what does not change from chunk to chunk."""

    path: str
    dtype: np.dtype[Any]
    missing: Missing
    keep_document_ids: bool
    n_features: int | None = None
    fill_missing: bool = True
    text_ids: bool = False
    first_index: int = 1
    # Some features will be left out, and what they miss does not matter.
    narrowed: bool = False
    # Set once a number was met that is not plain: the chunks after it need not try without.
    unusual: Event = field(default_factory=Event, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ParsedChunk:
    """A block, and the line in the file at which each of its queries starts."""

    block: Block
    query_lines: NDArray[np.int64]


@dataclass(slots=True)
class _Arrays:
    """What the kernel fills."""

    X: NDArray[Any]
    y: NDArray[np.float64]
    runs: NDArray[np.int64]
    spans: NDArray[np.int64]
    undecided: NDArray[np.int64]
    counts: NDArray[np.int64]


def parse_chunk(chunk: Chunk, reading: Reading) -> ParsedChunk:
    """Return the documents of a chunk; a `DataError` names the line of the file."""
    arrays = _allocated(chunk, reading)
    _run(chunk, reading, arrays)
    if arrays.counts[kernel.N_UNDECIDED] > len(arrays.undecided):
        room = int(arrays.counts[kernel.N_UNDECIDED])
        arrays.counts[:] = 0
        arrays.undecided = np.empty((room, 4), dtype=np.int64)
        _run(chunk, reading, arrays)
    _decide(chunk, reading, arrays)
    query_ptr, query_ids, lines = _queries(chunk, reading, arrays)
    if reading.fill_missing and not reading.narrowed and arrays.counts[kernel.N_MISSING]:
        fill(arrays.X, query_ptr, reading.missing)
    documents = _document_ids(chunk.text, arrays.spans)
    return ParsedChunk(Block(arrays.X, arrays.y, query_ptr, query_ids, documents), lines)


def check_size(reading: Reading, n_documents: int, n_features: int) -> None:
    """Raise, with the file's name, if a dense matrix of this size would not fit into memory."""
    try:
        check_dense_size(n_documents, n_features, reading.dtype.itemsize)
    except DataError as error:
        raise DataError(f"{reading.path}: {error}") from None


def _allocated(chunk: Chunk, reading: Reading) -> _Arrays:
    measured = measure_lines(chunk.text, kernel.MAX_FEATURES, reading.first_index)
    n, width = (int(size) for size in measured)
    width = width if reading.n_features is None else reading.n_features
    check_size(reading, n, width)
    return _Arrays(
        X=np.zeros((n, width), dtype=reading.dtype, order="F"),
        y=np.empty(n),
        runs=np.empty((n if chunk.group_sizes is None else 0, 4), dtype=np.int64),
        spans=np.zeros((n if reading.keep_document_ids else 0, 2), dtype=np.int64),
        undecided=np.empty((_UNDECIDED_ROOM, 4), dtype=np.int64),
        counts=np.zeros(4, dtype=np.int64),
    )


def _run(chunk: Chunk, reading: Reading, arrays: _Arrays) -> None:
    code = kernel.UNUSUAL
    if not reading.unusual.is_set():
        code, line, position = _parse(chunk, reading, arrays, None)
    if code == kernel.UNUSUAL:
        reading.unusual.set()
        arrays.counts[:] = 0
        code, line, position = _parse(chunk, reading, arrays, powers_of_five())
    if code != kernel.FINE:
        raise _complaint(chunk, reading, code, line, position)


def _parse(
    chunk: Chunk, reading: Reading, arrays: _Arrays, powers: NDArray[np.uint64] | None
) -> tuple[int, int, int]:
    code, line, position = kernel.parse_lines(
        chunk.text,
        powers,
        chunk.group_sizes is None,
        reading.first_index,
        reading.missing != "error" or reading.narrowed,
        _limit(reading.dtype),
        arrays.X,
        arrays.y,
        arrays.runs,
        arrays.spans,
        arrays.undecided,
        arrays.counts,
    )
    return int(code), int(line), int(position)


def _decide(chunk: Chunk, reading: Reading, arrays: _Arrays) -> None:
    """Read the numbers with Python's float() that the kernel left open."""
    for row, column, start, stop in arrays.undecided[: arrays.counts[kernel.N_UNDECIDED]]:
        value = float(chunk.text[start:stop].tobytes())
        line = count_lines(chunk.text[:start])
        if column < 0:
            if np.isinf(value):
                raise _complaint(chunk, reading, kernel.GRADE_INFINITE, line, int(start))
            arrays.y[row] = value
            continue
        if abs(value) >= _limit(reading.dtype):
            pair = int(start) - len(str(column + reading.first_index)) - 1
            raise _complaint(chunk, reading, kernel.VALUE_LARGE, line, pair)
        arrays.X[row, column] = value


def _limit(dtype: np.dtype[Any]) -> float:
    return _FLOAT32_LIMIT if dtype == np.float32 else np.inf


def _complaint(chunk: Chunk, reading: Reading, code: int, line: int, position: int) -> DataError:
    text = rest_of_text(chunk.text, position)
    return line_complaint(
        reading.path, chunk.first_line + line, code, text, dtype=str(reading.dtype)
    )


def _queries(
    chunk: Chunk, reading: Reading, arrays: _Arrays
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]]:
    """Return offsets, ids and first lines of the chunk's queries."""
    if chunk.group_sizes is not None:
        query_ptr = np.concatenate([[0], np.cumsum(chunk.group_sizes)]).astype(np.int64)
        first = chunk.first_group + 1
        ids = np.arange(first, first + len(chunk.group_sizes), dtype=np.int64)
        return query_ptr, ids, np.zeros(len(ids), dtype=np.int64)
    runs = arrays.runs[: arrays.counts[kernel.N_RUNS]]
    query_ptr = np.append(runs[:, kernel.RUN_ROW], len(arrays.y))
    lines = runs[:, kernel.RUN_LINE] + chunk.first_line
    spans = np.ascontiguousarray(runs[:, kernel.RUN_START : kernel.RUN_STOP + 1])
    numbers = np.empty(len(runs), dtype=np.int64)
    if whole_numbers(chunk.text, spans, numbers) and not reading.text_ids:
        return query_ptr, numbers, lines
    texts = [canonical_id(chunk.text[start:stop].tobytes()) for start, stop in spans]
    return query_ptr, np.array(texts, dtype=np.str_), lines


def canonical_id(token: bytes) -> str:
    """Return a query id as text; a whole number without a plus and without leading zeros.

    Examples
    --------
    >>> canonical_id(b"007"), canonical_id(b"-07"), canonical_id(b"-0"), canonical_id(b"a07")
    ('7', '-7', '0', 'a07')
    """
    text = token.decode("utf-8", "backslashreplace")
    match = _WHOLE.fullmatch(text)
    if match is None:
        return text
    minus = "-" if match[1] == "-" and match[2] != "0" else ""
    return minus + match[2]


def _document_ids(text: NDArray[np.uint8], spans: NDArray[np.int64]) -> NDArray[Any] | None:
    """Return the ids as fixed-width bytes, as objects where that would be wasteful, or None."""
    width = int((spans[:, 1] - spans[:, 0]).max(initial=0))
    if not width:
        return None
    if len(spans) * width <= _DOCUMENT_ID_SHARE * len(text):
        cells = np.zeros((len(spans), width), dtype=np.uint8)
        copy_spans(text, spans, cells)
        return cells.view(f"S{width}")[:, 0]
    ids = np.empty(len(spans), dtype=object)
    for row, (start, stop) in enumerate(spans):
        ids[row] = text[start:stop].tobytes().decode("utf-8", "replace")
    return ids
