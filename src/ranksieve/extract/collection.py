"""A collection that is read: its index, its queries as terms, and the grades of its documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ranksieve.data.logs.judgements import is_whole
from ranksieve.errors import DataError
from ranksieve.extract.collections.formats import documents_in, queries_in
from ranksieve.extract.collections.judgements import CollectionJudgements, collection_judgements
from ranksieve.extract.collections.links import read_links
from ranksieve.extract.collections.records import MAX_DOCUMENT_BYTES, Query, Reading, Tally
from ranksieve.extract.index import Index, build_index
from ranksieve.extract.tokens import Tokeniser, token_batches
from ranksieve.extract.words import word_rule

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class JudgedQuery:
    """A query with its judgements.

    Attributes
    ----------
    id : as judgements name it
    terms : numbers of its terms, in order and as often as they stand in it; -1, -2, ... for terms
        that no document has
    grades : the grade of each judged document, by its position in the collection; None for a
        document that is left out
    """

    id: str
    terms: tuple[int, ...]
    grades: dict[int, float | None]


@dataclass(frozen=True, eq=False)
class Collection:
    """Documents, queries and judgements, ready for features.

    Attributes
    ----------
    index : the documents as terms
    queries : those with terms and judged documents, in the order of their file
    links : (documents, documents) CSR matrix, or None
    by_position : whether judgements number queries by their position in the file, as Cranfield's
    tally : what was left out or repaired
    """

    index: Index
    queries: tuple[JudgedQuery, ...]
    links: sparse.csr_array | None
    by_position: bool
    tally: Tally

    @property
    def query_ids(self) -> list[Any]:
        """Ids of the queries: whole numbers if all are."""
        ids = [query.id for query in self.queries]
        return [int(id_) for id_ in ids] if all(map(is_whole, ids)) else ids

    def notes(self) -> list[str]:
        """Return what a reader of the features should know, in sentences."""
        position = "Judgements number queries by their position in the file, not by its numbers."
        return [*([position] if self.by_position else []), *self.tally.sentences()]


def read_collection(
    documents: PathLike | Sequence[PathLike],
    queries: PathLike,
    judgements: PathLike,
    *,
    links: PathLike | None = None,
    grades: Mapping[float, float | None] | None = None,
    language: str = "english",
    stop_words: Iterable[str] | None = None,
    encoding: str = "utf-8",
    max_document_bytes: int = MAX_DOCUMENT_BYTES,
) -> Collection:
    r"""Return a collection from files of Cranfield's format, of TREC's, or of JSON lines.

    The format is that by which a file begins. Files may end in .gz, .xz or .zst.

    Parameters
    ----------
    documents : path, or several
        A folder is all files in it.
    queries, judgements : path
    links : path, optional
        Two ids per line: from which document to which.
    grades : mapping of codes to grades, optional
        See `collection_judgements`: by default Cranfield's codes 1 to 4 become grades 4 to 1.
    language, stop_words : see `word_rule`
    encoding : str
        Bytes that it does not have are read as spaces, and counted.
    max_document_bytes : int
        Longer documents are left out, and counted.

    Raises
    ------
    DataError
        A file cannot be read, an id comes twice, or no judgement fits the documents and queries.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "docs").write_text(".I 1\n.T\nwings\n.W\nlift of wings\n.I 2\n.W\nheat\n")
    >>> _ = (folder / "queries").write_text(".I 1\n.W\nthe lift of a wing\n")
    >>> _ = (folder / "qrels").write_text("1 1 2\n1 2 4\n")
    >>> collection = read_collection(folder / "docs", folder / "queries", folder / "qrels")
    >>> collection.queries[0].grades
    {0: 3.0, 1: 1.0}
    """
    tally = Tally()
    reading = Reading(encoding, max_document_bytes)
    rule = word_rule(language, stop_words)
    judged = collection_judgements(Path(judgements).expanduser(), grades, tally)
    asked, kind = queries_in(queries, reading, tally)
    ids: list[str] = []
    texts = _texts(documents, reading, tally, ids)
    index = build_index(ids, token_batches(texts, rule))
    _count_empty(index, tally)
    by_position = kind == "cranfield" and _is_by_position(asked, judged)
    if by_position:
        asked = [Query(str(n), query.text, query.where) for n, query in enumerate(asked, start=1)]
    ready = tuple(_judged_queries(asked, judged, index, Tokeniser(rule), tally))
    if not ready:
        raise _nothing_fits(judged, asked, index)
    graph = None if links is None else read_links(Path(links).expanduser(), index.positions, tally)
    return Collection(index, ready, graph, by_position, tally)


def _texts(
    documents: PathLike | Sequence[PathLike], reading: Reading, tally: Tally, ids: list[str]
) -> Iterator[tuple[str, str]]:
    for document in documents_in(documents, reading, tally):
        ids.append(document.id)
        yield document.title, document.body


def _count_empty(index: Index, tally: Tally) -> None:
    empty = np.flatnonzero(index.fields["both"].lengths == 0)
    if len(empty):
        tally.add("empty document", repr(index.document_ids[empty[0]]), len(empty))


def _is_by_position(queries: Sequence[Query], judged: CollectionJudgements) -> bool:
    """Tell whether judgements count queries instead of naming them.

    Cranfield's do: they have queries 1 to 225, where the file of queries has numbers from 1 to 365.
    It shows where they name a query that the file does not have, and none beyond its number.
    """
    named = {query.id for query in queries}
    if all(query in named for query in judged.grades):
        return False
    return all(is_whole(query) and 1 <= int(query) <= len(queries) for query in judged.grades)


def _judged_queries(
    queries: Sequence[Query],
    judged: CollectionJudgements,
    index: Index,
    tokeniser: Tokeniser,
    tally: Tally,
) -> Iterator[JudgedQuery]:
    known_queries = {query.id for query in queries}
    for query_id, documents in judged.grades.items():
        if query_id not in known_queries:
            tally.add("judgement of an unknown query", repr(query_id), len(documents))
    for query in queries:
        terms = tokeniser.query(query.text)
        grades = _positions(query, judged, index, tally)
        if all(grade is None for grade in grades.values()):
            tally.add("query without judgements", f"{query.id!r}, {query.where}")
        elif not terms:
            tally.add("query without words", f"{query.id!r}, {query.where}")
        else:
            yield JudgedQuery(query.id, _numbers(terms, index), grades)


def _numbers(terms: Sequence[str], index: Index) -> tuple[int, ...]:
    """Return the numbers of a query's terms; -1, -2, ... for those that no document has."""
    absent: dict[str, int] = {}
    return tuple(
        index.terms[term] if term in index.terms else absent.setdefault(term, -1 - len(absent))
        for term in terms
    )


def _positions(
    query: Query, judged: CollectionJudgements, index: Index, tally: Tally
) -> dict[int, float | None]:
    grades: dict[int, float | None] = {}
    for document, grade in judged.grades.get(query.id, {}).items():
        position = index.positions.get(document)
        if position is None:
            where = f"{document!r} for query {query.id!r}"
            tally.add("judgement of an unknown document", where)
        else:
            grades[position] = grade
    return grades


def _nothing_fits(
    judged: CollectionJudgements, queries: Sequence[Query], index: Index
) -> DataError:
    query = next(iter(judged.grades))
    document = next(iter(judged.grades[query]))
    return DataError(
        f"no judgement of {judged.path} is of a query and a document that are there: it begins "
        f"with query {query!r} and document {document!r}, the queries with {queries[0].id!r}, the "
        f"documents with {index.document_ids[0]!r}. Check that the files belong together."
    )
