"""From text to features: documents, queries and judgements in, ranking data out.

The way of a collection, from files to ranking data:

    collections/    documents, queries, judgements and links: a reader for each format
    words           words of a text, without stop words, stemmed
    tokens          documents as numbers of terms, a batch at a time, in several processes
    index           how often terms occur in the fields of documents, and where
    collection      all of it for a set of files, checked against each other
    candidates      the documents of a query: judged ones, and the first by BM25
    features/       numbers for a query and a document: one idea per file
    costs           what features cost to compute
    table           the features of queries, as blocks
    extraction      ranking data, in memory or in a file
    word_features   a feature per word instead, sparse, by query
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ranksieve.lazy import lazy_names

if TYPE_CHECKING:
    from ranksieve.extract.collection import Collection as Collection
    from ranksieve.extract.collection import read_collection as read_collection
    from ranksieve.extract.extraction import Extraction as Extraction
    from ranksieve.extract.extraction import extract_features as extract_features
    from ranksieve.extract.extraction import write_features as write_features
    from ranksieve.extract.word_features import QueryWords as QueryWords
    from ranksieve.extract.word_features import extract_words as extract_words
    from ranksieve.extract.word_features import write_words as write_words

__all__ = [
    "Collection",
    "Extraction",
    "QueryWords",
    "extract_features",
    "extract_words",
    "read_collection",
    "write_features",
    "write_words",
]

__getattr__ = lazy_names(__name__)
