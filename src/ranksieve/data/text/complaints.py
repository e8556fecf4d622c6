"""Errors of text that cannot be read: where, what was found, what to do."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.missing import REMEDY
from ranksieve.errors import DataError
from ranksieve.kernels.text import parse as codes

FORM = "A line reads: GRADE qid:QUERY INDEX:VALUE INDEX:VALUE ... # COMMENT"

_SHOWN = 40
# What a line of a table gives, read as ranking text, and how many delimiters tell it.
_TABLE_CODES = (codes.GRADE_NO_NUMBER, codes.QID_ABSENT)
_TABLE_SIGNS = 2
_SAMPLE_BYTES = 4096

_MAGIC = (
    (b"PAR1", "a Parquet file", "Give it the suffix .parquet."),
    (b"\x1f\x8b", "gzip data", "Give it the suffix .gz."),
    (b"\xfd7zXZ\x00", "xz data", "Give it the suffix .xz."),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", "Give it the suffix .zst."),
    (b"BZh", "bzip2 data", "Unpack it first, or pack it as .gz, .xz or .zst."),
    (b"PK\x03\x04", "a zip archive", "Unpack it first, or pack it as .gz, .xz or .zst."),
    (b"ARROW1", "an Arrow file", "Write it as Parquet first."),
    (b"\x89HDF", "an HDF5 file", "Write it as Parquet or text first."),
    (b"\x93NUMPY", "a numpy file", "Load it with numpy.load and pass the arrays."),
    (b"\xff\xfe", "UTF-16 text", "Save it as UTF-8."),
    (b"\xfe\xff", "UTF-16 text", "Save it as UTF-8."),
)

# {token} is what was found, {feature} the part before the colon, {value} the part after it.
_WORDS = {
    codes.GRADE_NO_NUMBER: ("the grade {token} is no number", FORM + "."),
    codes.GRADE_MISSING: ("the grade is {token}", "Every document needs a grade of 0 or more."),
    codes.GRADE_INFINITE: ("the grade {token} is not finite", "Map the grades to 0, 1, 2, ..."),
    codes.GRADE_NEGATIVE: (
        "the grade {token} is negative",
        "Shift or map the grades so that 0 is the worst.",
    ),
    codes.QID_ABSENT: (
        "no qid:QUERY follows the grade {token}",
        FORM + ". If group sizes are in a separate file, "
        "pass group_sizes=PATH or name it like the data with .query or .group at the end.",
    ),
    codes.QID_EMPTY: ("nothing follows 'qid:'", "Write the query's id there, as in qid:7."),
    codes.QID_LONG: (
        f"the query id {{token}} has more than {codes.MAX_QID_BYTES} bytes",
        "Number the queries, or use shorter ids.",
    ),
    codes.INDEX_NO_NUMBER: ("{token} is not of the form INDEX:VALUE", FORM + "."),
    codes.INDEX_ZERO: (
        "the feature index is 0 in {token}",
        "If features are numbered from 0, as scikit-learn writes them, pass zero_based=True; "
        "LETOR numbers them from 1.",
    ),
    codes.INDEX_NEGATIVE: ("the feature index is negative in {token}", "Number them from 1."),
    codes.INDEX_REPEATED: (
        "feature {feature} appears twice, the second time in {token}",
        "Keep one value per feature.",
    ),
    codes.INDEX_DECREASING: (
        "feature {feature} follows one of a larger index, in {token}",
        "Sort each line by index.",
    ),
    codes.INDEX_LARGE: (
        f"the feature index in {{token}} is above {codes.MAX_FEATURES:,}, the limit of dense data",
        "Number the features without gaps.",
    ),
    codes.INDEX_BEYOND_WIDTH: (
        "the feature index in {token} is beyond the number of features that was given",
        "Pass a larger n_features, or none.",
    ),
    codes.VALUE_NO_NUMBER: (
        "the value {value} of feature {feature} is no number",
        "Write a number, or nan or NULL where it is missing.",
    ),
    codes.VALUE_MISSING: ("feature {feature} is missing: {token}", REMEDY),
    codes.VALUE_INFINITE: (
        "the value {value} of feature {feature} is infinite",
        "Clip it, or leave the line out.",
    ),
    codes.VALUE_LARGE: (
        "the value {value} of feature {feature} is too large for {dtype}",
        "Rescale the feature{wider}.",
    ),
    codes.LINE_LONG: (
        f"the line has more than {codes.MAX_LINE_BYTES >> 20} MiB",
        "Check that lines end in a newline.",
    ),
}


def complain(path: str, line: int, problem: str, remedy: str) -> DataError:
    """Return an error that names file and line (from 1)."""
    return DataError(f"{path}, line {line}: {problem}. {remedy}")


def line_complaint(
    path: str, line: int, code: int, text: bytes, *, dtype: str = "float32"
) -> DataError:
    """Return the error for a kernel's code; `text` begins where it stopped."""
    line_text = text[:_SAMPLE_BYTES].split(b"\n", 1)[0]
    if looks_binary(line_text):
        return binary_complaint(path, line)
    token = (line_text.split() or [b""])[0]
    table = delimited_kind(line_text) if code in _TABLE_CODES and line == 1 else None
    if table is not None:
        return complain(
            path,
            line,
            f"it looks like {table}, not like ranking text",
            f"Give it the ending .{table.lower()}, and it is read as such.",
        )
    if code == codes.GRADE_NO_NUMBER and line == 1 and _looks_like_header(line_text):
        return complain(
            path, line, f"{quoted(token)} looks like a header", f"Remove the line. {FORM}."
        )
    feature, _, value = token.partition(b":")
    problem, remedy = _WORDS[code]
    fields = {
        "token": quoted(token),
        "feature": shortened(feature),
        "value": quoted(value),
        "dtype": dtype,
        "wider": ", or pass dtype='float64'" if dtype == "float32" and _fits_double(value) else "",
    }
    return complain(path, line, problem.format(**fields), remedy.format(**fields))


