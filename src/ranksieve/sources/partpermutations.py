"""Every way to train, choose and test on the parts of one data set."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import ClassVar

from ranksieve.data import RankingData
from ranksieve.data.check import check_count, check_seed
from ranksieve.sources._files import FileSource
from ranksieve.sources._query_parts import QueryParts
from ranksieve.sources.base import StudyFold, data_path
from ranksieve.sources.letorfolds import data_path_name


@dataclass(frozen=True, repr=False)
class PartPermutations(FileSource):
    """One data set in parts by query, with a fold for every choice of their roles.

    With three parts a fold trains on one, chooses on another and is tested on the third: 3! = 6
    folds. With n parts every ordered pair of them is validation and test, and the others
    train: n (n - 1) folds.

    Parameters
    ----------
    path : str
        A LETOR text, CSV or Parquet file, a folder of Parquet files, or a folder of folds, whose
        first fold's three parts are joined: by LETOR's rotation they are all queries. Also a
        name in the folder that the variable RANKSIEVE_DATA names.
    n_parts : int
        Parts that queries are dealt into at random, at least 3; they differ by at most one query.
    random_state : int
    missing, grade, query, document, features, exclude, ... : how files are read, as in `load`

    Notes
    -----
    Every query is tested in n - 1 folds, by models that were trained on other queries. These
    values are not independent, so each fold names the part that it tests (`test_part`): means
    are over all folds, while tests and intervals take a query once, with its mean over the folds.

    This is the protocol of section 3.1 of Geng, Liu, Qin and Li, Feature selection for ranking
    (2007): three parts, six trials. How the paper dealt queries into parts is not said; here it
    is at random. Data is read once for all folds, when a part is first asked for.

    Examples
    --------
    >>> PartPermutations("OHSUMED").name
    'OHSUMED, 6 trials of 3 parts'
    """

    data_parameters: ClassVar[tuple[str, ...]] = ("path",)

    path: str = ""
    n_parts: int = 3
    random_state: int = 0

    @property
    def name(self) -> str:
        """The file's or folder's own name, and what was made of it."""
        n_trials = self.n_parts * (self.n_parts - 1)
        return f"{data_path_name(self.path)}, {n_trials} trials of {self.n_parts} parts"

    def folds(self) -> list[StudyFold]:
        """Return Trial1, Trial2, ...; nothing is read yet."""
        check_count("n_parts", self.n_parts, 3)
        check_seed(self.random_state)
        parts = QueryParts(
            data_path(self.path), self.n_parts, self.random_state, reading=self.reading
        )
        roles = permutations(range(self.n_parts), 2)
        return [_Trial(f"Trial{i}", parts, *pair) for i, pair in enumerate(roles, start=1)]


@dataclass(frozen=True, eq=False)
class _Trial:
    """One choice of the parts that validate and test; all others train."""

    name: str
    parts: QueryParts = field(repr=False)
    validating: int = field(repr=False)
    testing: int = field(repr=False)

    @property
    def test_part(self) -> str:
        """What the part is called that is tested here, and in other folds too."""
        return f"Part{self.testing + 1}"

    @cached_property
    def train(self) -> RankingData:
        held_out = {self.validating, self.testing}
        return self.parts.of([part for part in range(self.parts.n_parts) if part not in held_out])

    @cached_property
    def vali(self) -> RankingData:
        return self.parts.of([self.validating])

    @cached_property
    def test(self) -> RankingData:
        return self.parts.of([self.testing])
