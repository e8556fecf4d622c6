"""How many queries a search needs: on large data a sample tells sets of features apart as well."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.sieve.costs import Costs
from ranksieve.sieve.decide.claim import queries_needed
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.search.elimination import Judge, eliminate
from ranksieve.sieve.search.folds import Folds

Mask = NDArray[np.bool_]

# Up to this many queries all are searched. Above, a pilot tries how much sets differ by query.
_FEW_QUERIES = 2_000
N_PILOT = 400
# The least sample. The largest is as many as are all searched: the ladder only has to order
# features, and its last rungs are judged on everything.
_LEAST = 1_000
# The pilot compares all features with this share of them.
_PILOT_SHARE = 0.2


def needs_sample(counting: Mask) -> bool:
    """Tell whether enough queries count for a sample of them to be searched."""
    return int(counting.sum()) > _FEW_QUERIES


def sampled(counting: Mask, n_queries: int, random_state: int) -> Mask:
    """Return some of the queries that count, drawn at random; all where there are no more.

    Examples
    --------
    >>> int(sampled(np.array([True, True, False, True]), 2, 0).sum())
    2
    """
    positions = np.flatnonzero(counting)
    drawn = np.random.default_rng([random_state, 1]).permutation(positions)[:n_queries]
    chosen = np.zeros(len(counting), dtype=bool)
    chosen[drawn] = True
    return chosen


def sample_size(
    judge: Judge,
    folds: Folds,
    start: Mask,
    costs: Costs,
    *,
    margin: Margin,
    level: float,
) -> int:
    """Return how many queries the margin needs, from a pilot on some of them.

    The pilot trains on all features and on a fifth of them; how much the two differ from query to
    query says how many queries prove the margin (`decide.claim.queries_needed`). At least 1,000
    are searched, and 2,000 at most.

    Parameters
    ----------
    judge : trains and measures on the queries of the pilot, all of which count
    folds : of the queries of the pilot
    start, costs : as in `eliminate`
    margin, level : what is to be proven
    """
    everything = np.ones(folds.n_queries, dtype=bool)
    total = costs.price(start)
    targets = [total, _PILOT_SHARE * total]
    rungs = eliminate(judge, folds, everything, start, costs, targets).rungs
    reference = rungs[0].values
    deviation = float((rungs[-1].values - reference).std(ddof=1))
    needed = queries_needed(deviation, margin.amount(float(reference.mean())), level=level)
    return min(max(needed, _LEAST), _FEW_QUERIES)
