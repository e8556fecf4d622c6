"""Rankers whose score is a weighted sum of the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.kernels.linear.products import scores_of_rows
from ranksieve.rankers._description import Description, LinearDescription
from ranksieve.rankers._fitted_values import fitted_array
from ranksieve.rankers.base import Ranker


class LinearRanker(Ranker):
    """A ranker with one weight per feature, `coef_`; subclasses write `_fit(data)`."""

    coef_: NDArray[np.float64]

    def _scores(self, X: NDArray[Any]) -> NDArray[np.float64]:
        scores = np.empty(len(X))
        scores_of_rows(X, 0, len(X), self.coef_, scores)
        return scores

    def _contributions(self, X: NDArray[Any]) -> NDArray[np.float64]:
        return linear_contributions(X, self.coef_)

    def _description(self, names: tuple[str, ...]) -> Description:
        return LinearDescription(names, self.coef_.copy())

    def _set_payload(self, payload: bytes) -> None:
        super()._set_payload(payload)
        self.coef_ = fitted_array("coef_", self.coef_, (self.n_features_in_,))

    def _data_scores(self, data: RankingData) -> NDArray[np.float64]:
        return linear_scores(data, self.coef_)


def linear_scores(data: RankingData, w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return w . x for each document of the data."""
    scores = np.empty(data.n_documents)
    for block in data.blocks():
        scores_of_rows(block.X, block.rows.start, block.rows.stop, w, scores[block.documents])
    return scores


def linear_contributions(
    X: NDArray[Any], w: NDArray[np.float64], intercept: float = 0.0
) -> NDArray[np.float64]:
    """Return w_f (x_f - mean of x_f) for each document and feature, and the score of the mean.

    Examples
    --------
    >>> linear_contributions(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([3.0, 4.0]))
    array([[-3.,  0.,  7.],
           [ 3.,  0.,  7.]])
    """
    contributions = np.empty((X.shape[0], X.shape[1] + 1))
    # A column at a time: nothing beside the result is as large as the features.
    for feature, weight in enumerate(w):
        column = X[:, feature].astype(np.float64)
        # From the first document on: a constant feature adds exactly 0.
        column -= column[0] if len(column) else 0.0
        contributions[:, feature] = weight * (column - column.mean())
    mean = X.mean(axis=0, dtype=np.float64)
    contributions[:, -1] = mean @ w + intercept
    return contributions
