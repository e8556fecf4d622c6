"""Rows of a query stand together: the check for arrays and for streams of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block
from ranksieve.errors import DataError

_FIRST_CHECK = 4096


def run_starts(ids: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each run of equal ids starts.

    Examples
    --------
    >>> run_starts(np.array([7, 7, 3, 7]))
    array([0, 2, 3])
    """
    starts = np.flatnonzero(ids[1:] != ids[:-1]) + 1
    return np.concatenate([[0], starts]).astype(np.int64)


def check_distinct_queries(query_ids: NDArray[Any], starts: NDArray[np.int64]) -> None:
    """Raise if an id occurs twice among the ids of runs, which start at the rows `starts`."""
    order = np.argsort(query_ids, kind="stable")
    again = np.flatnonzero(query_ids[order][1:] == query_ids[order][:-1])
    if not len(again):
        return
    place = again[np.argmin(order[again + 1])]
    first, second = starts[order[place]], starts[order[place + 1]]
    n_split = len(np.unique(query_ids[order[again]]))
    raise DataError(
        f"rows of a query must be adjacent, but {n_split} of {len(query_ids) - len(again)} "
        f"queries are split (first: qid {query_ids[order[place]].item()!r}, at rows {first} and "
        f"{second}). Pass sort=True to regroup them, or check for data joined with clashing ids."
    )


class QueriesSeen:
    """Ids of the queries of a stream, to find one whose rows are apart.

    Keeps an id and a row number a query, and looks for repetitions whenever the number of
    queries has doubled and at the end: O(n log n) in all, and a bad stream is refused early.

    Examples
    --------
    >>> seen = QueriesSeen()
    >>> for start, ids in [(0, [7, 3]), (5, [4, 7])]:
    ...     n = len(ids)
    ...     seen.add(Block(np.zeros((n, 1)), np.zeros(n), np.arange(n + 1), np.array(ids)))
    >>> seen.check()
    Traceback (most recent call last):
    ...
    ranksieve.errors.DataError: rows of a query must be adjacent, but 1 of 3 queries are split
    (first: qid 7, at rows 0 and 3). ...
    """

    def __init__(self) -> None:
        self.n_queries = 0
        self.n_documents = 0
        self._ids: list[NDArray[Any]] = []
        self._starts: list[NDArray[np.int64]] = []
        self._next_check = _FIRST_CHECK

    def add(self, block: Block) -> None:
        """Note the queries of the block that follows those seen so far."""
        offsets = block.query_ptr[:-1] - block.query_ptr[0]
        self._ids.append(block.query_ids)
        self._starts.append(offsets + self.n_documents)
        self.n_queries += block.n_queries
        self.n_documents += block.n_documents
        if self.n_queries >= self._next_check:
            self.check()
            self._next_check = 2 * self.n_queries

    def check(self) -> None:
        """Raise if one of the ids noted so far came twice."""
        if self._ids:
            self._ids = [np.concatenate(self._ids)]
            self._starts = [np.concatenate(self._starts)]
            check_distinct_queries(self._ids[0], self._starts[0])
