"""Group sizes: how many documents each query has, where the text itself has no qid."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.text.complaints import complain, quoted
from ranksieve.data.text.streams import SUFFIXES, open_file
from ranksieve.errors import DataError

_BESIDE = (".query", ".group")
_MAX_DIGITS = 15
_LINE_BYTES = 256


def find_group_file(path: Path) -> Path | None:
    """Return the file of group sizes that lies beside a text, or None."""
    stems = [path, path.with_suffix("")] if path.suffix.lower() in SUFFIXES else [path]
    candidates = [Path(f"{stem}{suffix}") for stem in stems for suffix in _BESIDE]
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def read_group_sizes(source: Any) -> NDArray[np.int64]:
    """Return group sizes from an array, or from a file with one whole number per line."""
    if isinstance(source, str | os.PathLike):
        return _from_file(Path(source))
    sizes = np.asarray(source)
    if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iu":
        raise DataError("group_sizes must be a file, or a list of whole numbers, one per query")
    bad = np.flatnonzero((sizes < 1) | (sizes >= 10**_MAX_DIGITS))
    if len(bad):
        raise DataError(
            f"group sizes must be at least 1, but {sizes[bad[0]]} is at position {bad[0]}. "
            "Leave queries without documents out."
        )
    return sizes.astype(np.int64)


def _from_file(path: Path) -> NDArray[np.int64]:
    sizes = []
    line = 0
    with open_file(path) as file:
        while text := file.readline(_LINE_BYTES):
            line += 1
            token = text.strip()
            if not token:
                continue
            digits = token.lstrip(b"0")
            if not token.isdigit() or not digits or len(digits) > _MAX_DIGITS:
                raise complain(
                    str(path),
                    line,
                    f"a group size must be a whole number of at least 1, but is {quoted(token)}",
                    "Write one number per line: how many documents the query has.",
                )
            sizes.append(int(token))
    if not sizes:
        raise DataError(
            f"{path} has no group sizes. Write one whole number per line, one per query."
        )
    return np.array(sizes, dtype=np.int64)
