"""Folds by query of one file, or of all parts of a folder of folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.data.check import check_count, check_seed
from ranksieve.sources._files import FileSource
from ranksieve.sources._query_parts import QueryParts
from ranksieve.sources.base import StudyFold, data_path
from ranksieve.sources.letorfolds import data_path_name


@dataclass(frozen=True, repr=False)
class QueryFolds(FileSource):
    """One data set cut into folds by query: every query is in exactly one test part.

    With validation the parts rotate as LETOR's do: of n parts, fold i trains on i, ..., i + n - 3
    (counted round), chooses on the next and is tested on the one after. Without, fold i is tested
    on part i, trains on all others, and its `vali` is None.

    Parameters
    ----------
    path : str
        A LETOR text, CSV or Parquet file, a folder of Parquet files, or a folder of folds, whose
        first fold's three parts are joined: by LETOR's rotation they are all queries. Also a
        name in the folder that the variable RANKSIEVE_DATA names.
    n_folds : int
        Parts that queries are dealt into at random: at least 2, or 3 with validation. Parts
        differ by at most one query.
    first_queries : int or None
        Keep the queries with the smallest ids, by number where all ids are whole numbers, else
        those that stand first.
    validation : bool
    relabel : str or None
        A ranker, such as "RankSVM(C=0.01)". In each fold it is trained on the train part, and its
        scores, shifted so that the least of each query is 0, take the place of the grades in all
        parts: real numbers, which stand for a complete order of each query's documents.
    random_state : int
    missing, grade, query, document, features, exclude, ... : how files are read, as in `load`

    Notes
    -----
    Data is read once for all folds, when a part is first asked for. `relabel` is the experiment
    of section 5.3.1 of Yu, Oh and Han, Efficient feature weighting methods for ranking (2009).
    They do not say how their queries were dealt out; here it is at random.

    Examples
    --------
    >>> QueryFolds("OHSUMED", n_folds=3, first_queries=45, validation=False).name
    'OHSUMED, first 45 queries, 3 folds'
    """

    data_parameters: ClassVar[tuple[str, ...]] = ("path",)

    path: str = ""
    n_folds: int = 5
    first_queries: int | None = None
    validation: bool = True
    relabel: str | None = None
    random_state: int = 0

    @property
    def name(self) -> str:
        """The file's or folder's own name, and what was made of it."""
        first = f", first {self.first_queries} queries" if self.first_queries else ""
        order = f", ordered by {self.relabel}" if self.relabel else ""
        return f"{data_path_name(self.path)}{first}, {self.n_folds} folds{order}"

    def folds(self) -> list[StudyFold]:
        """Return Fold1, Fold2, ...; nothing is read yet."""
        check_seed(self.random_state)
        check_count("n_folds", self.n_folds, 3 if self.validation else 2)
        if self.first_queries is not None:
            check_count("first_queries", self.first_queries, self.n_folds)
        cut = QueryParts(
            data_path(self.path),
            self.n_folds,
            self.random_state,
            self.first_queries,
            self.reading,
            parameter="n_folds",
        )
        folds: list[StudyFold] = [
            _QueryFold(f"Fold{number + 1}", cut, number, self.validation)
            for number in range(self.n_folds)
        ]
        if self.relabel is None:
            return folds
        from ranksieve.sources._relabelled import Relabelled

        ranker = catalog.parse(self.relabel, "rankers")
        return [Relabelled(fold, ranker) for fold in folds]


@dataclass(frozen=True, eq=False)
class _QueryFold:
    """One fold of a cut."""

    name: str
    cut: QueryParts = field(repr=False)
    number: int = field(repr=False)
    rotates: bool = field(repr=False)

    @cached_property
    def train(self) -> RankingData:
        first = self.number if self.rotates else self.number + 1
        last = self.number + self.cut.n_parts - (2 if self.rotates else 0)
        return self.cut.of(list(range(first, last)))

    @cached_property
    def vali(self) -> RankingData | None:
        return self.cut.of([self.number + self.cut.n_parts - 2]) if self.rotates else None

    @cached_property
    def test(self) -> RankingData:
        return self.cut.of([self.number + (self.cut.n_parts - 1 if self.rotates else 0)])
