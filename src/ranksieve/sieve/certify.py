"""Certification: frozen models on queries that nothing has seen, tested by betting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.measures import Measure, counting_queries
from ranksieve.sieve.decide.betting import bet_above
from ranksieve.sieve.decide.claim import difference
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.result import CertifiedSet

# Sets that are tested at most.
_MOST_TESTED = 4


@dataclass(frozen=True, eq=False)
class Frozen:
    """A set of the ladder with its model, trained before any certifying query is opened.

    Attributes
    ----------
    position : int, in the ladder
    n_features : int
    model : a fitted ranker
    deviation : float, of the excess over the margin between queries, as the search saw it
    """

    position: int
    n_features: int
    model: Any
    deviation: float


def certify(
    frozen: Sequence[Frozen],
    reference: Any,
    queries: RankingData,
    measure: Measure,
    *,
    margin: Margin,
    level: float,
    random_state: int,
) -> tuple[CertifiedSet, ...]:
    """Return what queries prove that took no part in the search or in training.

    Sets are tested in the order in which they are given, each at the full level, and the first
    failure ends it: the chance of certifying a set that loses more is at most the level.

    Parameters
    ----------
    frozen : the sets, in the order of the tests
    reference : the ranker, fitted on all features
    queries : data with all features
    measure, margin, level
    random_state : int, fixes the order in which queries are bet on
    """
    counting = check_certifying(queries, measure)
    beside = measured(reference, queries, measure)[counting]
    order = np.random.default_rng(random_state).permutation(len(beside))
    low, high = _bounds(margin)
    tests: list[CertifiedSet] = []
    for each in frozen:
        values = measured(each.model, queries, measure)[counting]
        bet = bet_above(
            margin.excess(values, beside)[order],
            low=low,
            high=high,
            variance=each.deviation**2,
            level=level,
        )
        change = difference(values, beside, level=level)
        tests.append(CertifiedSet(each.position, each.n_features, change, bet.proven, bet.wealth))
        if not bet.proven:
            break
    return tuple(tests)


def test_order(positions: Sequence[int], choice: int) -> tuple[int, ...]:
    """Return the positions of the sets to test, in their order: larger ones first, the choice last.

    Four at most, evenly spaced: each is a training. A larger set passes more easily, so that
    something is certified more often than if the choice were tested alone, and the choice as
    often (docs/sieve-honesty.md).

    Examples
    --------
    >>> test_order(range(9), 7), test_order(range(9), 2), test_order(range(9), 0)
    ((1, 3, 5, 7), (1, 2), (0,))
    """
    larger = [position for position in positions if 0 < position <= choice] or [choice]
    spaced = np.linspace(0, len(larger) - 1, min(len(larger), _MOST_TESTED))
    return tuple(larger[round(at)] for at in spaced)


def check_certifying(queries: RankingData, measure: Measure) -> NDArray[np.bool_]:
    """Return which queries count; DataError where none does."""
    measure.check_grades(queries.y)
    counting = counting_queries(queries, measure)
    if not counting.any():
        raise DataError(
            f"none of the {queries.n_queries} queries that certify has documents whose order "
            f"changes {measure}: give queries with relevant and other documents"
        )
    return counting


def check_unseen(training: RankingData, queries: RankingData, counting: NDArray[np.bool_]) -> None:
    """Raise DataError if queries that certify are among those that train."""
    seen = np.isin(queries.query_fingerprints, training.query_fingerprints) & counting
    if seen.any():
        first = queries.query_ids[np.flatnonzero(seen)[0]]
        raise DataError(
            f"{int(seen.sum()):,} of the {int(counting.sum()):,} queries that certify are also "
            f"training queries, with the same documents and grades, such as {first}. They cannot "
            "prove anything: give queries that nothing has seen."
        )


def measured(model: Any, data: RankingData, measure: Measure) -> NDArray[np.float64]:
    """Return the measure of each query by a model's scores."""
    names = getattr(model, "feature_names_", None)
    # Not left to the model: if its features are x0, x1, ..., they could be those of a matrix, and
    # it would refuse data with more of them.
    part = data if names is None else data.features(list(names))
    return measure.values(data.y, model.predict(part), data.query_ptr)


def _bounds(margin: Margin) -> tuple[float, float]:
    """Return between which numbers the excess of a query lies, for measures from 0 to 1."""
    if margin.relative:
        return -(1 - margin.size), 1.0
    return margin.size - 1, 1 + margin.size
