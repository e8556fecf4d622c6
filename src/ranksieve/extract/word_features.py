"""A TF-IDF feature for each stemmed word, sparse, by query: data of many dimensions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ranksieve.data import RankingData
from ranksieve.data.atomic import replacing
from ranksieve.data.check import from_arrays
from ranksieve.data.text_writer import opened_for_text
from ranksieve.errors import DataError
from ranksieve.extract.candidates import Pool
from ranksieve.extract.collection import Collection
from ranksieve.extract.extraction import checked_target
from ranksieve.progress import report

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class QueryWords:
    """The words of a query's documents.

        x(d, t) = tf(t, d) ln(n / df(t))

    with how often the word occurs in title and body, tf, the documents of the query, n, and those
    of them with the word, df. Words that all of them have would be 0, and are left out.

    Attributes
    ----------
    query_id : whole number or text
    X : (documents, words) CSR matrix of float64
    y : (documents,) array, the grades
    document_ids : (documents,) array
    columns : (words,) array, the number of each word in the collection, by the alphabet
    words : (words,) array of text
    """

    query_id: Any
    X: sparse.csr_array
    y: NDArray[np.float64]
    document_ids: NDArray[Any]
    columns: NDArray[np.int64]
    words: NDArray[np.str_]

    def data(self) -> RankingData:
        """Return the query as ranking data, which is dense: the words of a query are few enough."""
        return from_arrays(
            self.X,
            self.y,
            np.full(len(self.y), self.query_id),
            feature_names=self.words.tolist(),
            document_ids=self.document_ids,
        )


@dataclass(frozen=True)
class WrittenWords:
    """What `write_words` did.

    Attributes
    ----------
    path, names_path : the matrix, and the names of its columns
    n_documents, n_queries, n_words, n_values : sizes; values are those that are not 0
    notes : what was left out or repaired, in sentences
    """

    path: Path
    names_path: Path
    n_documents: int
    n_queries: int
    n_words: int
    n_values: int
    notes: tuple[str, ...]

    @property
    def dense_gib(self) -> float:
        """GiB of the matrix with all its zeros, in float32: what loading it takes."""
        return self.n_documents * self.n_words * 4 / 2**30


def extract_words(
    collection: Collection, *, pool: int = 0, within_pool: bool = False
) -> Iterator[QueryWords]:
    r"""Yield the words of each query's documents, one query at a time.

    Parameters
    ----------
    collection : from `read_collection`
    pool, within_pool : documents of each query that are not judged, as in `extract_features`

    Examples
    --------
    >>> import tempfile
    >>> from ranksieve.extract import read_collection
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "docs").write_text(".I 1\n.T\nwings\n.W\nlift wings\n.I 2\n.W\nwing heat\n")
    >>> _ = (folder / "queries").write_text(".I 1\n.W\nthe lift of a wing\n")
    >>> _ = (folder / "qrels").write_text("1 1 2\n1 2 4\n")
    >>> collection = read_collection(folder / "docs", folder / "queries", folder / "qrels")
    >>> words = next(extract_words(collection))
    >>> words.words.tolist(), words.X.toarray().round(2).tolist()  # ln 2 = 0.69
    (['heat', 'lift'], [[0.0, 0.69], [0.69, 0.0]])
    """
    index = collection.index
    counts = index.fields["both"].counts
    names = np.array(list(index.terms), dtype=np.str_)
    alphabet = np.argsort(names, kind="stable")
    rank = np.empty(len(names), dtype=np.int64)
    rank[alphabet] = np.arange(len(names))
    choice = Pool(collection, pool, within_pool)
    ids = np.array(index.document_ids, dtype=object)
    for query, query_id in zip(collection.queries, collection.query_ids, strict=True):
        candidates = choice.candidates(query)
        X, numbers = _tf_idf(counts[candidates.documents], rank)
        yield QueryWords(
            query_id,
            X,
            candidates.grades,
            ids[candidates.documents],
            numbers,
            names[alphabet[numbers]],
        )


def _tf_idf(
    counts: sparse.csr_array, rank: NDArray[np.int64]
) -> tuple[sparse.csr_array, NDArray[np.int64]]:
    """Return tf-idf of the words that some documents have and some do not, and their numbers."""
    n_documents = counts.shape[0]
    numbers, columns, df = np.unique(rank[counts.indices], return_inverse=True, return_counts=True)
    idf = np.log(n_documents / df)
    X = sparse.csr_array(
        (counts.data * idf[columns], columns, counts.indptr), shape=(n_documents, len(numbers))
    )
    varying = df < n_documents
    X = X[:, np.flatnonzero(varying)].tocsr()
    X.sort_indices()
    return X, numbers[varying]


def write_words(
    collection: Collection,
    target: PathLike,
    *,
    pool: int = 0,
    within_pool: bool = False,
    overwrite: bool = False,
) -> WrittenWords:
    """Write the words of all queries as SVMlight text, which leaves zeros out.

    Features are numbered by the alphabet of all words of the collection; `TARGET.words.txt`, beside
    the target, has their names, one per line. Both files appear as a whole or not at all.
    """
    path = checked_target(target, overwrite)
    names_path = path.with_name(f"{path.name}.words.txt")
    checked_target(names_path, overwrite)
    _check_ids(collection)
    n_documents = n_values = n_queries = 0
    total = len(collection.queries)
    with replacing(path) as temporary, opened_for_text(temporary) as file:
        for words in extract_words(collection, pool=pool, within_pool=within_pool):
            _write_query(words, file)
            n_documents += len(words.y)
            n_values += words.X.nnz
            n_queries += 1
            report("writing words", n_queries, total)
    with replacing(names_path) as temporary:
        temporary.write_text(
            "".join(f"{word}\n" for word in sorted(collection.index.terms)), "utf-8"
        )
    return WrittenWords(
        path,
        names_path,
        n_documents,
        n_queries,
        len(collection.index.terms),
        n_values,
        tuple(collection.notes()),
    )


def _check_ids(collection: Collection) -> None:
    for query in collection.queries:
        if any(sign.isspace() or sign == "#" for sign in query.id):
            raise DataError(
                f"the query id {query.id!r} has a blank or '#', which SVMlight text cannot hold. "
                "Rename it in the queries and judgements."
            )


def _write_query(words: QueryWords, file: IO[bytes]) -> None:
    for row, document_id in enumerate(words.document_ids):
        start, stop = words.X.indptr[row], words.X.indptr[row + 1]
        numbers = words.columns[words.X.indices[start:stop]] + 1
        values = " ".join(
            f"{number}:{value:.7g}"
            for number, value in zip(numbers.tolist(), words.X.data[start:stop], strict=True)
        )
        name = " ".join(str(document_id).split())
        line = f"{words.y[row]:g} qid:{words.query_id} {values} #docid = {name}\n"
        file.write(line.encode("utf-8"))