def delimited_kind(line: bytes) -> str | None:
    """Return "CSV" or "TSV" where a line looks like a table's, and None otherwise.

    Examples
    --------
    >>> delimited_kind(b"grade,qid,bm25"), delimited_kind(b"1 qid:7 1:0.5")
    ('CSV', None)
    """
    if b":" in line.split(b"#", 1)[0] or looks_binary(line):
        return None
    if line.count(b"\t") >= _TABLE_SIGNS:
        return "TSV"
    return "CSV" if max(line.count(b","), line.count(b";")) >= _TABLE_SIGNS else None


def binary_complaint(path: str, line: int) -> DataError:
    """Return the error for bytes that are no text."""
    return complain(
        path,
        line,
        "the bytes look binary, not like text",
        "Is it another format, or a compressed file without its suffix (.gz, .xz, .zst)?",
    )


def check_magic(path: str, head: bytes) -> None:
    """Raise if the first bytes are those of another file format."""
    for magic, kind, remedy in _MAGIC:
        if head.startswith(magic):
            raise DataError(f"{path} is not ranking text: it starts like {kind}. {remedy}")


def looks_binary(sample: bytes) -> bool:
    """Tell whether a line holds bytes that no text has."""
    return any(byte < 32 and not 9 <= byte <= 13 for byte in sample[:_SAMPLE_BYTES])


def quoted(token: bytes) -> str:
    """Return a token in quotes, shortened."""
    return repr(shortened(token))


def shortened(token: bytes) -> str:
    """Return a token as text of a line's width at most."""
    text = token[: 4 * _SHOWN].decode("utf-8", "backslashreplace")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def rest_of_text(text: NDArray[np.uint8], position: int) -> bytes:
    """Return the bytes from a position on, as many as a complaint needs."""
    return text[position : position + _SAMPLE_BYTES].tobytes()


def _looks_like_header(line_text: bytes) -> bool:
    return line_text[:1].isalpha() or line_text[:1] in (b'"', b"'", b"_")


def _fits_double(value: bytes) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False
