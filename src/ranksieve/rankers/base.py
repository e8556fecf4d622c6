"""The one interface of rankers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.data import RankingData
from ranksieve.data.check import check_row_ids, query_offsets
from ranksieve.estimator import RankingEstimator
from ranksieve.measures import NDCG


class Ranker(RankingEstimator):
    """A model that gives documents scores; the larger, the higher the document ranks.

    Subclasses write `_fit(data)` and `predict(X)`.
    """

    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}

    @abstractmethod
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return one score a document, for a matrix, a frame or RankingData."""

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        qid: Any = None,
    ) -> float:
        """Return the mean NDCG@10 of the ranking by `predict`.

        With `sample_weight`, one number a document, a query counts with the mean weight of
        its documents.
        """
        if isinstance(X, RankingData):
            y, qid = X.y, X.qid
        values = NDCG(10).per_query(y, self.predict(X), qid=qid)
        return float(np.average(values, weights=_query_weights(sample_weight, qid)))


def _query_weights(
    sample_weight: ArrayLike | None, qid: ArrayLike | None
) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    query_ptr, _ = query_offsets(check_row_ids(qid, len(weights)))
    sums: NDArray[np.float64] = np.add.reduceat(weights, query_ptr[:-1])
    return sums / np.diff(query_ptr)
