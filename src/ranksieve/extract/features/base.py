"""What a family of features is, and what it sees of a query and a field of its documents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.extract.index import FieldIndex, Index


class Family(ABC):
    """Features of one idea, computed together for all documents of a query.

    Attributes
    ----------
    names : of the features; the field goes in front, as in `title.bm25`
    reads : what of the field is read: "counts" (posting lists), "positions" or "lengths"
    """

    names: ClassVar[tuple[str, ...]]
    reads: ClassVar[str]

    @abstractmethod
    def values(self, view: FieldView) -> NDArray[np.float64]:
        """Return (documents, names): the features of each document."""


@dataclass(frozen=True, eq=False)
class QueryTerms:
    """The terms of a query that the collection has.

    Attributes
    ----------
    numbers : (terms,) array, different terms in the order of the query
    weights : (terms,) array, how often each stands in the query
    n_asked : different terms of the query, those included that no document has
    follows : (terms, terms) array of bool, whether term j follows term i in the query
    """

    numbers: NDArray[np.int64]
    weights: NDArray[np.float64]
    n_asked: int
    follows: NDArray[np.bool_]


def query_terms(terms: tuple[int, ...]) -> QueryTerms:
    """Return the terms of a query from their numbers; those below 0 are of no document.

    Examples
    --------
    >>> terms = query_terms((4, 7, -1, 4))
    >>> terms.numbers, terms.weights, terms.n_asked
    (array([4, 7]), array([2., 1.]), 3)
    >>> terms.follows.tolist()
    [[False, True], [False, False]]
    """
    numbers = list(dict.fromkeys(term for term in terms if term >= 0))
    column = {term: number for number, term in enumerate(numbers)}
    weights = np.zeros(len(numbers))
    follows = np.zeros((len(numbers), len(numbers)), dtype=np.bool_)
    for term in terms:
        if term >= 0:
            weights[column[term]] += 1
    for before, after in pairwise(terms):
        if before >= 0 and after >= 0:
            follows[column[before], column[after]] = True
    return QueryTerms(np.array(numbers, dtype=np.int64), weights, len(set(terms)), follows)


@dataclass(frozen=True, eq=False)
class FieldView:
    """A field of the documents of a query, as features see it; read when it is first asked for.

    Attributes
    ----------
    index : of the collection
    name : of the field
    documents : (n,) array, positions in the collection
    terms : of the query
    columns : (terms of the collection + 1,) array, the position of each term in the query, else -1
    """

    index: Index
    name: str
    documents: NDArray[np.int64]
    terms: QueryTerms
    columns: NDArray[np.int32]

    @property
    def field(self) -> FieldIndex:
        """The index of the field."""
        return self.index.fields[self.name]

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """(documents, terms): how often each term of the query occurs in the field."""
        matrix = self.field.counts
        entries, row = _gathered(
            matrix.indptr[self.documents].astype(np.int64),
            matrix.indptr[self.documents + 1].astype(np.int64),
        )
        column = self.columns[matrix.indices[entries]]
        hit = column >= 0
        counts = np.zeros((len(self.documents), len(self.terms.numbers)))
        counts[row[hit], column[hit]] = matrix.data[entries[hit]]
        return counts

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Length of the field in each document."""
        lengths: NDArray[np.float64] = self.field.lengths[self.documents]
        return lengths

    @cached_property
    def idf(self) -> NDArray[np.float64]:
        """ln(N / df) of each term of the query; 0 for one that the field never has."""
        df = self.field.document_frequencies[self.terms.numbers]
        return np.log(self.field.n_documents / np.where(df > 0, df, self.field.n_documents))

    @cached_property
    def hits(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Where terms of the query stand: word of the field, term, and where documents begin.

        Words are counted from 0, with stop words, so that distances are those of the text.
        """
        starts, ends = self.index.bounds(self.name, self.documents)
        entries, row = _gathered(starts, ends)
        column = self.columns[self.index.tokens[entries]]
        hit = np.flatnonzero(column >= 0)
        positions = entries[hit] - starts[row[hit]]
        sizes = np.bincount(row[hit], minlength=len(self.documents))
        document_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return positions, column[hit].astype(np.int64), document_ptr


class TermColumns:
    """Which column each term of the collection is for a query: one array for all queries."""

    def __init__(self, index: Index) -> None:
        # The last entry is that of -1, a stop word, which no query has.
        self._columns = np.full(len(index.terms) + 1, -1, dtype=np.int32)

    @contextmanager
    def of(self, terms: QueryTerms) -> Iterator[NDArray[np.int32]]:
        """Give the columns of a query's terms inside the `with`."""
        self._columns[terms.numbers] = np.arange(len(terms.numbers), dtype=np.int32)
        try:
            yield self._columns
        finally:
            self._columns[terms.numbers] = -1


def _gathered(
    starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all positions of some ranges, one after the other, and the range of each."""
    sizes = ends - starts
    row = np.repeat(np.arange(len(sizes)), sizes)
    before = np.cumsum(sizes) - sizes
    return np.arange(len(row)) + (starts - before)[row], row
