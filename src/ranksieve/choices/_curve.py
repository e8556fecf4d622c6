"""How each number of features does on validation queries, and which one is taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.rankers import picked, standard_errors

# Every number up to the first; each one beyond is this much larger than the one before.
_ALL_UP_TO, _GROWTH = 12, 1.25


@dataclass(frozen=True, eq=False)
class ValidationCurve:
    """How each number of features did on the validation queries.

    Attributes
    ----------
    numbers : (numbers,) array of int, the numbers of features that were tried, rising
    means : (numbers,) array, the mean of the measure over queries
    standard_errors : (numbers,) array, of these means; NaN with one query
    differences : (numbers,) array, mean difference to the best number, at most 0
    difference_errors : (numbers,) array, standard errors of these differences, by query
    chosen : int, the number taken
    best : int, the number with the best mean
    measure : str
    rule : str
    n_queries : int, validation queries that count
    """

    numbers: NDArray[np.int64]
    means: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    differences: NDArray[np.float64]
    difference_errors: NDArray[np.float64]
    chosen: int
    best: int
    measure: str
    rule: str
    n_queries: int


def grid(largest: int) -> NDArray[np.int64]:
    """Return the numbers of features to try: every one up to 12, then by a quarter more.

    Examples
    --------
    >>> grid(30).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 19, 24, 30]
    """
    numbers = list(range(1, max(1, min(_ALL_UP_TO, largest)) + 1))
    while numbers[-1] < largest:
        numbers.append(min(largest, int(np.ceil(_GROWTH * numbers[-1]))))
    return np.array(numbers, dtype=np.int64)


def curve(
    numbers: NDArray[np.int64], values: NDArray[np.float64], measure: str, rule: str
) -> ValidationCurve:
    """Return how each number did, from values of numbers by queries, and the rule's choice."""
    best, chosen = picked(values, rule)
    differences = values - values[best]
    return ValidationCurve(
        numbers=numbers,
        means=values.mean(axis=1),
        standard_errors=standard_errors(values),
        differences=differences.mean(axis=1),
        difference_errors=standard_errors(differences),
        chosen=int(numbers[chosen]),
        best=int(numbers[best]),
        measure=measure,
        rule=rule,
        n_queries=values.shape[1],
    )
