"""A stream of rows, cut into blocks of whole queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block
from ranksieve.data.missing import Missing, fill
from ranksieve.data.queries import QueriesSeen, one_type, run_starts


class Rows(NamedTuple):
    """Some rows of a table, with checked values; the last query may go on in the next rows."""

    X: NDArray[Any]
    y: NDArray[np.float64]
    qid: NDArray[Any]
    document_ids: NDArray[Any] | None

    def between(self, start: int, stop: int | None) -> Rows:
        """Return the rows start:stop, sharing the arrays."""
        documents = None if self.document_ids is None else self.document_ids[start:stop]
        return Rows(self.X[start:stop], self.y[start:stop], self.qid[start:stop], documents)


def joined(parts: list[Rows]) -> Rows:
    """Return the rows of all parts, one after the other, with X column-major."""
    if len(parts) == 1:
        return parts[0]
    X = np.concatenate([part.X.T for part in parts], axis=1).T
    documents = [part.document_ids for part in parts if part.document_ids is not None]
    return Rows(
        X,
        np.concatenate([part.y for part in parts]),
        np.concatenate(one_type([part.qid for part in parts])),
        np.concatenate(documents) if documents else None,
    )


def whole_queries(
    parts: Iterable[Rows], missing: Missing, n_documents: int = 16384, *, streamed: bool = False
) -> Iterator[Block]:
    """Yield blocks of whole queries, of at least `n_documents` but for the last.

    A query that is not complete waits for the next rows. An id that comes again after
    another query is an error, at the latest when the stream ends.
    """
    seen = QueriesSeen(streamed=streamed)
    held: list[Rows] = []
    limit, done = n_documents, 0
    for part in parts:
        held.append(part)
        if sum(len(rows.y) for rows in held) < limit:
            continue
        rows = joined(held)
        last = int(run_starts(rows.qid)[-1])
        # One query fills all that is held: wait for twice as much before looking again.
        limit = n_documents if last else 2 * len(rows.y)
        held = [rows.between(last, None)]
        if last:
            yield _block(rows.between(0, last), missing, seen, done)
            done += last
    if held:
        yield _block(joined(held), missing, seen, done)
    seen.check()


def _block(rows: Rows, missing: Missing, seen: QueriesSeen, first_document: int) -> Block:
    starts = run_starts(rows.qid)
    X = rows.X.copy(order="F")
    query_ptr = np.append(starts, len(rows.y))
    fill(X, query_ptr, missing)
    seen.add(rows.qid[starts], starts + first_document)
    return Block(X, rows.y, query_ptr, rows.qid[starts], rows.document_ids, first_document)
