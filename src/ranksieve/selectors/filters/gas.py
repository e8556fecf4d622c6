"""GAS: greedy selection by importance minus similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.estimator import check_number
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors.base import Selection, Selector, constant_features
from ranksieve.similarity import Similarity, as_similarity


class GAS(Selector):
    """Features that are important and unlike each other, chosen greedily.

        maximise  sum of w_i  -  balance * sum over i != j of e_ij      over the chosen i, j

    where w_i is the importance of feature i and e_ij the similarity of features i and j.
    Each step takes the feature with the largest weight and subtracts 2 * balance * e_ij from
    the weights of the others. Chosen sets are nested, so one fit serves every number of
    features: the first k of `order_`.

    Parameters
    ----------
    n_features_to_select : int, float or None
        A number, a share between 0 and 1, or None for half of the features.
    importance : str, Measure or Importance
        A measure's text such as "map" or "ndcg@10" (better of both directions, ties
        averaged), or the name of an importance.
    similarity : str or Similarity
    balance : float
        The paper's c: 0 is `TopK`, and large values prefer unlike features to important ones.

    Attributes
    ----------
    order_ : all features in the order in which they are chosen; constant features last
    scores_ : weight of each feature when it was chosen: what it added to the objective
    importance_ : (n_features,) array
    similarity_ : (n_features, n_features) array
    objective_ : float, the objective of the selected features

    Notes
    -----
    Equal weights go to the lower index. A feature that is constant in every query (of the
    whole data, or a property of the query) is like no other and would be chosen early for
    it, though it orders nothing; it is not offered to the greedy search and its score is
    minus infinity (a deviation from the paper).

    Cost: that of importance and similarity (O(p^2 sum m^2 / 64) for Kendall's), and O(p^2).
    Geng, Liu, Qin and Li, Feature selection for ranking, SIGIR 2007.

    Examples
    --------
    >>> from ranksieve import GAS, make_ranking
    >>> data, truth = make_ranking(n_relevant=3, n_redundant=3, n_irrelevant=3, random_state=0)
    >>> gas = GAS(n_features_to_select=3, balance=0.1).fit(data)
    >>> gas.order_.shape, int(gas.get_support().sum())
    ((9,), 3)
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        importance: str | Measure | Importance = "map",
        similarity: str | Similarity = "kendall",
        balance: float = 0.1,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.importance = importance
        self.similarity = similarity
        self.balance = balance

    def _select(self, data: RankingData) -> Selection:
        check_number("balance", self.balance, least=0)
        self.importance_ = as_importance(self.importance).scores(data)
        self.similarity_ = as_similarity(self.similarity).matrix(data)
        offered = ~constant_features(data)
        order, gains = greedy_order(
            self.importance_, self.similarity_, balance=self.balance, offered=offered
        )
        self.objective_ = float(gains[order[: min(self.n_features_, offered.sum())]].sum())
        return Selection(order, gains)


def greedy_order(
    importance: NDArray[np.float64],
    similarity: NDArray[np.float64],
    *,
    balance: float,
    offered: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the order in which GAS chooses, and each feature's weight when it was chosen.

    Features that are not `offered` come last, with weight minus infinity.

    Examples
    --------
    >>> similarity = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> greedy_order(np.array([0.9, 0.9, 0.5]), similarity, balance=1.0)[0]
    array([0, 2, 1])
    """
    n_features = len(importance)
    weights = importance.astype(np.float64)
    if offered is not None:
        weights[~offered] = -np.inf
    order = np.empty(n_features, dtype=np.int64)
    gains = np.empty(n_features)
    left = np.ones(n_features, dtype=bool)
    for step in range(n_features):
        candidates = np.flatnonzero(left)
        chosen = candidates[np.argmax(weights[candidates])]
        order[step], gains[chosen], left[chosen] = chosen, weights[chosen], False
        weights -= 2.0 * balance * similarity[chosen]
    return order, gains
