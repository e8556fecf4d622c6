"""Run a pass over data, on threads of this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.passes.base import Pass
from ranksieve.progress import report
from ranksieve.threads import side_by_side

Partial = TypeVar("Partial")

# Below this many seconds, handing pieces to threads takes longer than the pieces.
WORTH_THREADS = 0.02
# Values of a piece, and documents of a query, up to which a first piece takes a moment.
_SMALL_PIECE, _SMALL_QUERY = 1 << 20, 1024


def run(work: Pass[Partial], data: RankingData, *, label: str = "computing") -> Partial:
    """Return the combination of the partial results of all pieces of the data.

    Pieces are cut at queries, without regard to the number of threads, and combined from
    first to last: the result is the same bit for bit on any number of threads. A small
    first piece is timed, and the others stay in the calling thread if they take no longer
    than handing them over would. A few pieces are under way at a time, so memory does not
    grow with the data. Ctrl-C leaves at once: pieces that wait are dropped. Progress is reported
    as `label`, or not at all where that is empty: in an iteration of work that reports itself.
    """

    def partial(piece: Block) -> tuple[int, Partial]:
        return piece.documents.stop, work.partial(piece)

    total: tuple[int, Partial] | None = None
    for done, right in _partials(partial, data):
        total = (done, right if total is None else work.combine(total[1], right))
        if label:
            report(label, done, data.n_documents)
    if total is None:
        raise DataError("the data has no documents")
    return total[1]


def _partials(
    partial: Callable[[Block], tuple[int, Partial]], data: RankingData
) -> Iterator[tuple[int, Partial]]:
    source = pieces(data)
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
