"""RankingData: checked ranking data, and views of some of its features and queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.catalog import suggestion
from ranksieve.data.block import Block
from ranksieve.data.disk import check_in_memory
from ranksieve.data.fingerprint import fingerprint, query_fingerprints
from ranksieve.data.labels import check_labels
from ranksieve.data.lazy_block import Columns, LazyBlock
from ranksieve.data.queries import one_type
from ranksieve.errors import DataError


class RankingData:
    """Documents with grades and features, in blocks of whole queries.

    Make one with `ranksieve.load`. It is immutable: `features`, `queries` and `turned` return
    views, which are index lists over the same blocks and cost no copy of the data. A block of
    a view is put together when it is used, one at a time.

    Attributes
    ----------
    n_documents, n_queries, n_features : int
    X : (n_documents, n_features) array, column-major
        A copy where the data has more than one block; otherwise it may share memory with
        the data: do not write into it.
    y : (n_documents,) array of float64, the grades
    qid : (n_documents,) array, the query id of each document
    query_ptr : (n_queries + 1,) array of int64; query q has rows query_ptr[q]:query_ptr[q + 1]
    query_ids : (n_queries,) array, numbers or text, as they were given
    feature_names : tuple of str
    document_ids : (n_documents,) array of str, or None
    scaling : {"minmax", "zscore"} or None
        How `ranksieve.data.scale` scaled the features inside each query, if it did.
    tasks : (n_queries,) array, numbers or text, or None
        What each query belongs to (a market, a language, a kind), where that is known; methods
        for several tasks use it, and all others leave it aside.
    fingerprint : str
        Equal for equal data, however it is cut into blocks.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], [0, 1, 1], ["a", "a", "b"]))
    >>> data
    RankingData(3 documents, 2 queries, 2 features, float64)
    >>> data.query_ptr
    array([0, 2, 3])
    >>> data.features([1]).queries([0]).X
    array([[5.],
           [5.]])
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        feature_names: Sequence[str],
        scaling: str | None = None,
        tasks: NDArray[Any] | None = None,
    ) -> None:
        self._blocks = _placed(blocks)
        self._all_names = tuple(feature_names)
        self.scaling = scaling
        self._all_tasks = tasks  # of all queries of the blocks
        self._features: NDArray[np.int64] | None = None
        self._queries: NDArray[np.int64] | None = None
        self._directions: NDArray[Any] | None = None  # of the features of the view

    def __repr__(self) -> str:
        return (
            f"RankingData({self.n_documents:,} documents, {self.n_queries:,} queries, "
            f"{self.n_features:,} features, {self.dtype})"
        )

    def __len__(self) -> int:
        return self.n_documents

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the feature values: float32 or float64."""
        return self._blocks[0].dtype

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    @cached_property
    def n_documents(self) -> int:
        """Number of documents."""
        return int(self.query_ptr[-1])

    @cached_property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_ptr) - 1

    @cached_property
    def n_blocks(self) -> int:
        """Number of blocks that hold at least one of the queries."""
        return sum(1 for _ in self._chosen_rows())

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, in the order of the columns."""
        if self._features is None:
            return self._all_names
        return tuple(self._all_names[index] for index in self._features)

    @property
    def _n_all_queries(self) -> int:
        return sum(block.n_queries for block in self._blocks)

    @cached_property
    def query_ptr(self) -> NDArray[np.int64]:
        """Offsets of the queries: query q has the rows query_ptr[q]:query_ptr[q + 1]."""
        sizes = np.concatenate([np.diff(block.query_ptr) for block in self._blocks])
        if self._queries is not None:
            sizes = sizes[self._queries]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def query_ids(self) -> NDArray[Any]:
        """Original id of each query."""
        ids = np.concatenate([block.query_ids for block in self._blocks])
        return ids if self._queries is None else ids[self._queries]

    @property
    def tasks(self) -> NDArray[Any] | None:
        """Task of each query, or None where the data has none."""
        if self._all_tasks is None or self._queries is None:
            return self._all_tasks
        chosen: NDArray[Any] = self._all_tasks[self._queries]
        return chosen

    @property
    def qid(self) -> NDArray[Any]:
        """Original query id of each document."""
        return np.repeat(self.query_ids, np.diff(self.query_ptr))

    @cached_property
    def y(self) -> NDArray[np.float64]:
        """Grade of each document."""
        return np.concatenate([block.y[rows] for block, rows in self._chosen_rows()])

    @property
    def X(self) -> NDArray[Any]:  # noqa: N802 - the literature's name for a matrix
        """All feature values, column-major: a copy where there are several blocks."""
        self.check_memory()
        if self.n_blocks == 1:
            (part,) = self.blocks()
            return np.asfortranarray(part.X[part.rows])
        X = np.empty((self.n_documents, self.n_features), dtype=self.dtype, order="F")
        for part in self.blocks():
            X[part.documents] = part.X[part.rows]
        return X

    @property
    def document_ids(self) -> NDArray[Any] | None:
        """Id of each document as text, or None where the source has none."""
        if all(block.document_ids is None for block, _ in self._chosen_rows()):
            return None
        return np.concatenate([document_text(block, rows) for block, rows in self._chosen_rows()])

    @cached_property
    def fingerprint(self) -> str:
        """A short text that is equal for equal data, however it is cut into blocks."""
        return fingerprint(self.blocks(), self.feature_names)

    @cached_property
    def query_fingerprints(self) -> NDArray[np.uint64]:
        """A number for each query that is equal for queries of the same documents and grades."""
        return query_fingerprints(self.blocks(), self.feature_names)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks; those of a view are put together as they are asked for."""
        yield from self._parts()

    def column(self, feature: int) -> NDArray[Any]:
        """Return one feature's values over all documents, without a copy of any other feature.

        It shares memory with the data where that is one block: do not write into it.
        """
        index = feature if self._features is None else self._features[feature]
        parts = [block.column(index, rows) for block, rows in self._row_parts]
        values = parts[0] if len(parts) == 1 else np.concatenate(parts)
        if self._directions is None or self._directions[feature] > 0:
            return values
        turned: NDArray[Any] = 0.0 - values
        return turned

    def features(self, which: ArrayLike | Sequence[str]) -> RankingData:
        """Return a view of some features, by index or by name, in the order given."""
        chosen = _feature_indices(which, self.feature_names)
        features = chosen if self._features is None else self._features[chosen]
        directions = None if self._directions is None else self._directions[chosen]
        return self._view(features, self._queries, directions)

    def queries(self, which: ArrayLike) -> RankingData:
        """Return a view of some queries, by position; they keep the order of the data.

        A position that is given twice counts once.
        """
        chosen = _query_indices(which, self.n_queries)
        queries = chosen if self._queries is None else self._queries[chosen]
        return self._view(self._features, queries, self._directions)

    def turned(self, directions: ArrayLike) -> RankingData:
        """Return a view in which features with direction -1 are negated, those with 1 are not.

        Its blocks are pieces of some thousand documents, so that no pass over the view ever
        holds a copy of the whole data.

        Examples
        --------
        >>> from ranksieve import load
        >>> load(([[1.0, 5.0], [2.0, 0.0]], [0, 1], ["a", "a"])).turned([1, -1]).X
        array([[ 1., -5.],
               [ 2.,  0.]])
        """
        turns = _direction_values(directions, self.n_features).astype(self.dtype)
        if self._directions is not None:
            turns *= self._directions
        return self._view(self._features, self._queries, turns)

    def with_mirror_images(self) -> RankingData:
        """Return a view of all features and then of all features negated, by the same names.

        Its blocks are pieces, as those of `turned`.

        Examples
        --------
        >>> from ranksieve import load
        >>> load(([[1.0, 5.0], [2.0, 0.0]], [0, 1], ["a", "a"])).with_mirror_images().X
        array([[ 1.,  5., -1., -5.],
               [ 2.,  0., -2.,  0.]])
        """
        features = np.arange(self.n_features) if self._features is None else self._features
        ones = np.ones(self.n_features, dtype=self.dtype)
        directions = ones if self._directions is None else self._directions
        twice = np.concatenate([features, features])
        return self._view(twice, self._queries, np.concatenate([directions, -directions]))

    def with_tasks(self, tasks: ArrayLike | None) -> RankingData:
        """Return a view in which each query belongs to a task: a number or text for each, or None.

        Examples
        --------
        >>> from ranksieve import load
        >>> data = load(([[1.0], [2.0], [3.0]], [0, 1, 1], ["a", "a", "b"]))
        >>> data.with_tasks(["de", "fr"]).queries([1]).tasks
        array(['fr'], dtype='<U2')
        """
        view = self._view(self._features, self._queries, self._directions)
        view.scaling = self.scaling
        view._all_tasks = None
        if tasks is not None:
            labels = check_labels(tasks, self.n_queries, "tasks", "query")
            if self._queries is not None:
                # Queries that the view does not show have any of the labels.
                labels, shown = np.full(self._n_all_queries, labels[0], labels.dtype), labels
                labels[self._queries] = shown
            view._all_tasks = labels
        return view

    def joined(self, other: RankingData) -> RankingData:
        """Return the queries of both, which have the same features; an id may occur once.

        Tasks stay where both have them.

        Examples
        --------
        >>> from ranksieve import load
        >>> first, second = load(([[1.0]], [0], ["a"])), load(([[2.0]], [1], ["b"]))
        >>> first.joined(second)
        RankingData(2 documents, 2 queries, 1 features, float64)
        """
        again = np.isin(other.query_ids.astype(np.str_), self.query_ids.astype(np.str_))
        if again.any():
            raise DataError(
                f"{int(again.sum()):,} of {other.n_queries:,} queries have ids that the data has "
                f"already, such as {other.query_ids[again][0]}: give each query an id of its own"
            )
        dtype = np.result_type(self.dtype, other.dtype)
        parts = (
            _with_type(part.compact(), dtype) for data in (self, other) for part in data.blocks()
        )
        tasks = _joined_tasks(self.tasks, other.tasks)
        columns = self.columns or other.columns
        if columns is not None:
            blocks = columns.keep(parts, self.n_bytes + other.n_bytes)
            return RankingData(blocks, self.feature_names, self.scaling, tasks)
        joined = list(parts)
        ids = one_type([part.query_ids for part in joined])
        blocks = [replace(part, query_ids=own) for part, own in zip(joined, ids, strict=True)]
        return RankingData(blocks, self.feature_names, self.scaling, tasks)

    def gathered(self) -> RankingData:
        """Return equal data whose blocks are put together once: for many passes over a view.

        What is shown of data on disk comes into memory where it fits easily, and else goes to
        another file. A view of data that workers of a cluster have stays a view, which they put
        together, unless it is small.
        """
        if self._features is None and self._queries is None and self._directions is None:
            return self
        columns = self.columns
        if columns is None:
            return RankingData(list(self.blocks()), self.feature_names, self.scaling, self.tasks)
        if self.n_bytes <= columns.easily:
            block = Block(self.X, self.y, self.query_ptr, self.query_ids)
            return RankingData([block], self.feature_names, self.scaling, self.tasks)
        return self if columns.on_workers else self.mapped(lambda block: block)

    def mapped(self, change: Callable[[Block], Block], scaling: str | None = None) -> RankingData:
        """Return data of changed blocks, with the same queries, kept where this data is."""
        changed = (change(block) for block in self.blocks())
        columns = self.columns
        blocks = list(changed) if columns is None else columns.keep(changed, self.n_bytes)
        return RankingData(blocks, self.feature_names, scaling or self.scaling, self.tasks)

    @property
    def columns(self) -> Columns | None:
        """Where features are that are not in this process's memory; None where all are."""
        lazy = (block.columns for block in self._blocks if isinstance(block, LazyBlock))
        return next(lazy, None)

    @property
    def on_disk(self) -> bool:
        """Whether the features stay on disk, and are read when they are used."""
        return self.columns is not None and not self.columns.on_workers

    @property
    def on_workers(self) -> bool:
        """Whether workers of a cluster have the features, so that passes go to them."""
        return self.columns is not None and self.columns.on_workers

    @property
    def n_bytes(self) -> int:
        """Bytes that all feature values take."""
        return self.n_documents * self.n_features * self.dtype.itemsize

    def check_memory(self, n_features: int | None = None, n_bytes: int | None = None) -> None:
        """Raise where features that are elsewhere are to come into memory and do not fit.

        These features, or `n_features` others made of them, of `n_bytes` for each value.
        """
        columns = self.columns
        if columns is not None:
            width = self.n_features if n_features is None else n_features
            itemsize = self.dtype.itemsize if n_bytes is None else n_bytes
            check_in_memory(self.n_documents, width, itemsize, columns.limit)

    def __reduce__(self) -> tuple[Any, ...]:
        # A view takes along what it shows, not all that it was cut from.
        self.check_memory()
        parts = [part.compact().loaded() for part in self.blocks()]
        return RankingData, (parts, self.feature_names, self.scaling, self.tasks)

    def _view(
        self,
        features: NDArray[np.int64] | None,
        queries: NDArray[np.int64] | None,
        directions: NDArray[Any] | None,
    ) -> RankingData:
        # Turned features are no longer scaled as they were.
        scaling = self.scaling if directions is None else None
        view = RankingData(self._blocks, self._all_names, scaling, self._all_tasks)
        view._features, view._queries, view._directions = features, queries, directions
        return view

    def _parts(self) -> Iterator[Block]:
        first_document = 0
        for block, queries in self._chosen_queries():
            part = block.take(queries, self._features)
            if self._directions is not None:
                part = part.turned(self._directions)
            yield part.moved(first_document)
            first_document += part.n_documents

    def _chosen_queries(self) -> Iterator[tuple[Block, NDArray[np.int64] | None]]:
        first_query = 0
        for block in self._sources():
            queries = self._queries_of(first_query, block.n_queries)
            first_query += block.n_queries
            if queries is None or len(queries):
                yield block, queries

    def _sources(self) -> Iterator[Block]:
        for block in self._blocks:
            # Turning copies what it turns: only a piece at a time.
            yield from (block,) if self._directions is None else block.cuts()

    def _chosen_rows(self) -> Iterator[tuple[Block, slice | NDArray[np.int64]]]:
        for block, queries in self._chosen_queries():
            yield block, block.rows if queries is None else block.rows_of(queries)

    @cached_property
    def _row_parts(self) -> list[tuple[Block, slice | NDArray[np.int64]]]:
        return list(self._chosen_rows())

    def _queries_of(self, first_query: int, n_queries: int) -> NDArray[np.int64] | None:
        if self._queries is None:
            return None
        start, stop = np.searchsorted(self._queries, [first_query, first_query + n_queries])
        return self._queries[start:stop] - first_query


