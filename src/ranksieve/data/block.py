"""A block: documents of whole queries, the unit of all work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Documents in one piece of work: long enough to hide what a Python call costs, short enough
# that its features stay in the cache and that Ctrl-C is answered at once.
CUT_DOCUMENTS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Documents of whole queries: query q has the rows query_ptr[q]:query_ptr[q + 1].

    `query_ptr` may start after 0 and end before the last row: a cut of a block shares its
    arrays. Kernels therefore read rows through `query_ptr`, never all of `X`.

    Attributes
    ----------
    X : (n, p) array, float32 or float64, column-major
    y : (n,) array of float64, the grades
    query_ptr : (queries + 1,) array of int64, offsets into the rows of X and y
    query_ids : (queries,) array of the original ids
    document_ids : (n,) array of bytes or objects, or None
    first_document : position, in the whole data, of row query_ptr[0]
    """

    X: NDArray[Any]
    y: NDArray[np.float64]
    query_ptr: NDArray[np.int64]
    query_ids: NDArray[Any]
    document_ids: NDArray[Any] | None = None
    first_document: int = 0

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return int(self.query_ptr[-1] - self.query_ptr[0])

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_ptr) - 1

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the feature values: float32 or float64."""
        return self.X.dtype

    @property
    def rows(self) -> slice:
        """Rows of X and y that belong to the block."""
        return slice(int(self.query_ptr[0]), int(self.query_ptr[-1]))

    @property
    def documents(self) -> slice:
        """Positions of the block's documents in vectors over the whole data."""
        return slice(self.first_document, self.first_document + self.n_documents)

    def rows_of(self, queries: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of X and y that belong to some queries, in their order."""
        sizes = np.diff(self.query_ptr)[queries]
        starts = np.cumsum(sizes) - sizes
        rows: NDArray[np.int64] = np.arange(sizes.sum()) + np.repeat(
            self.query_ptr[queries] - starts, sizes
        )
        return rows

    def between(self, start: int, stop: int) -> Block:
        """Return the queries start:stop of this block, sharing its arrays."""
        return replace(
            self,
            query_ptr=self.query_ptr[start : stop + 1],
            query_ids=self.query_ids[start:stop],
            first_document=self.first_document + int(self.query_ptr[start] - self.query_ptr[0]),
        )

    def cuts(self, n_documents: int = CUT_DOCUMENTS) -> Iterator[Block]:
        """Yield the block in pieces of about `n_documents`, sharing its arrays.

        Where the cuts fall depends on the queries alone, so that sums over pieces are the
        same on any number of threads.
        """
        start = 0
        while start < self.n_queries:
            limit = self.query_ptr[start] + n_documents
            stop = int(np.searchsorted(self.query_ptr, limit, side="right")) - 1
            stop = max(stop, start + 1)
            yield self.between(start, stop)
            start = stop

    def take(self, queries: NDArray[np.int64] | None, features: NDArray[np.int64] | None) -> Block:
        """Return some queries and features as a block; copies only what must move.

        Queries that follow each other share rows, and all features share X.
        """
        block = self
        if queries is not None:
            block = self._take_queries(queries)
        if features is None:
            return block
        # X.T is row-major: taking rows of it and turning back keeps columns contiguous.
        taken = block.X.T[features, block.rows].T
        return block._without_margin(X=taken)

    def _take_queries(self, queries: NDArray[np.int64]) -> Block:
        if len(queries) and np.array_equal(
            queries, np.arange(queries[0], queries[0] + len(queries))
        ):
            return self.between(int(queries[0]), int(queries[0]) + len(queries))
        rows = self.rows_of(queries)
        sizes = np.diff(self.query_ptr)[queries]
        return Block(
            # Not X.T[:, rows].T, which numpy lays out by rows.
            X=self.X.T.take(rows, axis=1).T,
            y=self.y[rows],
            query_ptr=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            query_ids=self.query_ids[queries],
            document_ids=None if self.document_ids is None else self.document_ids[rows],
            first_document=self.first_document,
        )

    def column(self, feature: int, rows: slice | NDArray[np.int64]) -> NDArray[Any]:
        """Return some rows of one feature, without a copy of any other."""
        values: NDArray[Any] = self.X[rows, feature]
        return values

    def turned(self, directions: NDArray[Any]) -> Block:
        """Return the block with features of direction -1 negated."""
        compact = self.compact()
        X = np.multiply(compact.X, directions, order="F")
        X += 0.0  # -0.0 becomes 0.0, as it was
        return replace(compact, X=X)

    def moved(self, first_document: int) -> Block:
        """Return the block at another position of the data."""
        return replace(self, first_document=first_document)

    def with_grades(self, y: NDArray[np.float64]) -> Block:
        """Return the block with other grades, for all rows of its arrays."""
        return replace(self, y=y)

    def loaded(self) -> Block:
        """Return the block with its features in memory: itself."""
        return self

    def prefetch(self) -> None:
        """Let features that are elsewhere be fetched, soon to be used; here they are in memory."""

    def compact(self) -> Block:
        """Return the block with arrays of its own rows alone."""
        if self.n_documents == len(self.X):
            return self
        return self._without_margin(X=self.X[self.rows].copy(order="F"))

    def _without_margin(self, X: NDArray[Any]) -> Block:
        return Block(
            X=X,
            y=self.y[self.rows],
            query_ptr=self.query_ptr - self.query_ptr[0],
            query_ids=self.query_ids,
            document_ids=None if self.document_ids is None else self.document_ids[self.rows],
            first_document=self.first_document,
        )
