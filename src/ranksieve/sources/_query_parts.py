"""The queries of one data set, dealt into parts at random."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData, letor_folds, load
from ranksieve.data.folds import fold_folders
from ranksieve.data.queries import check_distinct_queries, one_type
from ranksieve.errors import DataError, ParameterError


@dataclass(frozen=True, eq=False)
class QueryParts:
    """The data at a path, read when it is first asked for, and the queries of each part.

    Attributes
    ----------
    path : a file, a folder of Parquet files, or a folder of folds, whose first fold's three
        parts are joined
    n_parts : int; parts differ by at most one query
    random_state : int
    first_queries : keep those with the smallest ids, or None for all
    reading : options of `load`
    parameter : what messages call `n_parts`
    """

    path: Path
    n_parts: int
    random_state: int
    first_queries: int | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    parameter: str = "n_parts"

    @cached_property
    def data(self) -> RankingData:
        """All queries."""
        everything = _read(self.path, self.reading)
        n_first = self.first_queries
        if n_first is None:
            return everything
        if n_first > everything.n_queries:
            raise ParameterError(
                f"first_queries must be at most the number of queries, but {self.path} has "
                f"{everything.n_queries} and {n_first} are asked for"
            )
        return everything.queries(np.sort(_by_id(everything.query_ids)[:n_first])).gathered()

    @cached_property
    def positions(self) -> list[NDArray[np.int64]]:
        """Positions of the queries of each part."""
        n_queries = self.data.n_queries
        if self.n_parts > n_queries:
            raise ParameterError(
                f"{self.parameter} must be at most the number of queries, {n_queries}, but is "
                f"{self.n_parts}"
            )
        order = np.random.default_rng(self.random_state).permutation(n_queries)
        return list(np.array_split(order, self.n_parts))

    def of(self, numbers: list[int]) -> RankingData:
        """Return the queries of some parts, counted round, in the order of the data."""
        queries = np.concatenate([self.positions[number % self.n_parts] for number in numbers])
        return self.data.queries(np.sort(queries)).gathered()


def _by_id(ids: NDArray[Any]) -> NDArray[np.int64]:
    """Return positions of queries in the order of their ids where these are whole numbers."""
    if ids.dtype.kind not in "iu":
        return np.arange(len(ids))
    order: NDArray[np.int64] = np.argsort(ids, kind="stable")
    return order


def _read(path: Path, reading: dict[str, Any]) -> RankingData:
    if not (path.is_dir() and fold_folders(path)):
        return load(path, **reading)
    first = letor_folds(path, **reading)[0]
    parts = [part for part in (first.train, first.vali, first.test) if part is not None]
    names = {part.feature_names for part in parts}
    if len(names) > 1:
        raise DataError(
            f"the parts of {path / first.name} must have the same features to be joined, but have "
            f"{', '.join(str(part.n_features) for part in parts)}"
        )
    ids = np.concatenate(one_type([part.query_ids for part in parts]))
    check_distinct_queries(ids, np.arange(len(ids)))
    tasks = [part.tasks for part in parts if part.tasks is not None]
    return RankingData(
        [block for part in parts for block in part.blocks()],
        names.pop(),
        tasks=np.concatenate(one_type(tasks)) if len(tasks) == len(parts) else None,
    )
