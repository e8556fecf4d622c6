"""The index of a collection: terms of documents by field, in sparse matrices, and positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ranksieve.extract.tokens import TokenBatch

FIELDS = ("title", "body", "both")


@dataclass(frozen=True, eq=False)
class FieldIndex:
    """How often each term occurs in a field of each document, and what follows from that.

    Attributes
    ----------
    counts : (documents, terms) CSR matrix of int32
    """

    counts: sparse.csr_array

    @property
    def n_documents(self) -> int:
        """Documents of the collection, those with an empty field included."""
        return int(self.counts.shape[0])

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Length of the field in each document: its words without stop words."""
        lengths: NDArray[np.float64] = np.asarray(self.counts.sum(axis=1), dtype=np.float64)
        return lengths

    @cached_property
    def n_distinct(self) -> NDArray[np.float64]:
        """Different terms of the field in each document."""
        distinct: NDArray[np.float64] = np.diff(self.counts.indptr).astype(np.float64)
        return distinct

    @cached_property
    def document_frequencies(self) -> NDArray[np.float64]:
        """In how many documents the field has each term."""
        counts = np.bincount(self.counts.indices, minlength=self.counts.shape[1])
        return counts.astype(np.float64)

    @cached_property
    def collection_frequencies(self) -> NDArray[np.float64]:
        """How often each term occurs in the field, over all documents."""
        frequencies = np.bincount(
            self.counts.indices, weights=self.counts.data, minlength=self.counts.shape[1]
        )
        return frequencies.astype(np.float64)

    @cached_property
    def mean_length(self) -> float:
        """Mean length over all documents; 1 where all are empty."""
        return float(self.lengths.mean()) or 1.0

    @cached_property
    def collection_length(self) -> float:
        """Words of the field in all documents; 1 where all are empty."""
        return float(self.lengths.sum()) or 1.0


@dataclass(frozen=True, eq=False)
class Index:
    """Documents of a collection as numbers of terms.

    Attributes
    ----------
    document_ids : the id of each document
    terms : the number of each term
    tokens : (n,) array of int32, the words of all documents in order; -1 is a stop word
    starts : (documents + 1,) array, where each document begins in `tokens`: with its title
    bodies : (documents,) array, where the body of each document begins
    fields : "title", "body" and "both"

    Notes
    -----
    Memory is linear in the text: 4 bytes per word, and 16 bytes for each different word of a
    document (8 in "both", and 8 in the title or the body or in each of them).

    Examples
    --------
    >>> from ranksieve.extract.tokens import token_batches
    >>> from ranksieve.extract.words import word_rule
    >>> texts = [("Heated slabs", "The heat of a slab"), ("Wings", "")]
    >>> index = build_index(["d1", "d2"], token_batches(texts, word_rule()))
    >>> index.terms
    {'heat': 0, 'slab': 1, 'wing': 2}
    >>> index.fields["both"].counts.toarray()
    array([[2, 2, 0],
           [0, 0, 1]], dtype=int32)
    """

    document_ids: Sequence[str]
    terms: dict[str, int]
    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]
    bodies: NDArray[np.int64]
    fields: dict[str, FieldIndex]

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.document_ids)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each document by its id."""
        return {id_: position for position, id_ in enumerate(self.document_ids)}

    def bounds(
        self, field: str, documents: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the field of some documents begins and ends in `tokens`."""
        starts, ends = self.starts[documents], self.starts[documents + 1]
        if field == "both":
            return starts, ends
        bodies = self.bodies[documents]
        return (starts, bodies) if field == "title" else (bodies, ends)


def build_index(document_ids: Sequence[str], batches: Iterable[TokenBatch]) -> Index:
    """Return the index of documents that come in batches; `document_ids` is read at the end."""
    terms: dict[str, int] = {}
    parts: list[NDArray[np.int32]] = []
    sizes: list[NDArray[np.int64]] = [np.empty((0, 2), dtype=np.int64)]
    for batch in batches:
        # The last entry is what -1, a stop word, becomes.
        numbers = np.array(
            [*(terms.setdefault(term, len(terms)) for term in batch.terms), -1], dtype=np.int32
        )
        parts.append(numbers[batch.tokens])
        sizes.append(batch.sizes)
    tokens = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    by_part = np.concatenate(sizes)
    starts = np.concatenate([[0], np.cumsum(by_part.sum(axis=1))]).astype(np.int64)
    bodies = starts[:-1] + by_part[:, 0]
    fields = dict(_field_indexes(tokens, starts, bodies, len(terms)))
    return Index(document_ids, terms, tokens, starts, bodies, fields)


def _field_indexes(
    tokens: NDArray[np.int32], starts: NDArray[np.int64], bodies: NDArray[np.int64], n_terms: int
) -> Iterator[tuple[str, FieldIndex]]:
    # Every second part of the words is a title, the others are bodies.
    bounds = np.empty(2 * len(bodies) + 1, dtype=np.int64)
    bounds[0::2], bounds[1::2] = starts, bodies
    in_title = np.repeat(np.arange(len(bounds) - 1) % 2 == 0, np.diff(bounds))
    term = tokens >= 0
    for field, chosen in (("title", term & in_title), ("body", term & ~in_title), ("both", term)):
        before = np.concatenate([[0], np.cumsum(chosen)])
        indices = tokens[chosen]
        matrix = sparse.csr_array(
            (np.ones(len(indices), dtype=np.int32), indices, before[starts]),
            shape=(len(bodies), max(n_terms, 1)),
        )
        matrix.sum_duplicates()
        yield field, FieldIndex(matrix)