def _placed(blocks: Sequence[Block]) -> tuple[Block, ...]:
    starts = np.cumsum([0] + [block.n_documents for block in blocks])
    return tuple(block.moved(int(start)) for block, start in zip(blocks, starts, strict=False))


def _joined_tasks(first: NDArray[Any] | None, second: NDArray[Any] | None) -> NDArray[Any] | None:
    if first is None or second is None:
        return None
    return np.concatenate(one_type([first, second]))


def _with_type(block: Block, dtype: np.dtype[Any]) -> Block:
    """Return a block with values of a type."""
    if block.dtype == dtype:
        return block
    return replace(block.loaded(), X=np.asfortranarray(block.X, dtype=dtype))


def _feature_indices(which: Any, names: tuple[str, ...]) -> NDArray[np.int64]:
    chosen = np.asarray(which)
    if chosen.dtype.kind in "UTO":
        chosen = np.atleast_1d(chosen)
        positions = {name: index for index, name in enumerate(names)}
        requested = chosen.tolist()
        unknown = [name for name in requested if name not in positions]
        if unknown:
            raise DataError(
                f"no feature is called {unknown[0]!r}{suggestion(unknown[0], names)} "
                f"There are {len(names)} features."
            )
        chosen = np.array([positions[name] for name in requested], dtype=np.int64)
    chosen = _indices(chosen, len(names), "features")
    if not len(chosen):
        raise DataError("no feature is chosen: ranking data needs at least one")
    if len(np.unique(chosen)) < len(chosen):
        raise DataError("a feature may be chosen once; the list names one of them again")
    return chosen


