"""mRMR: importance against the mean similarity to what is chosen."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.importance import Importance
from ranksieve.measures import Measure
from ranksieve.selectors.base import NumberOfFeatures, Selection
from ranksieve.selectors.filters._rated import RatedSelector, and_the_others, most, without
from ranksieve.selectors.filters._unproven import Unproven
from ranksieve.similarity import Similarity

# Mean similarities below this count as much: nothing is infinitely better for being unlike.
_LEAST_SIMILARITY = 1e-3


class MRMR(RatedSelector):
    """Features of much importance and, on average, little similarity to those before them.

    With the importance R and the similarity S, the first feature is the most important one. Each
    step chooses, with the mean over the s chosen so far, the largest

        R(f) - balance * mean over s of S(f, s)         scheme="difference"
        R(f) / mean over s of S(f, s)                   scheme="quotient"

    `GAS` subtracts 2 * balance times the *sum*: similarity weighs more there the more features are
    chosen, until importance does not count. By the mean, both keep their weights. Sets are
    nested: the first k of `order_` are the set for every k.

    Parameters
    ----------
    n_features_to_select : int, float, str, Choice or None
        A number, a share between 0 and 1, None for half of the features, or "validation".
    balance : float
        For "difference": 0 is `TopK`; 1 is mRMR's, where both are bits of mutual information. A
        measure's values differ by less than similarities do, so that less is better with those.
    scheme : {"difference", "quotient"}
        mRMR's MID and MIQ. "quotient" needs no balance and importances of at least 0; a mean
        below 0.001 counts as 0.001.
    importance : str, Measure or Importance
        As in `NGAS`; mRMR's own is "information-gain" or "mutual-information".
    similarity : str or Similarity
        Of one with a sign its size.
    unproven : {"last", "published"}
        "last" chooses features whose importance is not shown to be better than that of a random
        order (`Importance.better_than_random`, level 0.05) after all others. "published" treats
        them like any other. Where no feature is shown to be better, both are alike.

    Attributes
    ----------
    order_ : all features in the order in which they are chosen, constant features last
    scores_ : what each feature had of the formula when it was chosen (its importance for the
        first); minus infinity for constant features
    importance_ : (n_features,) array, R
    similarity_ : (n_features, n_features) array, the sizes of S
    better_than_random_ : (n_features,) array of bool, with unproven="last"

    Notes
    -----
    Equal values go to the lower index. Features that are constant in every query are not offered.
    mRMR is a greedy order and maximises nothing over sets, so that there are no other solvers.

    Cost: that of importance and similarity, and O(p^2).
    Ding and Peng, Minimum redundancy feature selection from microarray gene expression data, 2005;
    Peng, Long and Ding, Feature selection based on mutual information, TPAMI 2005, whose R and S
    are mutual information: here they are what the ranking is measured by.

    Examples
    --------
    >>> from ranksieve import MRMR, make_ranking
    >>> data, truth = make_ranking(n_relevant=3, n_redundant=0, n_irrelevant=3, random_state=0)
    >>> sorted(MRMR(3).fit(data).order_[:3].tolist()) == truth.relevant.tolist()
    True
    """

    default_grid: ClassVar[DefaultGrid] = {"balance": (0.03, 0.1, 0.3, 1.0)}

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        balance: float = 0.1,
        scheme: Literal["difference", "quotient"] = "difference",
        importance: str | Measure | Importance = "ndcg@10",
        similarity: str | Similarity = "spearman",
        unproven: Unproven = "last",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.balance = balance
        self.scheme = scheme
        self.importance = importance
        self.similarity = similarity
        self.unproven = unproven

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        check_number("balance", self.balance, least=0)
        check_choice("scheme", self.scheme, ("difference", "quotient"))

    def _select(self, data: RankingData) -> Selection:
        early, late = self._rate(data)
        self._check_importance()
        order: list[int] = []
        scores = np.full(data.n_features, -np.inf)
        similarity = np.zeros(data.n_features)
        for remaining in (early, late):
            while len(remaining):
                weights = self._weights(similarity / max(len(order), 1), first=not order)
                chosen = most(weights, remaining)
                scores[chosen] = weights[chosen]
                order.append(chosen)
                remaining = without(remaining, chosen)
                similarity += self.similarity_[chosen]
        chosen_first = and_the_others(np.array(order, dtype=np.int64), self.importance_)
        return Selection(chosen_first, scores)

    def _weights(self, mean: NDArray[np.float64], *, first: bool) -> NDArray[np.float64]:
        if first:
            return self.importance_
        if self.scheme == "quotient":
            return self.importance_ / np.maximum(mean, _LEAST_SIMILARITY)
        return self.importance_ - self.balance * mean

    def _check_importance(self) -> None:
        below = np.flatnonzero(self.importance_ < 0.0)
        if self.scheme == "quotient" and len(below):
            raise DataError(
                "scheme='quotient' needs importances of at least 0, but feature "
                f"{below[0]} has {self.importance_[below[0]]:.6g} ({len(below)} features are below "
                "0). Take scheme='difference', or an importance that is never negative."
            )
