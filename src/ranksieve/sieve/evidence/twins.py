"""Features that order documents nearly alike, so that one could replace the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.data.sampling import enough_queries
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
    similarity = TauBSimilarity().matrix(enough_queries(data, _ENOUGH_DOCUMENTS, [random_state, 3]))
    size = np.abs(similarity)
    np.fill_diagonal(size, 0.0)
    return [_nearest(size[feature], similarity[feature]) for feature in range(data.n_features)]


def _nearest(size: NDArray[np.float64], similarity: NDArray[np.float64]) -> list[tuple[int, float]]:
    order = np.argsort(-size, kind="stable")[:_MOST]
    return [(int(other), float(similarity[other])) for other in order if size[other] >= LEAST]