def _direction_values(directions: Any, n_features: int) -> NDArray[np.float64]:
    values = np.asarray(directions)
    if values.shape != (n_features,) or not np.isin(values, (-1, 1)).all():
        raise DataError(
            f"directions are 1 or -1 for each of the {n_features} features, but are {directions!r}"
        )
    return values.astype(np.float64)


def _query_indices(which: Any, n_queries: int) -> NDArray[np.int64]:
    chosen = _indices(np.asarray(which), n_queries, "queries")
    if not len(chosen):
        raise DataError("no query is chosen: ranking data needs at least one")
    unique: NDArray[np.int64] = np.unique(chosen)
    return unique


def _indices(chosen: NDArray[Any], n: int, kind: str) -> NDArray[np.int64]:
    if chosen.dtype == bool:
        if chosen.shape != (n,):
            raise DataError(f"a mask of {kind} needs {n} entries, but has shape {chosen.shape}")
        return np.flatnonzero(chosen).astype(np.int64)
    if chosen.size == 0:
        return np.empty(0, dtype=np.int64)
    if chosen.dtype.kind not in "iu" or chosen.ndim != 1:
        raise DataError(f"{kind} are chosen by a list of whole numbers or a mask")
    if chosen.min() < 0 or chosen.max() >= n:
        raise DataError(
            f"{kind} are numbered 0 to {n - 1}, but {chosen.min()} to {chosen.max()} were asked for"
        )
    return chosen.astype(np.int64)


def document_text(block: Block, rows: slice | NDArray[np.int64]) -> NDArray[Any]:
    """Return the ids of some documents of a block as text; empty where there are none."""
    if block.document_ids is None:
        return np.full(len(block.y[rows]), "", dtype=object)
    ids = block.document_ids[rows]
    if ids.dtype.kind == "S":
        ids = np.char.decode(ids, "utf-8", "replace")
    if ids.dtype.kind != "O":
        ids = ids.astype(str)
    return np.array([str(value) for value in ids.tolist()], dtype=object)
