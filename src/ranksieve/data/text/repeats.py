"""Query ids of a whole file: one type for all, and none that comes again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError

_FIRST_CHECK = 4096

Ids = NDArray[Any]
Lines = NDArray[np.int64]


class SeenQueries:
    """The query ids read so far and their lines, checked for repeats at growing intervals.

    A check sorts all ids, and each waits until their number has doubled: n ids cost
    O(n log n) altogether, and 16 bytes of memory each where they are whole numbers.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._parts: list[tuple[Ids, Lines]] = []
        self._count = 0
        self._next_check = _FIRST_CHECK

    def add(self, ids: Ids, lines: Lines) -> None:
        """Take note of the ids of the next queries; may raise for any id seen so far."""
        self._parts.append((ids, lines))
        self._count += len(ids)
        if self._count >= self._next_check:
            self.check()
            self._next_check = 2 * self._count

    def check(self) -> None:
        """Raise if an id was seen twice."""
        if not self._parts:
            return
        ids = np.concatenate(one_type([ids for ids, _ in self._parts]))
        lines = np.concatenate([lines for _, lines in self._parts])
        self._parts = [(ids, lines)]
        order = np.argsort(ids, kind="stable")
        again = np.flatnonzero(ids[order][1:] == ids[order][:-1])
        if len(again):
            place = again[np.argmin(order[again + 1])]
            raise self._complaint(ids[order[place]], lines[order[place : place + 2]], ids)

    def _complaint(self, repeated: Any, lines: Lines, ids: Ids) -> DataError:
        unique, counts = np.unique(ids, return_counts=True)
        return DataError(
            f"{self._path}, line {lines[1]}: rows of a query must be adjacent, but qid "
            f"{repeated.item()!r} has rows from line {lines[0]} and again from line {lines[1]} "
            f"({np.count_nonzero(counts > 1)} of {len(unique)} queries read so far are split). "
            "Pass sort=True to regroup them, or check for files joined with clashing ids."
        )


def one_type(parts: Sequence[Ids]) -> list[Ids]:
    """Return arrays of ids of one kind: as text unless all are whole numbers."""
    if all(part.dtype.kind == "i" for part in parts):
        return list(parts)
    return [part if part.dtype.kind == "U" else part.astype(np.str_) for part in parts]
