"""The test that a report compares methods with: which one, and on which side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ranksieve.catalog import check_choice
from ranksieve.evaluate import paired_t, randomisation_test, wilcoxon_test
from ranksieve.evaluate.results import TestResult

_NAMES = {
    "t": "paired t-test",
    "randomisation": "Fisher's randomisation test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
_SIDES = {
    "two-sided": "two-sided",
    "greater": "one-sided, asking whether the method is above its reference",
    "less": "one-sided, asking whether the method is below its reference",
}
TESTS = tuple(_NAMES)
ALTERNATIVES = tuple(_SIDES)
_FUNCTIONS: dict[str, Callable[..., TestResult]] = {
    "t": paired_t,
    "randomisation": randomisation_test,
    "wilcoxon": wilcoxon_test,
}


@dataclass(frozen=True)
class QueryTest:
    """A test of a method against its reference, over queries.

    Attributes
    ----------
    name : {"t", "randomisation", "wilcoxon"}
    alternative : {"two-sided", "greater", "less"}
        "greater": is the method above its reference? A method below it is then never marked,
        however far below it is.

    Examples
    --------
    >>> QueryTest("t", "greater").words
    'paired t-test, one-sided, asking whether the method is above its reference'
    >>> QueryTest("t", "greater").column("p"), QueryTest().column("p")
    ('p, greater', 'p')
    """

    name: str = "t"
    alternative: str = "two-sided"

    def check(self) -> None:
        """Raise unless both names are known."""
        check_choice("test", self.name, TESTS)
        check_choice("alternative", self.alternative, ALTERNATIVES)

    def __call__(self, ours: ArrayLike, theirs: ArrayLike) -> TestResult:
        """Return the test of two methods' values on the same queries."""
        return _FUNCTIONS[self.name](ours, theirs, alternative=self.alternative)

    @property
    def words(self) -> str:
        """What a note below a table says of the test."""
        return f"{_NAMES[self.name]}, {_SIDES[self.alternative]}"

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What the test can find."""
        one_sided = {"greater": ("better",), "less": ("worse",)}
        return one_sided.get(self.alternative, ("better", "worse"))

    def column(self, name: str) -> str:
        """Return the name of a column of p-values, which says the side if there is only one."""
        return name if self.alternative == "two-sided" else f"{name}, {self.alternative}"

    def verdict(self, difference: float) -> str:
        """Return "better" or "worse" for a significant difference; "" on the side not asked for.

        A test of ranks may lean to one side while the mean leans to the other.
        """
        side = "better" if difference > 0 else "worse"
        return side if side in self.verdicts else ""


def significant_words(test: QueryTest, counts: Mapping[str, int]) -> str:
    """Return how many comparisons came out significantly better, worse, or both.

    Examples
    --------
    >>> significant_words(QueryTest(), {"better": 2, "worse": 1})
    '2 came out significantly better and 1 significantly worse'
    >>> significant_words(QueryTest("t", "less"), {"worse": 1})
    '1 came out significantly worse'
    """
    first, *remaining = (f"significantly {verdict}" for verdict in test.verdicts)
    numbers = [counts.get(verdict, 0) for verdict in test.verdicts]
    more = "".join(f" and {n} {words}" for n, words in zip(numbers[1:], remaining, strict=True))
    return f"{numbers[0]} came out {first}{more}"
