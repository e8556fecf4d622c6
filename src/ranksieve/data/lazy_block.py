"""A block whose features are elsewhere until they are used: in a file, or with a worker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block

Indices = NDArray[np.int64]


class Columns(Protocol):
    """Where the features of a stored block are."""

    @property
    def shape(self) -> tuple[int, int]:
        """Documents and features."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        ...

    @property
    def limit(self) -> int:
        """Bytes of features that may be in memory at once."""
        ...

    @property
    def easily(self) -> int:
        """Bytes of features that come into memory where a view is gathered."""
        ...

    @property
    def on_workers(self) -> bool:
        """Whether workers of a cluster have the features, which passes then go to."""
        ...

    def prefetch(self) -> None:
        """Let the features be fetched, and return at once."""
        ...

    def keep(self, blocks: Iterable[Block], n_bytes: int) -> Sequence[Block]:
        """Return equal blocks whose features are kept where these are."""
        ...

    def read(self, rows: slice, features: Indices | None) -> NDArray[Any]:
        """Return some rows of some features, or of all, column-major."""
        ...


class LazyBlock(Block):
    """A block that reads its features when they are first used, and only those that it shows.

    Grades and queries are in memory. Parts of it, made by `between`, `cuts` and `take`, are lazy
    as well: whoever works on a part reads it, in its own thread, and it is gone with the part.

    Attributes
    ----------
    columns : where the features are
    row_slice : the rows there, from the first to the last that the block has
    row_indices : the rows after the start of `row_slice`, or None for all of it
    features : the columns, in their order, or None for all
    directions : 1 or -1 for each of the features, or None
    """

    __slots__ = ("_values", "columns", "directions", "features", "row_indices", "row_slice")

    columns: Columns
    row_slice: slice
    row_indices: Indices | None
    features: Indices | None
    directions: NDArray[Any] | None
    _values: NDArray[Any] | None

    def __init__(
        self,
        columns: Columns,
        y: NDArray[np.float64],
        query_ptr: Indices,
        query_ids: NDArray[Any],
        first_document: int = 0,
        row_slice: slice | None = None,
        row_indices: Indices | None = None,
        features: Indices | None = None,
        directions: NDArray[Any] | None = None,
    ) -> None:
        attributes = {
            "columns": columns,
            "y": y,
            "query_ptr": query_ptr,
            "query_ids": query_ids,
            "document_ids": None,
            "first_document": first_document,
            "row_slice": slice(0, columns.shape[0]) if row_slice is None else row_slice,
            "row_indices": row_indices,
            "features": features,
            "directions": directions,
            "_values": None,
        }
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    @property
    def X(self) -> NDArray[Any]:  # noqa: N802 - as of Block
        """The features, column-major; read when first asked for."""
        if self._values is None:
            object.__setattr__(self, "_values", self._read(self.features, self.directions))
        values: NDArray[Any] = self._values  # type: ignore[assignment]
        return values

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.columns.shape[1] if self.features is None else len(self.features)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the feature values."""
        return self.columns.dtype

    def column(self, feature: int, rows: slice | Indices) -> NDArray[Any]:
        """Return some rows of one feature, without reading any other."""
        index = feature if self.features is None else int(self.features[feature])
        turns = None if self.directions is None else self.directions[[feature]]
        values: NDArray[Any] = self._read(np.array([index]), turns)[rows, 0]
        return values

    def between(self, start: int, stop: int) -> Block:
        """Return the queries start:stop; itself where that is all."""
        if start == 0 and stop == self.n_queries:
            return self
        first, last = int(self.query_ptr[start]), int(self.query_ptr[stop])
        query_ptr = self.query_ptr[start : stop + 1] - first
        return self._with_rows(
            slice(first, last), query_ptr, self.query_ids[start:stop], self.first_document + first
        )

    def take(self, queries: Indices | None, features: Indices | None) -> Block:
        """Return some queries and features; nothing is read."""
        block = self if queries is None else self._take_queries(queries)
        if features is None:
            return block
        taken = features if self.features is None else self.features[features]
        turns = None if self.directions is None else self.directions[features]
        return block._changed(features=taken, directions=turns)

    def turned(self, directions: NDArray[Any]) -> Block:
        """Return the block with features of direction -1 negated; nothing is read."""
        turns = directions if self.directions is None else directions * self.directions
        return self._changed(directions=turns)

    def moved(self, first_document: int) -> Block:
        """Return the block at another position of the data, without what it has read."""
        return self._changed(first_document=first_document)

    def with_grades(self, y: NDArray[np.float64]) -> Block:
        """Return the block with other grades of its documents."""
        return self._changed(y=y)

    def with_query_ids(self, query_ids: NDArray[Any]) -> LazyBlock:
        """Return the block with other ids of its queries."""
        return self._changed(query_ids=query_ids)

    def compact(self) -> Block:
        """Return itself: a lazy block has no rows but its own."""
        return self

    def loaded(self) -> Block:
        """Return the block with its features in memory."""
        return Block(self.X, self.y, self.query_ptr, self.query_ids, None, self.first_document)

    def prefetch(self) -> None:
        """Let the features be fetched, soon to be used; nobody waits for that."""
        self.columns.prefetch()

    def _take_queries(self, queries: Indices) -> LazyBlock:
        rows = self.rows_of(queries)
        sizes = np.diff(self.query_ptr)[queries]
        query_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        follow = len(rows) and rows[-1] - rows[0] + 1 == len(rows)
        chosen = slice(int(rows[0]), int(rows[-1]) + 1) if follow else rows
        return self._with_rows(chosen, query_ptr, self.query_ids[queries], self.first_document)

    def _with_rows(
        self, rows: slice | Indices, query_ptr: Indices, ids: NDArray[Any], first_document: int
    ) -> LazyBlock:
        row_slice, row_indices = self.row_slice, self.row_indices
        if row_indices is not None:
            row_indices = row_indices[rows]
        elif isinstance(rows, slice):
            row_slice = slice(row_slice.start + rows.start, row_slice.start + rows.stop)
        else:
            row_indices = rows
        if row_indices is not None and len(row_indices):
            # Only what lies between the first and the last row is read.
            first = int(row_indices[0])
            row_slice = slice(row_slice.start + first, row_slice.start + int(row_indices[-1]) + 1)
            row_indices = row_indices - first
        return self._changed(
            y=self.y[rows],
            query_ptr=query_ptr,
            query_ids=ids,
            first_document=first_document,
            row_slice=row_slice,
            row_indices=row_indices,
        )

    def _changed(self, **changes: Any) -> LazyBlock:
        names = ("columns", "y", "query_ptr", "query_ids", "first_document", "row_slice")
        attributes = {name: getattr(self, name) for name in names}
        attributes |= {name: getattr(self, name) for name in ("row_indices", "features")}
        return LazyBlock(**{**attributes, "directions": self.directions, **changes})

    def _read(self, features: Indices | None, directions: NDArray[Any] | None) -> NDArray[Any]:
        X = self.columns.read(self.row_slice, features)
        if self.row_indices is not None:
            X = X.T.take(self.row_indices, axis=1).T
        if directions is not None:
            X = np.multiply(X, directions, order="F")
            X += 0.0  # -0.0 becomes 0.0, as it was
        return X

    def __reduce__(self) -> tuple[Any, ...]:
        block = self.loaded()
        return Block, (
            block.X,
            block.y,
            block.query_ptr,
            block.query_ids,
            None,
            self.first_document,
        )
