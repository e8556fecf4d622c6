"""Two values per query, and what is left of them: differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.errors import DataError
from ranksieve.evaluate._checks import NEGLIGIBLE, counting_columns, numbers


@dataclass(frozen=True, eq=False)
class Pairs:
    """Differences of two methods, query by query.

    Attributes
    ----------
    differences : (queries that count,) array; exactly 0 where only rounding tells a from b
    negligible : float, the difference up to which values are equal
    """

    differences: NDArray[np.float64]
    negligible: float

    @property
    def n(self) -> int:
        """Number of queries that count."""
        return len(self.differences)

    @property
    def mean(self) -> float:
        """Mean difference."""
        return float(self.differences.mean())


def paired(a: ArrayLike, b: ArrayLike, *, statistic: str) -> Pairs:
    """Return the differences a - b over queries that count, 0 where they are negligible."""
    both = both_counting(a, b, statistic=statistic)
    negligible = NEGLIGIBLE * float(np.abs(both).max())
    differences = both[0] - both[1]
    differences[np.abs(differences) <= negligible] = 0.0
    return Pairs(differences, negligible)


def both_counting(a: ArrayLike, b: ArrayLike, *, statistic: str) -> NDArray[np.float64]:
    """Return a and b as two rows over the queries that count: those that are NaN in neither.

    A query that is NaN in both does not count; one that is NaN in one alone is an error.
    """
    rows = [numbers(name, values, axes=("queries",)) for name, values in (("a", a), ("b", b))]
    if len(rows[0]) != len(rows[1]):
        raise DataError(
            "a and b must have a value for each of the same queries, but a has "
            f"{len(rows[0])} and b has {len(rows[1])}"
        )
    return counting_columns(np.stack(rows), statistic)
