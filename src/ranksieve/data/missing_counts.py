"""How many values of each feature were missing before a rule filled them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray


class MissingCounts:
    """Counts of missing values per feature, added up while data is read."""

    def __init__(self) -> None:
        self._counts = np.zeros(0, dtype=np.int64)
        self._lock = threading.Lock()

    def add(self, X: NDArray[Any]) -> None:
        """Count the NaN of each column of X; blocks of text may be narrower than the data."""
        counts = np.array([np.count_nonzero(np.isnan(column)) for column in X.T], dtype=np.int64)
        with self._lock:
            wider, narrower = sorted((self._counts, counts), key=len, reverse=True)
            total = wider.copy()
            total[: len(narrower)] += narrower
            self._counts = total

    def by_feature(self, n_features: int) -> NDArray[np.int64]:
        """Return one count a feature."""
        counts = np.zeros(n_features, dtype=np.int64)
        counts[: len(self._counts)] = self._counts
        return counts


_counter: ContextVar[MissingCounts | None] = ContextVar("ranksieve_missing", default=None)


@contextmanager
def counting_missing() -> Iterator[MissingCounts]:
    """Count the values that are filled because they are missing, in loads inside the `with`.

    Examples
    --------
    >>> from ranksieve import load
    >>> with counting_missing() as counts:
    ...     data = load(([[1.0, np.nan], [2.0, np.nan]], [0, 1], [7, 7]), missing=0.0)
    >>> counts.by_feature(data.n_features)
    array([0, 2])
    """
    counts = MissingCounts()
    token = _counter.set(counts)
    try:
        yield counts
    finally:
        _counter.reset(token)


def count_missing(X: NDArray[Any]) -> None:
    """Add the NaN of X, which are about to be filled, to the counts, where they are kept."""
    counts = _counter.get()
    if counts is not None:
        counts.add(X)
