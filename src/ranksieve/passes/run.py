"""Run a pass over data, on threads of this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.passes.base import Pass
from ranksieve.progress import report
from ranksieve.threads import side_by_side

Partial = TypeVar("Partial")


def run(work: Pass[Partial], data: RankingData, *, label: str = "computing") -> Partial:
    """Return the combination of the partial results of all pieces of the data.

    Pieces are cut at queries, without regard to the number of threads, and combined from
    first to last: the result is the same bit for bit on any number of threads. A few pieces
    are under way at a time, so memory does not grow with the data. Ctrl-C leaves at once:
    pieces that wait are dropped, and one that runs is short.
    """

    def partial(piece: Block) -> tuple[int, Partial]:
        return piece.place.stop, work.partial(piece)

    partials = side_by_side(partial, pieces(data))
    found = next(partials, None)
    if found is None:
        raise DataError("the data has no documents")
    done, result = found
    report(label, done, data.n_documents)
    for done, right in partials:
        result = work.combine(result, right)
        report(label, done, data.n_documents)
    return result


def pieces(data: RankingData) -> Iterator[Block]:
    """Yield the pieces of whole queries that passes work on, from first to last."""
    for block in data.blocks():
        yield from block.cuts()
