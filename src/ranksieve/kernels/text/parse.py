"""Parse lines `GRADE qid:QUERY INDEX:VALUE ... # COMMENT` into arrays.

Nothing is raised here: a kernel returns a code of `CODES`, the line and the byte at which
it stopped, and the caller words the complaint.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.text.comments import read_comment
from ranksieve.kernels.text.decimal import (
    INFINITE,
    MISSING,
    NO_NUMBER,
    NUMBER,
    UNDECIDED,
    read_decimal,
    read_plain,
)
from ranksieve.kernels.text.lines import COLON, HASH, NEWLINE, after_blanks, ends_token
from ranksieve.kernels.text.query_tokens import id_span, same_id

CODES = (
    "fine",
    "grade-no-number",
    "grade-missing",
    "grade-infinite",
    "grade-negative",
    "qid-absent",
    "qid-empty",
    "qid-long",
    "index-no-number",
    "index-zero",
    "index-negative",
    "index-repeated",
    "index-decreasing",
    "index-large",
    "index-beyond-width",
    "value-no-number",
    "value-missing",
    "value-infinite",
    "value-large",
    "line-long",
)
(
    FINE,
    GRADE_NO_NUMBER,
    GRADE_MISSING,
    GRADE_INFINITE,
    GRADE_NEGATIVE,
    QID_ABSENT,
    QID_EMPTY,
    QID_LONG,
    INDEX_NO_NUMBER,
    INDEX_ZERO,
    INDEX_NEGATIVE,
    INDEX_REPEATED,
    INDEX_DECREASING,
    INDEX_LARGE,
    INDEX_BEYOND_WIDTH,
    VALUE_NO_NUMBER,
    VALUE_MISSING,
    VALUE_INFINITE,
    VALUE_LARGE,
    LINE_LONG,
) = range(len(CODES))

# Not an error: a number that only the full reader reads.
UNUSUAL = -1

MAX_FEATURES = 100_000
MAX_LINE_BYTES = 1 << 24
# Query ids become an array of text of fixed width: one long id widens all of them.
MAX_QID_BYTES = 128

# Places in `counts`.
N_ROWS, N_RUNS, N_MISSING, N_UNDECIDED = 0, 1, 2, 3
# Columns of `runs`, one row a run of lines with the same query id.
RUN_ROW, RUN_LINE, RUN_START, RUN_STOP = 0, 1, 2, 3

_DIGIT_0, _DIGIT_9, _MINUS = 48, 57, 45
_NO_INDEX, _NEGATIVE_INDEX = -1, -2
_ABOVE_ALL = np.int64(MAX_FEATURES + 1)


@compiled
def parse_lines(
    text: NDArray[np.uint8],
    powers: NDArray[np.uint64] | None,
    with_qid: bool,
    first_index: int,
    keep_missing: bool,
    limit: float,
    X: NDArray[Any],
    y: NDArray[np.float64],
    runs: NDArray[np.int64],
    spans: NDArray[np.int64],
    undecided: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> Any:
    """Fill X (zero before), y, runs, spans and counts; return a code, a line and a position.

    Parameters
    ----------
    powers : those of `powers_of_five`, or None: then a number that is not plain ends it with the
        code UNUSUAL. Few files have one, and the code for them takes about a second
        to compile: with None it is left out.
    first_index : the index of the first feature, 1 or 0
    limit : values at or beyond it, of either sign, are too large for X
    runs : row, line and span of the query id of each run of equal ids
    spans : span of each document's id in the comment; with no rows, comments are passed over
    undecided : row, column (-1 for the grade) and span of the numbers that only Python can
        read; those that find no room are counted and not stored
    """
    position = line = np.int64(0)  # a literal 0 would compile each helper twice
    while position < len(text):
        start = position
        position = after_blanks(text, position)
        row = counts[N_ROWS]
        holds_document = text[position] != NEWLINE and text[position] != HASH
        if holds_document:
            code, position = _read_head(
                text, position, line, powers, with_qid, y, runs, undecided, counts
            )
            if code != FINE:
                return code, line, position
            code, position = _read_features(
                text, position, row, powers, first_index, keep_missing, limit, X, undecided, counts
            )
            if code != FINE:
                return code, line, position
            counts[N_ROWS] += 1
        if holds_document and len(spans) and text[position] == HASH:
            position = read_comment(text, position, row, spans)
        while text[position] != NEWLINE:
            position += 1
        position += 1
        if position - start > MAX_LINE_BYTES:
            return LINE_LONG, line, start
        line += 1
    return FINE, line, position


@compiled
def _read_head(
    text: NDArray[np.uint8],
    position: int,
    line: int,
    powers: NDArray[np.uint64] | None,
    with_qid: bool,
    y: NDArray[np.float64],
    runs: NDArray[np.int64],
    undecided: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[int, int]:
    row = counts[N_ROWS]
    grade, end = read_plain(text, position)
    status = NUMBER
    if end < 0:
        if powers is None:
            return UNUSUAL, position
        grade, end, status = read_decimal(text, position, powers)
    if status == NO_NUMBER or not ends_token(text[end]):
        return GRADE_NO_NUMBER, position
    if status == MISSING:
        return GRADE_MISSING, position
    if status == INFINITE or np.isinf(grade):
        return GRADE_INFINITE, position
    if grade < 0:
        return GRADE_NEGATIVE, position
    if status == UNDECIDED:
        _note_undecided(row, np.int64(-1), position, end, undecided, counts)
    y[row] = grade
    if not with_qid:
        return FINE, end
    start, stop = id_span(text, after_blanks(text, end))
    if start < 0:
        return QID_ABSENT, position
    if start == stop:
        return QID_EMPTY, position
    if stop - start > MAX_QID_BYTES:
        return QID_LONG, start
    run = counts[N_RUNS]
    if run == 0 or not same_id(
        text, start, stop, runs[run - 1, RUN_START], runs[run - 1, RUN_STOP]
    ):
        runs[run, RUN_ROW], runs[run, RUN_LINE] = row, line
        runs[run, RUN_START], runs[run, RUN_STOP] = start, stop
        counts[N_RUNS] += 1
    return FINE, stop


@compiled
def _read_features(
    text: NDArray[np.uint8],
    position: int,
    row: int,
    powers: NDArray[np.uint64] | None,
    first_index: int,
    keep_missing: bool,
    limit: float,
    X: NDArray[Any],
    undecided: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[int, int]:
    last = np.int64(first_index - 1)
    beyond = -1
    while True:
        position = after_blanks(text, position)
        if text[position] == NEWLINE or text[position] == HASH:
            return (FINE, position) if beyond < 0 else (INDEX_BEYOND_WIDTH, beyond)
        index, colon = _read_index(text, position)
        if index <= last or index > MAX_FEATURES:
            return _index_code(index, last, first_index), position
        value, end = read_plain(text, colon + 1)
        status = NUMBER
        if end < 0:
            if powers is None:
                return UNUSUAL, position
            value, end, status = read_decimal(text, colon + 1, powers)
        if status != NUMBER or not abs(value) < limit or not ends_token(text[end]):
            code = _value_code(status, keep_missing, text[end])
            if code != FINE:
                return code, position
            if status == MISSING:
                counts[N_MISSING] += 1
            elif index - first_index < X.shape[1]:
                _note_undecided(row, index - first_index, colon + 1, end, undecided, counts)
        # A later index of the line is wrong then, or the width was given and is too small.
        if index - first_index >= X.shape[1]:
            beyond = position if beyond < 0 else beyond
        else:
            X[row, index - first_index] = value
        last = index
        position = end


@compiled
def _read_index(text: NDArray[np.uint8], position: int) -> Any:
    """Return the index and where its colon stands; a negative number where none can be read."""
    first = position
    index = np.int64(0)
    byte = np.int64(text[position])
    while _DIGIT_0 <= byte <= _DIGIT_9:
        index = min(index * 10 + (byte - _DIGIT_0), _ABOVE_ALL)
        position += 1
        byte = np.int64(text[position])
    if byte == COLON and position > first:
        return index, position
    if position == first and byte == _MINUS and _DIGIT_0 <= text[position + 1] <= _DIGIT_9:
        return _NEGATIVE_INDEX, position
    return _NO_INDEX, position


@compiled
def _index_code(index: int, last: int, first_index: int) -> int:
    if index == _NO_INDEX:
        return INDEX_NO_NUMBER
    if index == _NEGATIVE_INDEX:
        return INDEX_NEGATIVE
    if index < first_index:
        return INDEX_ZERO
    if index > MAX_FEATURES:
        return INDEX_LARGE
    return INDEX_REPEATED if index == last else INDEX_DECREASING


@compiled
def _value_code(status: int, keep_missing: bool, after: Any) -> int:
    """Return the complaint about a value that is not a plain number within the limit."""
    if status == NO_NUMBER or not ends_token(after):
        return VALUE_NO_NUMBER
    if status == MISSING:
        return FINE if keep_missing else VALUE_MISSING
    if status == INFINITE:
        return VALUE_INFINITE
    return FINE if status == UNDECIDED else VALUE_LARGE


@compiled
def _note_undecided(
    row: int,
    column: int,
    start: int,
    stop: int,
    undecided: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    index = counts[N_UNDECIDED]
    if index < len(undecided):
        undecided[index, 0], undecided[index, 1] = row, column
        undecided[index, 2], undecided[index, 3] = start, stop
    counts[N_UNDECIDED] += 1
