"""What each feature is worth to a model: how much worse queries are ranked when it is permuted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.data.block import Block
from ranksieve.measures import Measure
from ranksieve.passes.variation import varying_features

# One shuffle where there are many features, more where few of them decide.
_N_SHUFFLES = ((20, 1), (8, 2), (0, 3))


def n_shuffles(n_features: int) -> int:
    """Return how often each of some features is permuted.

    Examples
    --------
    >>> n_shuffles(46), n_shuffles(10), n_shuffles(3)
    (1, 2, 3)
    """
    return next(times for above, times in _N_SHUFFLES if n_features > above)


def permutation_losses(
    ranker: Any,
    data: RankingData,
    measure: Measure,
    *,
    seed: Any,
    times: int = 1,
    used: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return how much of a measure each query loses when a feature is permuted: queries × features.

    The values of a feature change places among the documents of each query. A feature that is
    constant inside every query would not change: its values change places among the queries.
    All features are permuted by the same shuffles, so that they are compared on the same
    accidents. Only those in `used` are, where it is given: others lose nothing.

    Parameters
    ----------
    ranker : a fitted ranker with predict(RankingData)
    data : documents that the ranker was not fitted on
    measure : what is lost
    seed : what numpy.random.default_rng takes
    times : shuffles to average over
    used : (n_features,) mask

    Notes
    -----
    Cost: `times` predictions of the data for each feature used.
    """
    X, y, query_ptr = np.array(data.X, order="F"), data.y, data.query_ptr
    block = Block(X, y, query_ptr, data.query_ids)
    view = RankingData([block], data.feature_names, data.scaling)
    base = measure.values(y, ranker.predict(view), query_ptr)
    losses = np.zeros((data.n_queries, data.n_features))
    varies = varying_features(data)
    columns = np.arange(data.n_features) if used is None else np.flatnonzero(used)
    rng = np.random.default_rng(seed)
    for _ in range(times):
        within, across = _shuffles(query_ptr, rng)
        for column in columns:
            original = X[:, column].copy()
            X[:, column] = original[within if varies[column] else across]
            losses[:, column] += base - measure.values(y, ranker.predict(view), query_ptr)
            X[:, column] = original
    return losses / times


def _shuffles(
    query_ptr: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a shuffle of rows inside queries, and one that gives queries the row of another."""
    sizes = np.diff(query_ptr)
    queries = np.repeat(np.arange(len(sizes)), sizes)
    within = np.lexsort((rng.random(len(queries)), queries))
    others = rng.permutation(len(sizes))
    across = np.repeat(query_ptr[:-1][others], sizes)
    return within, across


def features_used(ranker: Any, n_features: int) -> NDArray[np.bool_]:
    """Return which features a fitted ranker looks at, as far as it says: all, where it does not."""
    for name in ("coef_", "feature_importances_"):
        weights = getattr(ranker, name, None)
        if weights is not None and np.size(weights) == n_features:
            used: NDArray[np.bool_] = np.ravel(weights) != 0
            return used
    return np.ones(n_features, dtype=bool)
