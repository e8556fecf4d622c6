"""Expected reciprocal rank."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.check import check_levels
from ranksieve.errors import DataError, ParameterError
from ranksieve.kernels.measures.err import err_per_query
from ranksieve.measures._parameters import GRADE_LIMIT, check_count, check_cutoff
from ranksieve.measures.base import Kernel, Measure


@dataclass(frozen=True, repr=False)
class ERR(Measure):
    """Expected one over the position at which a reader who goes down the list is satisfied.

        ERR@k = Σ_{j ≤ k} (R_j / j) Π_{i < j} (1 - R_i),   R = (2^grade - 1) / 2^max_grade

    It is not normalised: even the ideal order stays below 1. A query is without relevant
    documents if all grades are 0.

    Parameters
    ----------
    k : int, optional
        Positions that count. None: all.
    max_grade : int, default=4
        Highest grade of the scale, whether it occurs or not. Grades above are an error.
    no_relevant, ties, convention
        As in `Measure`; both conventions are the same here.

    Notes
    -----
    Under ties="average", the chance to go past the first i documents of a tied group is the
    mean of Π (1 - R) over its subsets of i. Cost: O(n log n) per query of n documents, less for
    k up to 64, and O(m min(m, k)) for each group of m tied documents; O(n) memory.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, 2009.

    Examples
    --------
    R is 3/16 and 15/16: 3/16 + 13/16 · 15/16 / 2.

    >>> ERR()([2, 4], [2.0, 1.0], qid=[7, 7])
    0.568359375
    """

    k: int | None = None
    _: KW_ONLY
    max_grade: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cutoff(self.k)
        check_count("max_grade", self.max_grade)
        if self.max_grade > GRADE_LIMIT:
            raise ParameterError(
                f"max_grade must be at most {GRADE_LIMIT}, but is {self.max_grade}: "
                "2^max_grade would overflow"
            )

    def check_grades(self, y: NDArray[np.float64]) -> None:
        """Raise unless all grades are whole and at most `max_grade`."""
        check_levels(y, "ERR")
        above = np.flatnonzero(y > self.max_grade)
        if len(above):
            raise DataError(
                f"ERR has max_grade={self.max_grade}, but {len(above)} grades are above "
                f"(first: {y[above[0]]:g} at row {above[0]}). "
                f"Use ERR(max_grade={y.max():.0f}), or map the grades."
            )

    def _kernel(self, query_ptr: NDArray[np.int64]) -> tuple[Kernel, tuple[Any, ...]]:
        return err_per_query, (
            self._positions(),
            self._tie_code(),
            self._no_relevant_value(),
            int(self.max_grade),
        )
