"""Run a pass over data, on threads of this process."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.passes.base import Pass
from ranksieve.progress import report
from ranksieve.threads import side_by_side

Partial = TypeVar("Partial")

# Pieces that are combined before they are combined with others: what one worker sends at least.
PIECES_OF_A_GROUP = 16
# Pieces that are read ahead from disk.
_AHEAD = 8
# Below this many seconds, handing pieces to threads takes longer than the pieces.
WORTH_THREADS = 0.02
# Values of a piece, and documents of a query, up to which a first piece takes a moment.
_SMALL_PIECE, _SMALL_QUERY = 1 << 20, 1024


def run(work: Pass[Partial], data: RankingData, *, label: str = "computing") -> Partial:
    """Return the combination of the partial results of all pieces of the data.

    Pieces are cut at queries, without regard to the number of threads. They are combined from
    first to last in groups of 16, and the groups from first to last: the result is the same bit
    for bit on any number of threads, and on any cluster. A small
    first piece is timed, and the others stay in the calling thread if they take no longer
    than handing them over would. A few pieces are under way at a time, so memory does not
    grow with the data. Ctrl-C leaves at once: pieces that wait are dropped. Progress is reported
    as `label`, or not at all where that is empty: in an iteration of work that reports itself.
    """
    if data.on_workers:
        workers: Any = data.columns
        placed: Partial = workers.run_pass(work, data, label=label)
        return placed

    def partial(piece: Block) -> tuple[int, Partial]:
        return piece.documents.stop, work.partial(piece)

    def contributions() -> Iterator[tuple[int, Partial]]:
        for number, (done, right) in enumerate(_partials(partial, data)):
            yield number, right
            if label:
                report(label, done, data.n_documents)

    return in_groups(work, contributions())


def in_groups(work: Pass[Partial], contributions: Iterator[tuple[int, Partial]]) -> Partial:
    """Return the combination of contributions, each with the number of its (first) piece."""
    total: list[Partial] = []
    group: list[Partial] = []
    last = -1
    for number, right in contributions:
        if group and number // PIECES_OF_A_GROUP != last:
            total = [work.combine(total[0], group[0]) if total else group[0]]
            group = []
        last = number // PIECES_OF_A_GROUP
        group = [work.combine(group[0], right) if group else right]
    if not group:
        raise DataError("the data has no documents")
    return work.combine(total[0], group[0]) if total else group[0]


def _partials(
    partial: Callable[[Block], tuple[int, Partial]], data: RankingData
) -> Iterator[tuple[int, Partial]]:
    source = _fetched_ahead(pieces(data)) if data.on_disk else pieces(data)
    first = next(source, None)
    if first is None:
        return
    if not _is_small(first):
        yield from side_by_side(partial, _chained(first, source))
        return
    started = time.perf_counter()
    yield partial(first)
    seconds_per_document = (time.perf_counter() - started) / first.n_documents
    if seconds_per_document * (data.n_documents - first.n_documents) > WORTH_THREADS:
        yield from side_by_side(partial, source)
        return
    for piece in source:
        yield partial(piece)


def _fetched_ahead(source: Iterator[Block]) -> Iterator[Block]:
    """Yield pieces whose features the system has been asked for some pieces before."""
    waiting: deque[Block] = deque()
    for piece in source:
        piece.prefetch()
        waiting.append(piece)
        if len(waiting) > _AHEAD:
            yield waiting.popleft()
    yield from waiting


def _is_small(piece: Block) -> bool:
    longest = int(np.diff(piece.query_ptr).max())
    return piece.n_documents * piece.n_features <= _SMALL_PIECE and longest <= _SMALL_QUERY


def _chained(first: Block, blocks: Iterator[Block]) -> Iterator[Block]:
    yield first
    yield from blocks


def pieces(data: RankingData) -> Iterator[Block]:
    """Yield the pieces of whole queries that passes work on, from first to last."""
    for block in data.blocks():
        yield from block.cuts()
