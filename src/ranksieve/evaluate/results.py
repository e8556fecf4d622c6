"""What a test of two methods says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class TestResult:
    """A test of two methods on the same queries.

    Attributes
    ----------
    statistic : float, the test's own
    p_value : float
        Chance, if there were no difference, of one at least as far in the direction of the
        alternative as what was found.
    mean_difference : float, mean of a - b over queries
    n : int, queries that count
    """

    # By its name, pytest would take the class for a test.
    __test__: ClassVar[bool] = False

    statistic: float
    p_value: float
    mean_difference: float
    n: int


@dataclass(frozen=True)
class RandomisationResult(TestResult):
    """A randomisation test.

    Attributes
    ----------
    exact : bool, all arrangements of signs were counted; otherwise random ones
    n_arrangements : int, how many were counted
    """

    exact: bool
    n_arrangements: int
