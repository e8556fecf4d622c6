"""Run a pass over data, on threads of this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import TypeVar

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.passes.base import Pass
from ranksieve.passes.threads import n_threads
from ranksieve.progress import report

Partial = TypeVar("Partial")


def run(work: Pass[Partial], data: RankingData, *, label: str = "computing") -> Partial:
    """Return the combination of the partial results of all pieces of the data.

    Pieces are cut at queries, without regard to the number of threads, and combined from
    first to last: the result is the same bit for bit on any number of threads. At most two
    pieces a thread are under way, so memory does not grow with the data. Ctrl-C leaves at
    once: pieces that wait are dropped, and one that runs is short.
    """
    pieces = (piece for block in data.blocks() for piece in block.cuts())
    workers = n_threads()
    head = list(islice(pieces, 2))
    if not head:
        raise DataError("the data has no documents")
    if workers == 1 or len(head) == 1:
        return _one_by_one(work, _chained(head, pieces), data.n_documents, label)
    return _side_by_side(work, _chained(head, pieces), data.n_documents, label, workers)


def _chained(head: list[Block], rest: Iterator[Block]) -> Iterator[Block]:
    yield from head
    yield from rest


def _one_by_one(
    work: Pass[Partial], pieces: Iterator[Block], n_documents: int, label: str
) -> Partial:
    first = next(pieces)
    result = work.partial(first)
    for piece in pieces:
        result = work.combine(result, work.partial(piece))
        report(label, piece.place.stop, n_documents)
    return result


def _side_by_side(
    work: Pass[Partial], pieces: Iterator[Block], n_documents: int, label: str, workers: int
) -> Partial:
    pool = ThreadPoolExecutor(workers)
    waiting: deque[tuple[Block, Future[Partial]]] = deque()

    def submit() -> None:
        for piece in islice(pieces, 1):
            waiting.append((piece, pool.submit(copy_context().run, work.partial, piece)))

    try:
        for _ in range(2 * workers):
            submit()
        _, future = waiting.popleft()
        submit()
        result = future.result()
        while waiting:
            piece, future = waiting.popleft()
            submit()
            result = work.combine(result, future.result())
            report(label, piece.place.stop, n_documents)
        return result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
