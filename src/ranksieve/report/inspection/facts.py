"""Facts of data: how many documents queries have, which grades, and what features hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.kernels.columns.profiles import profile_columns
from ranksieve.kernels.columns.scans import mark_varying
from ranksieve.kernels.pairs.sums import grade_levels
from ranksieve.passes import SumPass, run

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class QueryFacts:
    """Documents per query: least, quartiles, most and mean, and queries with one document alone."""

    least: int
    lower_quartile: float
    median: float
    upper_quartile: float
    most: int
    mean: float
    n_single: int

    @classmethod
    def of(cls, data: RankingData) -> Self:
        """Return the facts of data.

        Examples
        --------
        >>> from ranksieve import load
        >>> QueryFacts.of(load(([[0.0]] * 4, [0, 1, 0, 1], [1, 1, 1, 2]))).median
        2.0
        """
        sizes = np.diff(data.query_ptr)
        least, lower, median, upper, most = np.quantile(sizes, QUARTILES).tolist()
        return cls(
            int(least),
            lower,
            median,
            upper,
            int(most),
            float(sizes.mean()),
            int((sizes == 1).sum()),
        )


# As in LETOR's evaluation tool and in the measures: a grade of 1 or more is relevant.
RELEVANT = 1.0


@dataclass(frozen=True)
class GradeFacts:
    """The grades of documents, and how many queries and pairs tell documents apart.

    Attributes
    ----------
    levels : tuple of float, rising; empty where a grade is fractional
    counts : tuple of int, documents of each level
    n_different : int, how many different grades there are
    least, lower_quartile, median, upper_quartile, most, mean : of the documents' grades
    n_without_relevant : int, queries in which no grade is 1 or more
    n_one_grade : int, queries in which all documents have the same grade
    n_pairs : int, pairs of documents of a query with different grades
    n_all_pairs : int, pairs of documents of a query
    """

    levels: tuple[float, ...]
    counts: tuple[int, ...]
    n_different: int
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    most: float
    mean: float
    n_without_relevant: int
    n_one_grade: int
    n_pairs: int
    n_all_pairs: int

    @classmethod
    def of(cls, data: RankingData) -> Self:
        """Return the facts of data, in O(n log n).

        Examples
        --------
        >>> from ranksieve import load
        >>> facts = GradeFacts.of(load(([[0.0]] * 5, [0, 2, 0, 0, 0], [1, 1, 1, 2, 2])))
        >>> facts.levels, facts.counts, facts.n_without_relevant, facts.n_pairs
        ((0.0, 2.0), (4, 1), 1, 2)
        """
        values, counts = np.unique(data.y, return_counts=True)
        are_levels = bool((values == np.rint(values)).all())
        starts, sizes = data.query_ptr[:-1], np.diff(data.query_ptr)
        quartiles = [float(value) for value in np.quantile(data.y, QUARTILES)]
        best, worst = np.maximum.reduceat(data.y, starts), np.minimum.reduceat(data.y, starts)
        return cls(
            levels=tuple(values.tolist()) if are_levels else (),
            counts=tuple(counts.tolist()) if are_levels else (),
            n_different=len(values),
            least=quartiles[0],
            lower_quartile=quartiles[1],
            median=quartiles[2],
            upper_quartile=quartiles[3],
            most=quartiles[4],
            mean=float(data.y.mean()),
            n_without_relevant=int((best < RELEVANT).sum()),
            n_one_grade=int((best == worst).sum()),
            n_pairs=run(_PairsPass(), data, label="grades"),
            n_all_pairs=int((sizes * (sizes - 1) // 2).sum()),
        )


@dataclass(frozen=True)
class _PairsPass(SumPass):
    def partial(self, piece: Block) -> int:
        y: NDArray[np.float64] = np.ascontiguousarray(piece.y[piece.rows])
        levels = np.empty(len(y), dtype=np.int32)
        return int(grade_levels(y, piece.query_ptr - piece.query_ptr[0], levels))


@dataclass(frozen=True, eq=False)
class FeatureFacts:
    """Range, zeros, missing values, constancy and copies: one entry per feature.

    Attributes
    ----------
    least, most : (p,) arrays of float, the range of values
    n_zeros : (p,) array of int
    n_missing : (p,) array of int, as found in the source; None where that is not known
    constant : (p,) array of bool, one value in all documents
    constant_in_queries : (p,) array of bool
        One value in all documents of each query, so that it orders none: a constant, or a
        property of the query.
    duplicate_of : (p,) array of int
        The first feature with exactly the same values in all documents, or -1. Constants are
        not compared.
    """

    least: NDArray[np.float64]
    most: NDArray[np.float64]
    n_zeros: NDArray[np.int64]
    n_missing: NDArray[np.int64] | None
    constant: NDArray[np.bool_]
    constant_in_queries: NDArray[np.bool_]
    duplicate_of: NDArray[np.int64]

    @classmethod
    def of(cls, data: RankingData, *, n_missing: NDArray[np.int64] | None = None) -> Self:
        """Return the facts of data: one pass, and a second one over columns with equal hashes.

        Examples
        --------
        >>> from ranksieve import load
        >>> X = [[1.0, 5.0, 1.0, 3.0], [2.0, 5.0, 2.0, 3.0], [0.0, 5.0, 0.0, 4.0]]
        >>> facts = FeatureFacts.of(load((X, [0, 1, 0], [1, 1, 2])))
        >>> facts.constant, facts.constant_in_queries, facts.duplicate_of
        (array([False,  True, False, False]),
         array([False,  True, False,  True]),
         array([-1, -1,  0, -1]))
        """
        profile = run(_ProfilePass(), data, label="features")
        least, most = profile.ranges
        constant = least == most
        return cls(
            least,
            most,
            profile.n_zeros,
            n_missing,
            constant,
            ~profile.varies,
            _duplicates(data, profile.hashes, ~constant),
        )

    @property
    def orders(self) -> NDArray[np.bool_]:
        """Which features order the documents of at least one query."""
        return ~self.constant_in_queries


class _Profile(NamedTuple):
    ranges: NDArray[np.float64]
    n_zeros: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    varies: NDArray[np.bool_]


@dataclass(frozen=True)
class _ProfilePass:
    def partial(self, piece: Block) -> _Profile:
        p = piece.n_features
        profile = _Profile(
            np.empty((2, p)), np.empty(p, np.int64), np.empty(p, np.uint64), np.zeros(p, np.bool_)
        )
        profile_columns(piece.X, piece.query_ptr, piece.first_document, *profile[:3])
        mark_varying(piece.X, piece.query_ptr, profile.varies)
        return profile

    def combine(self, left: _Profile, right: _Profile) -> _Profile:
        lower = np.minimum(left.ranges[0], right.ranges[0])
        upper = np.maximum(left.ranges[1], right.ranges[1])
        return _Profile(
            np.stack([lower, upper]),
            left.n_zeros + right.n_zeros,
            left.hashes + right.hashes,
            left.varies | right.varies,
        )


def _duplicates(
    data: RankingData, hashes: NDArray[np.uint64], compared: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the first feature with the same values, or -1."""
    duplicate_of = np.full(data.n_features, -1, dtype=np.int64)
    firsts: dict[int, int] = {}
    pairs = []
    for feature in np.flatnonzero(compared).tolist():
        first = firsts.setdefault(int(hashes[feature]), feature)
        if first != feature:
            pairs.append((first, feature))
    if pairs:
        equal = run(_EqualPass(tuple(pairs)), data, label="copies")
        for (first, feature), same in zip(pairs, equal, strict=True):
            duplicate_of[feature] = first if same else -1
    return duplicate_of


@dataclass(frozen=True)
class _EqualPass:
    pairs: tuple[tuple[int, int], ...]

    def partial(self, piece: Block) -> NDArray[np.bool_]:
        X = piece.X[piece.rows]
        return np.array([np.array_equal(X[:, first], X[:, other]) for first, other in self.pairs])

    def combine(self, left: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return left & right
