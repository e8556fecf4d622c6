"""The documents of a query that get features: the judged ones, and the best by BM25."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ranksieve.errors import ParameterError
from ranksieve.extract.collection import Collection, JudgedQuery
from ranksieve.extract.features.bm25 import K1, B, length_norm, lucene_idf
from ranksieve.extract.index import FieldIndex


@dataclass(frozen=True, eq=False)
class Candidates:
    """Documents of a query in the order of the collection, which says nothing about grades.

    Attributes
    ----------
    documents : (n,) array, positions in the collection
    grades : (n,) array
    n_graded : documents with a judgement
    n_beyond : those of them that BM25 puts behind the last document of the pool
    """

    documents: NDArray[np.int64]
    grades: NDArray[np.float64]
    n_graded: int
    n_beyond: int


@dataclass(frozen=True, eq=False)
class Pool:
    """Chooses the documents of a query.

    Judged documents are taken with their grades, and the first `size` documents by BM25 of title
    and body that are not judged, with grade 0: nobody has looked at them, and they are taken for
    not relevant, as is usual. A document whose judgement has no grade is left out. Of equal scores
    the lesser id goes first, so that the order of the documents does not matter.

    Behind the last document of the pool only judged documents have rows, which most often are
    relevant: a ranker can learn that a low BM25 means relevance. With `within` judged documents
    that are that far behind have no rows either.

    References
    ----------
    Minka and Robertson, Selection bias in the LETOR datasets (2008).
    """

    collection: Collection
    size: int = 0
    within: bool = False

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ParameterError(f"pool must be a number of at least 0, but is {self.size}")
        if self.within and not self.size:
            raise ParameterError("within_pool=True needs a pool: pool=100, for example")

    def candidates(self, query: JudgedQuery) -> Candidates:
        """Return the documents of a query."""
        grades = {document: g for document, g in query.grades.items() if g is not None}
        n_graded, beyond = len(grades), set[int]()
        if self.size:
            best = self.best(query, self.size + len(query.grades)).tolist()
            pooled = [document for document in best if document not in query.grades][: self.size]
            before_last = set(best[: best.index(pooled[-1])]) if pooled else set()
            beyond = grades.keys() - before_last
            if self.within:
                grades = {d: grade for d, grade in grades.items() if d not in beyond}
            grades.update(dict.fromkeys(pooled, 0.0))
        documents = np.array(sorted(grades), dtype=np.int64)
        values = np.array([grades[document] for document in documents.tolist()])
        return Candidates(documents, values, n_graded, len(beyond))

    def best(self, query: JudgedQuery, n_documents: int) -> NDArray[np.int64]:
        """Return the first documents by BM25, best first; those without any term never count."""
        scores = self.scores(query)
        positive = np.flatnonzero(scores > 0)
        if len(positive) > n_documents:
            limit = -np.partition(-scores[positive], n_documents - 1)[n_documents - 1]
            positive = positive[scores[positive] >= limit]
        order = np.lexsort((self._id_ranks[positive], -scores[positive]))
        best: NDArray[np.int64] = positive[order][:n_documents]
        return best

    def scores(self, query: JudgedQuery) -> NDArray[np.float64]:
        """Return BM25 of title and body of all documents."""
        postings = self._postings
        scores = np.zeros(postings.shape[0])
        for term in query.terms:
            if term >= 0:
                start, stop = postings.indptr[term], postings.indptr[term + 1]
                scores[postings.indices[start:stop]] += postings.data[start:stop]
        return scores

    @cached_property
    def _postings(self) -> sparse.csc_array:
        """For each term its documents, with what it adds to their BM25."""
        return bm25_postings(self.collection.index.fields["both"])

    @cached_property
    def _id_ranks(self) -> NDArray[np.int64]:
        ids = np.array(self.collection.index.document_ids, dtype=np.str_)
        ranks: NDArray[np.int64] = np.argsort(np.argsort(ids, kind="stable"))
        return ranks


def pool_note(n_graded: int, n_beyond: int, *, within: bool) -> list[str]:
    """Return what is to be said of judged documents behind the pool, in a sentence, or nothing."""
    if not n_beyond:
        return []
    share = f"{n_beyond:,} of {n_graded:,} judged documents are behind the last of the pool by BM25"
    if within:
        return [f"{share} and have no rows."]
    return [
        f"{share}, where only judged documents have rows: a ranker can tell them by that. "
        "--within-pool (within_pool=True) leaves them out."
    ]


def bm25_postings(field: FieldIndex) -> sparse.csc_array:
    """Return (documents, terms): what each term adds to the BM25 of each document."""
    counts = field.counts
    idf = lucene_idf(field.document_frequencies, field.n_documents)
    norms = np.repeat(
        length_norm(field.lengths, field.mean_length, k1=K1, b=B), np.diff(counts.indptr)
    )
    values = idf[counts.indices] * counts.data / (counts.data + norms)
    return sparse.csr_array((values, counts.indices, counts.indptr), shape=counts.shape).tocsc()
