"""Rows of a query are adjacent: the check for arrays, and for streams of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError

_FIRST_CHECK = 4096

Ids = NDArray[Any]
Places = NDArray[np.int64]


def run_starts(ids: Ids) -> Places:
    """Return where each run of equal ids starts.

    Examples
    --------
    >>> run_starts(np.array([7, 7, 3, 7]))
    array([0, 2, 3])
    """
    starts = np.flatnonzero(ids[1:] != ids[:-1]) + 1
    return np.concatenate([[0], starts]).astype(np.int64)


def order_by_id(ids: Ids) -> Places:
    """Return the positions of queries by rising id: an order that the data's own does not change.

    Examples
    --------
    >>> order_by_id(np.array([7, 3, 5]))
    array([1, 2, 0])
    """
    sortable = ids if ids.dtype.kind in "iufSU" else ids.astype(np.str_)
    order: Places = np.argsort(sortable, kind="stable")
    return order


def one_type(parts: Sequence[Ids]) -> list[Ids]:
    """Return arrays of ids of one kind: as text unless all are whole numbers.

    Numbers without a sign become int64 beside others where they fit, since numpy would
    make floats of both.
    """
    kinds = {part.dtype.kind for part in parts}
    if kinds <= {"i"} or kinds <= {"u"}:
        return list(parts)
    if kinds == {"i", "u"} and max(int(part.max(initial=0)) for part in parts) < 2**63:
        return [part.astype(np.int64) for part in parts]
    return [part if part.dtype.kind == "U" else part.astype(np.str_) for part in parts]


def check_distinct_queries(
    ids: Ids, places: Places, *, file: str | None = None, streamed: bool = False
) -> None:
    """Raise if an id occurs twice among the ids of runs.

    `places` are the rows at which the runs start, or their lines if the `file` is named.
    A stream cannot be sorted: the remedy is to load it whole.
    """
    order = np.argsort(ids, kind="stable")
    again = np.flatnonzero(ids[order][1:] == ids[order][:-1])
    if not len(again):
        return
    at = again[np.argmin(order[again + 1])]
    first, second = places[order[at]], places[order[at + 1]]
    n_split = len(np.unique(ids[order[again]]))
    where, unit = ("", "rows") if file is None else (f"{file}, line {second}: ", "lines")
    remedy = "Load all of it with sort=True and write it" if streamed else "Pass sort=True"
    raise DataError(
        f"{where}rows of a query must be adjacent, but {n_split} of {len(ids) - len(again)} "
        f"queries are split (first: qid {ids[order[at]].item()!r}, at {unit} {first} and "
        f"{second}). {remedy} to regroup them, or check for data joined with clashing ids."
    )


class QueriesSeen:
    """Ids of the queries of a stream, to find one whose rows are apart.

    Keeps an id and a place a query, and looks for repetitions whenever the number of queries
    has doubled and at the end: O(n log n) in all, and a bad stream is refused early.

    Examples
    --------
    >>> seen = QueriesSeen()
    >>> seen.add(np.array([7, 3]), np.array([0, 1]))
    >>> seen.add(np.array([4, 7]), np.array([2, 3]))
    >>> seen.check()
    Traceback (most recent call last):
    ...
    ranksieve.errors.DataError: rows of a query must be adjacent, but 1 of 3 queries are split
    (first: qid 7, at rows 0 and 3). ...
    """

    def __init__(self, file: str | None = None, *, streamed: bool = False) -> None:
        self._file, self._streamed = file, streamed
        self._parts: list[tuple[Ids, Places]] = []
        self._n_queries = 0
        self._next_check = _FIRST_CHECK

    def add(self, ids: Ids, places: Places) -> None:
        """Note the queries that follow those seen so far; may raise for any of them."""
        self._parts.append((ids, places))
        self._n_queries += len(ids)
        if self._n_queries >= self._next_check:
            self.check()
            self._next_check = 2 * self._n_queries

    def check(self) -> None:
        """Raise if one of the ids noted so far came twice."""
        if self._parts:
            ids = np.concatenate(one_type([ids for ids, _ in self._parts]))
            places = np.concatenate([places for _, places in self._parts])
            self._parts = [(ids, places)]
            check_distinct_queries(ids, places, file=self._file, streamed=self._streamed)
