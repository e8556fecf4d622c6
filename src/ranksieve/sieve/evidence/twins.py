"""Features that order documents nearly alike, so that one could replace the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.similarity import TauBSimilarity

# From this similarity on two features are twins; a feature has this many at most.
LEAST, _MOST = 0.8, 3
# Documents that are enough to tell how alike two orders are.
_ENOUGH_DOCUMENTS = 20_000


def twins(data: RankingData, random_state: int) -> list[list[tuple[int, float]]]:
    """Return, for each feature, the features most like it, with how alike they are.

    Kendall's tau-b of the orders of the documents, the mean over queries; mirror images count,
    with a value below 0. On large data over a sample of queries.

    Cost: O(p^2 n log n) for p features of n documents, of which there are 20,000 at most.
    """
    similarity = TauBSimilarity().matrix(_enough(data, random_state))
    size = np.abs(similarity)
    np.fill_diagonal(size, 0.0)
    return [_nearest(size[feature], similarity[feature]) for feature in range(data.n_features)]


def _nearest(size: NDArray[np.float64], similarity: NDArray[np.float64]) -> list[tuple[int, float]]:
    order = np.argsort(-size, kind="stable")[:_MOST]
    return [(int(other), float(similarity[other])) for other in order if size[other] >= LEAST]


def _enough(data: RankingData, random_state: int) -> RankingData:
    if data.n_documents <= _ENOUGH_DOCUMENTS:
        return data
    order = np.random.default_rng([random_state, 3]).permutation(data.n_queries)
    sizes = np.diff(data.query_ptr)[order]
    n_queries = max(1, int(np.searchsorted(np.cumsum(sizes), _ENOUGH_DOCUMENTS)))
    return data.queries(np.sort(order[:n_queries])).gathered()
