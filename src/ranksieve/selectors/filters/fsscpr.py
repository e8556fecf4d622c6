"""FS-SCPR: one representative of each spectral cluster, by biased PageRank."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.estimator import check_number
from ranksieve.importance import Importance, MeasureImportance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors.base import Selection, Selector, by_score, constant_features
from ranksieve.selectors.filters._scpr_clusters import Clustering, cluster_features
from ranksieve.selectors.filters._scpr_number import Number, by_eigengap, by_silhouette
from ranksieve.selectors.filters._scpr_pagerank import biased_pagerank
from ranksieve.similarity import Similarity, as_similarity

# Equal features must compare equal after sums in another order: ties go to the lower index.
_DECIMALS = 12


class FSSCPR(Selector):
    """The most relevant and most typical feature of each cluster of like features.

    1. Graph: w_ij = similarity of features i and j, where i != j and it is >= threshold.
    2. Clusters: L = I - A^-1/2 W A^-1/2 with A = diag(sums of rows of W); the rows of its k
       smallest eigenvectors, brought to length 1, are Y; bisecting k-means makes k clusters.
    3. Relevance: biased PageRank, with the preference p as a distribution,

           s_i = (1 - damping) p_i + damping * sum over j of  w_ij / (sum over k of w_jk)  s_j

    4. From each cluster C the feature with the largest

           relevance_weight * s_i + (1 - relevance_weight) * (sum over j in C of y_i . y_j)
                                                             / (|C| - 1),     j != i

    The number of clusters is the number of features kept. Sets for different numbers are
    *not nested*: fit again for another number, do not cut `order_` elsewhere.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", "validation", Validation or None
        A number, a share between 0 and 1, "auto" (from the data, as `auto` says), chosen on
        validation queries, or None for half of the features.
    similarity : str or Similarity
    preference : str, Measure or Importance
        For a measure, that of ranking by falling values of the feature alone (ties
        averaged): unlike in `GAS`, a feature that ranks well upwards is not preferred. Any
        other importance by its scores, which must not be negative.
    threshold : float, at least 0: similarities below it make no edge
    damping : float, at least 0 and below 1
    relevance_weight : float, between 0 and 1
    auto : {"eigengap", "silhouette"}
        Number of clusters for "auto": where the eigenvalues of L rise most, from 2 to one
        less than the features, or the largest mean silhouette of the rows of Y, from 2 to
        half of the features with edges. Equal ones go to the fewer.
    random_state : int, seed of the starts of k-means

    Attributes
    ----------
    order_ : representatives by falling relevance, then the rest by falling relevance, then
        constant features
    scores_, relevance_ : the PageRank s; 0 for constant features
    preference_ : (n_features,) array p, with sum 1; 0 for constant features
    similarity_ : (n_features, n_features) array
    labels_ : (n_features,) array, cluster of each feature. Cluster i is that of `order_[i]`;
        -1 is a feature in none: constant, or without edges when no cluster was left
    auto_candidates_, auto_criterion_ : with "auto", the numbers that were compared and
        their gaps or silhouettes; empty where the graph left no choice

    Notes
    -----
    Features that are constant in every query are left out before the graph is built: without
    edges they would be clusters of their own, and be selected. Another feature without
    edges is a cluster of its own, the most relevant first, as long as one cluster is left
    for features with edges. Where k-means finds fewer than k clusters, the largest is halved.
    Equal values go to the lower index. Preferences that are all 0 count as all equal.

    s has sum 1 at most and y_i . y_j goes up to 1, so with many features the second term of step 4
    weighs more than the first, as in the paper; relevance_weight=1 takes relevance alone.

    Cost: that of preference and similarity, O(p^3) for eigenvectors and PageRank, and k
    times k-means with two clusters; "silhouette" repeats clustering for every number.
    Yeh and Tsai, A graph-based feature selection method for learning to rank using spectral
    clustering for redundancy minimization and biased PageRank for relevance analysis (2022).

    Examples
    --------
    >>> from ranksieve import FSSCPR, make_ranking
    >>> data, truth = make_ranking(
    ...     n_relevant=3, n_redundant=6, n_irrelevant=0, redundancy_noise=0.1, random_state=0
    ... )
    >>> chosen = FSSCPR("auto").fit(data)
    >>> chosen.n_features_
    3
    >>> {truth.copies_of.get(int(f), int(f)) for f in chosen.order_[:3]} == set(truth.relevant)
    True
    """

    n_features_to_select: Any

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        similarity: str | Similarity = "kendall",
        preference: str | Measure | Importance = "map",
        threshold: float = 0.1,
        damping: float = 0.85,
        relevance_weight: float = 0.5,
        auto: Literal["eigengap", "silhouette"] = "eigengap",
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.preference = preference
        self.threshold = threshold
        self.damping = damping
        self.relevance_weight = relevance_weight
        self.auto = auto
        self.random_state = random_state

    def _fit(self, data: RankingData) -> None:
        if not _is_auto(self.n_features_to_select):
            super()._fit(data)
            return
        found = self._select(data)
        self.order_, self.scores_ = found.order, found.scores

    def _select(self, data: RankingData) -> Selection:
        kept, weights, relevance = self._build_graph(data)
        if _is_auto(self.n_features_to_select):
            self.n_features_ = self._choose_number(weights, relevance)
        found, chosen = self._cluster(weights, relevance, self.n_features_)
        self.labels_ = self._spread(_renumbered(found.labels, chosen), kept, -1)
        order = kept[_first(chosen, by_score(np.round(relevance, _DECIMALS)))]
        constant = np.setdiff1d(np.arange(data.n_features), kept)
        return Selection(np.concatenate([order, constant]), self.relevance_)

    def _sets(self, data: RankingData) -> FeatureSets:
        twin: FSSCPR = clone(self)
        twin.n_features_in_ = data.n_features
        kept, weights, relevance = twin._build_graph(data)

        constant = np.setdiff1d(np.arange(data.n_features), kept)

        def of_size(number: int) -> NDArray[np.int64]:
            chosen = kept[twin._cluster(weights, relevance, number)[1]]
            return np.concatenate([chosen, constant])[:number]

        return FeatureSets(len(kept), of_size)

    def _build_graph(
        self, data: RankingData
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the features that vary within queries, the graph's weights, and relevance."""
        self._check_parameters()
        kept = np.flatnonzero(~constant_features(data))
        weights = self._weigh_edges(data, kept)
        return kept, weights, self._rate(data, kept, weights)

    def _cluster(
        self, weights: NDArray[np.float64], relevance: NDArray[np.float64], number: int
    ) -> tuple[Clustering, NDArray[np.int64]]:
        """Return the clusters, and the feature that stands for each."""
        found = cluster_features(weights, relevance, number, random_state=self._seed())
        return found, representatives(found, relevance, relevance_weight=self.relevance_weight)

    def _weigh_edges(self, data: RankingData, kept: NDArray[np.int64]) -> NDArray[np.float64]:
        self.similarity_ = as_similarity(self.similarity).matrix(data)
        within = np.round(self.similarity_[np.ix_(kept, kept)], _DECIMALS)
        weights = np.where(within >= self.threshold, within, 0.0)
        np.fill_diagonal(weights, 0.0)
        return weights

    def _rate(
        self, data: RankingData, kept: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        preference = _as_shares(preference_scores(as_importance(self.preference), data)[kept])
        relevance = biased_pagerank(weights, preference, damping=self.damping)
        self.preference_ = self._spread(preference, kept, 0.0)
        self.relevance_ = self._spread(relevance, kept, 0.0)
        return relevance

    def _choose_number(self, weights: NDArray[np.float64], relevance: NDArray[np.float64]) -> int:
        found: Number
        if self.auto == "eigengap":
            found = by_eigengap(weights)
        else:
            found = by_silhouette(weights, relevance, random_state=self._seed())
        self.auto_candidates_, self.auto_criterion_ = found.candidates, found.criterion
        return max(found.number, 1)

    def _spread(self, values: NDArray[Any], kept: NDArray[np.int64], rest: float) -> NDArray[Any]:
        """Return `values` at the features that are kept, and `rest` elsewhere."""
        full = np.full(self.n_features_in_, rest, dtype=values.dtype)
        full[kept] = values
        return full

    def _seed(self) -> int:
        # scikit-learn's clusterings take seeds of 32 bits.
        return int(self.random_state) % 2**32

    def _check_parameters(self) -> None:
        check_number("threshold", self.threshold, least=0)
        check_number("damping", self.damping, least=0)
        check_number("relevance_weight", self.relevance_weight, least=0)
        check_number("random_state", self.random_state, least=0, whole=True)
        if self.damping >= 1:
            raise ParameterError(f"damping must be below 1, but is {self.damping!r}")
        if self.relevance_weight > 1:
            raise ParameterError(
                f"relevance_weight must be between 0 and 1, but is {self.relevance_weight!r}"
            )
        if self.auto not in ("eigengap", "silhouette"):
            raise ParameterError(f"auto is 'eigengap' or 'silhouette', but is {self.auto!r}")


def representatives(
    found: Clustering, relevance: NDArray[np.float64], *, relevance_weight: float
) -> NDArray[np.int64]:
    """Return one feature of each cluster, by falling relevance.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]])
    >>> found = Clustering(np.array([0, 0, 0]), rows)
    >>> representatives(found, np.array([0.4, 0.3, 0.3]), relevance_weight=0.5)
    array([1])
    >>> representatives(found, np.array([0.4, 0.3, 0.3]), relevance_weight=1.0)
    array([0])
    """
    chosen = [
        _representative(np.flatnonzero(found.labels == label), found, relevance, relevance_weight)
        for label in range(found.labels.max(initial=-1) + 1)
    ]
    chosen.sort(key=lambda feature: (-np.round(relevance[feature], _DECIMALS), feature))
    return np.array(chosen, dtype=np.int64)


def _representative(
    members: NDArray[np.int64],
    found: Clustering,
    relevance: NDArray[np.float64],
    relevance_weight: float,
) -> int:
    if len(members) == 1:
        return int(members[0])
    rows = found.rows[members]
    alike = rows @ rows.sum(axis=0) - np.einsum("ij,ij->i", rows, rows)
    value = relevance_weight * relevance[members]
    value += (1.0 - relevance_weight) * alike / (len(members) - 1)
    return int(members[np.argmax(np.round(value, _DECIMALS))])


def _renumbered(labels: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return labels so that cluster i is that of `chosen[i]`."""
    places = np.full(len(chosen) + 1, -1, dtype=np.int64)
    places[labels[chosen]] = np.arange(len(chosen))
    return places[labels]


def _first(chosen: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([chosen, order[~np.isin(order, chosen)]])


def preference_scores(importance: Importance, data: RankingData) -> NDArray[np.float64]:
    """Return what PageRank prefers: a measure counts for the feature ranking downwards."""
    if isinstance(importance, MeasureImportance):
        return importance.both_directions(data)[0]
    return importance.scores(data)


def _as_shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values divided by their sum; equal shares where all are 0."""
    if (values < 0).any():
        raise ParameterError(
            f"a preference must not be negative, but goes down to {values.min():.3g}: PageRank "
            "needs shares. Choose an importance that is at least 0, such as 'map'."
        )
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), 1.0 / max(len(values), 1))


def _is_auto(wanted: Any) -> bool:
    return isinstance(wanted, str) and wanted == "auto"
