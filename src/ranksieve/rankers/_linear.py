"""Rankers whose score is a weighted sum of the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ranksieve.data import RankingData
from ranksieve.kernels.products import scores_of_rows
from ranksieve.rankers.base import Ranker


class LinearRanker(Ranker):
    """A ranker with one weight a feature, `coef_`; subclasses write `_fit(data)`."""

    coef_: NDArray[np.float64]

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return w . x for each document of a matrix, a frame or RankingData."""
        check_is_fitted(self)
        if isinstance(X, RankingData):
            return linear_scores(self._check_same_features(X), self.coef_)
        matrix = np.asfortranarray(self._check_matrix(X))
        scores = np.empty(len(matrix))
        scores_of_rows(matrix, 0, len(matrix), self.coef_, scores)
        return scores


def linear_scores(data: RankingData, w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return w . x for each document of the data."""
    scores = np.empty(data.n_documents)
    for block in data.blocks():
        scores_of_rows(block.X, block.rows.start, block.rows.stop, w, scores[block.place])
    return scores
