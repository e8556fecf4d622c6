"""Reading scores of documents: one number per line."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError


def read_scores(path: str | Path, n_documents: int) -> NDArray[np.float64]:
    """Return the scores in a text file ('-': standard input), one per line, one per document."""
    name = "standard input" if str(path) == "-" else str(path)
    try:
        content = sys.stdin.read() if str(path) == "-" else Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{name} is no text. Scores are one number per line.") from None
    except OSError as error:
        raise DataError(f"cannot read the scores in {name}: {error.strerror}") from None
    lines = content.rstrip().splitlines()
    scores = np.array([_score(line, number, name) for number, line in enumerate(lines, start=1)])
    if len(scores) != n_documents:
        raise DataError(
            f"{name} has {len(scores)} scores, but the data has {n_documents} documents. "
            "It must have one number per line, in the order of the documents."
        )
    return scores


def _score(line: str, number: int, name: str) -> float:
    try:
        value = float(line)
    except ValueError:
        raise DataError(
            f"{name}, line {number}: {line[:40]!r} is no number. Scores are one number per line."
        ) from None
    if value != value:
        raise DataError(f"{name}, line {number}: a score must not be NaN")
    return value
