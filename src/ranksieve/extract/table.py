"""Rows of a query: the features of its documents, in blocks of whole queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block
from ranksieve.extract.candidates import Candidates, Pool, pool_note
from ranksieve.extract.collection import Collection, JudgedQuery
from ranksieve.extract.costs import FeatureTimes, Stopwatch, feature_times
from ranksieve.extract.features.base import Family, FieldView, TermColumns, query_terms
from ranksieve.extract.features.families import FAMILIES, LINKS, feature_groups
from ranksieve.extract.features.links import link_features
from ranksieve.extract.index import FIELDS
from ranksieve.progress import report

_BLOCK_DOCUMENTS = 16384


class FeatureTable:
    """The LETOR-like features of a collection, a block at a time.

    Attributes
    ----------
    feature_names : of the columns
    watch : seconds that each group and feature took so far
    n_documents : rows so far
    n_graded, n_beyond : judged documents so far, and those behind the pool
    """

    def __init__(self, collection: Collection, pool: Pool) -> None:
        self._collection, self._pool = collection, pool
        self._groups = feature_groups(with_links=collection.links is not None)
        self._columns = TermColumns(collection.index)
        self._links: NDArray[np.float64] | None = None
        self.feature_names = tuple(entry.feature for entry in self._groups)
        self.watch = Stopwatch()
        self.n_documents = self.n_graded = self.n_beyond = 0

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of whole queries, of at least 16,384 documents but for the last."""
        if self._collection.links is not None:
            self._links = link_features(self._collection.links)
        self._warm()
        queries, ids = self._collection.queries, self._collection.query_ids
        held: list[tuple[Any, Candidates, NDArray[np.float32]]] = []
        n_held = 0
        for number, (query, query_id) in enumerate(zip(queries, ids, strict=True), start=1):
            candidates = self._pool.candidates(query)
            held.append((query_id, candidates, self.rows(query, candidates)))
            n_held += len(candidates.documents)
            self.n_graded += candidates.n_graded
            self.n_beyond += candidates.n_beyond
            if n_held >= _BLOCK_DOCUMENTS or number == len(queries):
                yield self._block(held)
                held, n_held = [], 0
            report("computing features", number, len(queries))

    def rows(self, query: JudgedQuery, candidates: Candidates) -> NDArray[np.float32]:
        """Return (documents, features) of a query."""
        terms = query_terms(query.terms)
        parts = []
        with self._columns.of(terms) as columns:
            for field in FIELDS:
                view = FieldView(
                    self._collection.index, field, candidates.documents, terms, columns
                )
                parts += [self._values(family, view) for family in FAMILIES]
        if self._links is not None:
            with self.watch.on(LINKS):
                parts.append(self._links[candidates.documents])
        self.n_documents += len(candidates.documents)
        return np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")

    def notes(self) -> tuple[str, ...]:
        """Return what was left out, repaired, or is to be known, in sentences."""
        beyond = pool_note(self.n_graded, self.n_beyond, within=self._pool.within)
        return (*beyond, *self._collection.notes())

    def times(self) -> FeatureTimes:
        """Return what features cost, over all rows so far."""
        return feature_times(self._groups, self.watch, self.n_documents)

    def _warm(self) -> None:
        """Compute a query that is not counted: the first one compiles, and fills caches."""
        first = self._collection.queries[0]
        self.rows(first, self._pool.candidates(first))
        self.watch, self.n_documents = Stopwatch(), 0

    def _values(self, family: Family, view: FieldView) -> NDArray[np.float64]:
        # What the features of a group share is read before any of them, and counted for all.
        with self.watch.on(f"{view.name}.{family.reads}"):
            _ = _READ[family.reads](view)
        names = [f"{view.name}.{name}" for name in family.names]
        with self.watch.on(*names):
            return family.values(view)

    def _block(self, held: list[tuple[Any, Candidates, NDArray[np.float32]]]) -> Block:
        ids = self._collection.index.document_ids
        X = np.concatenate([rows for _, _, rows in held])
        sizes = [len(rows) for _, _, rows in held]
        documents = np.concatenate([candidates.documents for _, candidates, _ in held])
        return Block(
            X=np.asfortranarray(X),
            y=np.concatenate([candidates.grades for _, candidates, _ in held]),
            query_ptr=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            query_ids=np.array([query_id for query_id, _, _ in held]),
            document_ids=np.array([ids[document] for document in documents], dtype=object),
        )


_READ: dict[str, Callable[[FieldView], Any]] = {
    "counts": lambda view: (view.counts, view.lengths),
    "positions": lambda view: view.hits,
    "lengths": lambda view: view.lengths,
}
