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
