"""Relief over ranking scores: of a learned ranker, or the grades themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.catalog import parse
from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError
from ranksieve.estimator import check_number
from ranksieve.rankers.base import Ranker
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.relief.base import Metric, Relief, Scope


class ScoreRelief(Relief):
    """A Relief selector for real-valued scores; subclasses write `_rule` with `_scores`.

    Attributes
    ----------
    ranker_ : the fitted ranker, or None where the scores are the grades
    """

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        n_neighbors: int = 5,
        scope: Scope = "query",
        n_samples: int | float | None = None,
        metric: Metric = "manhattan",
        ranker: str | Ranker | None = "RankSVM",
        sigma: float = 20.0,
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.scope = scope
        self.n_samples = n_samples
        self.metric = metric
        self.ranker = ranker
        self.sigma = sigma
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("sigma", self.sigma, above=0)

    def _profile(self, k: int) -> NDArray[np.float64]:
        """Return exp(-(i / sigma)^2) for the positions i = 1, ..., k."""
        # Relative to the first position, which a small sigma would else bring to 0 with the rest;
        # the limit is far below any sigma that leaves the second one a weight.
        positions = np.arange(1, k + 1) / max(self.sigma, 1e-100)
        profile: NDArray[np.float64] = np.exp(positions[0] ** 2 - positions**2)
        return profile

    def _scores(self, data: RankingData) -> NDArray[np.float64]:
        """Fit the ranker and return its scores; without one, the grades."""
        self.ranker_ = as_ranker(self.ranker)
        if self.ranker_ is None:
            return data.y
        if not _has_pairs(data):
            self.ranker_ = None
            return np.zeros(data.n_documents)
        scores: NDArray[np.float64] = self.ranker_.fit(data).predict(data)
        if not np.isfinite(scores).all():
            raise DataError(
                f"{self.ranker_!r} gave scores that are not finite, and score distances need "
                "finite ones. Scale the features, or choose another ranker."
            )
        return scores


def as_ranker(ranker: Any) -> Ranker | None:
    """Return a new ranker that text spells or that is like an object; None stays None.

    Examples
    --------
    >>> as_ranker("RankSVM(C=0.1)")
    RankSVM(C=0.1)
    """
    if ranker is None:
        return None
    if isinstance(ranker, str):
        parsed: Ranker = parse(ranker, "rankers")
        return parsed
    if isinstance(ranker, Ranker):
        copy: Ranker = clone(ranker)
        return copy
    raise ParameterError(
        "ranker must be text such as 'RankSVM(C=0.1)', a ranker, or None for the grades "
        f"themselves, but is {ranker!r}"
    )


def _has_pairs(data: RankingData) -> bool:
    """Return whether a query has documents with different grades."""
    inside = np.ones(data.n_documents - 1, dtype=bool)
    inside[data.query_ptr[1:-1] - 1] = False
    return bool((inside & (np.diff(data.y) != 0)).any())
