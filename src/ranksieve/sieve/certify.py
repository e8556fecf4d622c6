"""Certification: frozen models on queries that nothing has seen, tested by betting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.measures import Measure, counting_queries
from ranksieve.sieve.decide.betting import bet_above
from ranksieve.sieve.decide.claim import difference
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.result import Certificate


def certify(
    model: Any,
    reference: Any,
    queries: RankingData,
    measure: Measure,
    *,
    margin: Margin,
    level: float,
    deviation: float,
    random_state: int,
) -> Certificate:
    """Return what queries prove that took no part in the search or in training.

    Parameters
    ----------
    model, reference : rankers, fitted on the chosen set and on all features
    queries : data with all features
    measure, margin, level
    deviation : float, of the differences between queries, as the search saw them
    random_state : int, fixes the order in which queries are bet on
    """
    counting = counting_queries(queries, measure)
    if not counting.any():
        raise DataError(
            f"none of the {queries.n_queries} queries that certify has documents whose order "
            f"changes {measure}: give queries with relevant and other documents"
        )
    values = measured(model, queries, measure)[counting]
    beside = measured(reference, queries, measure)[counting]
    order = np.random.default_rng(random_state).permutation(len(values))
    low, high = _bounds(margin)
    bet = bet_above(
        margin.excess(values, beside)[order],
        low=low,
        high=high,
        variance=deviation**2,
        level=level,
    )
    change = difference(values, beside, level=level)
    return Certificate(change, bet.proven, bet.wealth, queries.fingerprint)


def measured(model: Any, data: RankingData, measure: Measure) -> NDArray[np.float64]:
    """Return the measure of each query by a model's scores."""
    return measure.values(data.y, model.predict(data), data.query_ptr)


def _bounds(margin: Margin) -> tuple[float, float]:
    """Return between which numbers the excess of a query lies, for measures from 0 to 1."""
    if margin.relative:
        return -(1 - margin.size), 1.0
    return margin.size - 1, 1 + margin.size
