"""Run a pass over data, on threads of this process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TypeVar

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.passes.base import Pass
from ranksieve.progress import report
from ranksieve.threads import side_by_side

Partial = TypeVar("Partial")

# Below this many seconds, handing pieces to threads takes longer than the pieces.
_WORTH_THREADS = 0.02


def run(work: Pass[Partial], data: RankingData, *, label: str = "computing") -> Partial:
    """Return the combination of the partial results of all pieces of the data.

    Pieces are cut at queries, without regard to the number of threads, and combined from
    first to last: the result is the same bit for bit on any number of threads. The first
    piece is timed, and threads are used if the others will take long enough. A few pieces
    are under way at a time, so memory does not grow with the data. Ctrl-C leaves at once:
    pieces that wait are dropped, and one that runs is short.
    """
    source = pieces(data)
    first = next(source, None)
    if first is None:
        raise DataError("the data has no documents")
    started = time.perf_counter()
    result = work.partial(first)
    seconds_a_document = (time.perf_counter() - started) / first.n_documents
    remaining = data.n_documents - first.n_documents
    report(label, first.n_documents, data.n_documents)

    def partial(piece: Block) -> tuple[int, Partial]:
        return piece.place.stop, work.partial(piece)

    long_enough = seconds_a_document * remaining > _WORTH_THREADS
    others = side_by_side(partial, source) if long_enough else map(partial, source)
    for done, right in others:
        result = work.combine(result, right)
        report(label, done, data.n_documents)
    return result


def pieces(data: RankingData) -> Iterator[Block]:
    """Yield the pieces of whole queries that passes work on, from first to last."""
    for block in data.blocks():
        yield from block.cuts()
