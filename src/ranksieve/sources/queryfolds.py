"""Folds by query of one file, or of all parts of a folder of folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve import catalog
from ranksieve.data import RankingData, letor_folds, load
from ranksieve.data.check import check_count, check_seed
from ranksieve.data.folds import fold_folders
from ranksieve.data.queries import check_distinct_queries, one_type
from ranksieve.errors import DataError, ParameterError
from ranksieve.sources.base import Source, StudyFold, data_path
from ranksieve.sources.letorfolds import columns, data_path_name


@dataclass(frozen=True, repr=False)
class QueryFolds(Source):
    """One data set cut into folds by query: every query is in exactly one test part.

    With validation the parts rotate as LETOR's do: of n parts, fold i trains on i, ..., i + n - 3
    (counted round), chooses on the next and is tested on the one after. Without, fold i is tested
    on part i, trains on all others, and its `vali` is None.

    Parameters
    ----------
    path : str
        A LETOR text or Parquet file, a folder of Parquet files, or a folder of folds, whose first
        fold's three parts are joined: by LETOR's rotation they are all queries. Also a name in
        the folder that the variable RANKSIEVE_DATA names.
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
    grade, query, document : str or None, the columns of Parquet files

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

    path: str = ""
    n_folds: int = 5
    first_queries: int | None = None
    validation: bool = True
    relabel: str | None = None
    random_state: int = 0
    grade: str | None = None
    query: str | None = None
    document: str | None = None

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
        cut = _Cut(self, data_path(self.path))
        folds: list[StudyFold] = [
            _QueryFold(f"Fold{number + 1}", cut, number) for number in range(self.n_folds)
        ]
        if self.relabel is None:
            return folds
        from ranksieve.sources._relabelled import Relabelled

        ranker = catalog.parse(self.relabel, "rankers")
        return [Relabelled(fold, ranker) for fold in folds]


@dataclass(frozen=True, eq=False)
class _Cut:
    """The data of a source, and the queries of each part."""

    source: QueryFolds
    place: Path

    @cached_property
    def data(self) -> RankingData:
        whole = _read(self.place, columns(self.source))
        wanted = self.source.first_queries
        if wanted is None:
            return whole
        if wanted > whole.n_queries:
            raise ParameterError(
                f"first_queries must be at most the number of queries, but {self.place} has "
                f"{whole.n_queries} and {wanted} are asked for"
            )
        return whole.queries(np.sort(_by_id(whole.query_ids)[:wanted])).gathered()

    @cached_property
    def parts(self) -> list[NDArray[np.int64]]:
        """Positions of the queries of each part."""
        n_queries, n_folds = self.data.n_queries, self.source.n_folds
        if n_folds > n_queries:
            raise ParameterError(
                f"n_folds must be at most the number of queries, {n_queries}, but is {n_folds}"
            )
        order = np.random.default_rng(self.source.random_state).permutation(n_queries)
        return list(np.array_split(order, n_folds))

    def of(self, numbers: list[int]) -> RankingData:
        queries = np.concatenate([self.parts[number % len(self.parts)] for number in numbers])
        return self.data.queries(np.sort(queries)).gathered()


@dataclass(frozen=True, eq=False)
class _QueryFold:
    """One fold of a cut."""

    name: str
    cut: _Cut = field(repr=False)
    number: int = field(repr=False)

    @cached_property
    def train(self) -> RankingData:
        first = self.number if self._rotates else self.number + 1
        last = self.number + self._n_folds - (2 if self._rotates else 0)
        return self.cut.of(list(range(first, last)))

    @cached_property
    def vali(self) -> RankingData | None:
        return self.cut.of([self.number + self._n_folds - 2]) if self._rotates else None

    @cached_property
    def test(self) -> RankingData:
        return self.cut.of([self.number + (self._n_folds - 1 if self._rotates else 0)])

    @property
    def _rotates(self) -> bool:
        return self.cut.source.validation

    @property
    def _n_folds(self) -> int:
        return self.cut.source.n_folds


def _by_id(ids: NDArray[Any]) -> NDArray[np.int64]:
    """Return positions of queries in the order of their ids where these are whole numbers."""
    if ids.dtype.kind not in "iu":
        return np.arange(len(ids))
    order: NDArray[np.int64] = np.argsort(ids, kind="stable")
    return order


def _read(place: Path, named: dict[str, Any]) -> RankingData:
    if not (place.is_dir() and fold_folders(place)):
        return load(place, **named)
    first = letor_folds(place, **named)[0]
    parts = [first.train, first.vali, first.test]
    names = {part.feature_names for part in parts}
    if len(names) > 1:
        raise DataError(
            f"the parts of {place / first.name} must have the same features to be joined, but have "
            f"{', '.join(str(part.n_features) for part in parts)}"
        )
    ids = np.concatenate(one_type([part.query_ids for part in parts]))
    check_distinct_queries(ids, np.arange(len(ids)))
    return RankingData([block for part in parts for block in part.blocks()], names.pop())
