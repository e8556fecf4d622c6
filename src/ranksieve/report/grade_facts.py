"""Which grades there are, and what they leave to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.kernels.pairs.sums import grade_levels
from ranksieve.passes import SumPass, run
from ranksieve.report.query_facts import QUARTILES

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
