"""FS-SCPR: one representative of each spectral cluster, by biased PageRank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.catalog import check_choice
from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import Selection, Selector, by_score, constant_features
from ranksieve.selectors.filters._scpr.clusters import (
    Clustering,
    Number,
    by_eigengap,
    by_silhouette,
    cluster_features,
)
from ranksieve.selectors.filters._scpr.pagerank import biased_pagerank
from ranksieve.selectors.filters._unproven import (
    Unproven,
    better_first,
    check_unproven,
    comes_later,
    rated,
)
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

    The number of clusters is the number of features kept; a choice made on data ("auto",
    "validation") takes two at least, as one cluster is no clustering. Sets for different numbers
    are *not nested*: fit again for another number, do not cut `order_` elsewhere.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", "validation", Validation or None
        A number, a share between 0 and 1, "auto" (from the data, as `auto` says), chosen on
        validation queries, or None for half of the features.
    similarity : str or Similarity
        By default Kendall's with half-counted ties, "kendall(ties='half')": the paper's equation
        (2) compares sorted lists, which have none. "kendall" counts strict agreements only, so
        that a feature with many ties is like no other and a cluster of its own.
    preference : str, Measure or Importance
        For a measure, that of ranking by falling values of the feature alone (ties
        averaged): unlike in `GAS`, a feature that ranks well upwards is not preferred. Any
        other importance by its scores, which must not be negative.
    threshold : float, at least 0: similarities below it make no edge
    damping : float, at least 0 and below 1
    relevance_weight : float, between 0 and 1
    relevance : {"printed", "scaled"}
        "printed" takes s as it is in step 4, as the paper prints it; "scaled" divides it there by
        the largest s of all features, so that both terms go up to 1.
    unproven : {"last", "published"}
        "last" lets features whose preference is not shown to be better than a random order
        (`Importance.better_than_random`, in either direction, level 0.05) form clusters only where
        the others are too few for the number asked for; each of the others is then a cluster
        of its own. In `order_` they come after all others. "published" treats them like any other.
        Where no feature is shown to be better, both are alike.
    auto : {"eigengap", "silhouette"}
        Number of clusters for "auto": where the eigenvalues of L rise most, from 2 to one
        less than the features, or the largest mean silhouette of the rows of Y, from 2 to
        half of the features with edges. Equal ones go to the fewer.
    n_starts : int
        Bisections from the start on, of which that with the least sum of squares is taken. Each
        split is the best of 10 runs of k-means in half of them, and of 1 to 3 in the others.
    random_state : int, seed of the starts of k-means

    Attributes
    ----------
    order_ : representatives by falling relevance, then the rest by falling relevance, then
        constant features; unproven features after all others that vary (see `unproven`)
    scores_, relevance_ : the PageRank s; 0 for constant features
    preference_ : (n_features,) array p, with sum 1; 0 for constant features
    similarity_ : (n_features, n_features) array
    labels_ : (n_features,) array, cluster of each feature. Cluster i is that of `order_[i]`;
        -1 is a feature in none: constant, unproven while the others are enough, or without
        edges when no cluster was left
    better_than_random_ : (n_features,) array of bool, with unproven="last"
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
    weighs more than the first as printed; relevance="scaled" weighs them alike, and
    relevance_weight=1 takes relevance alone.

    Mirror images: features are taken as they are. f and -f have no edge (with half-counted ties
    their similarity is half of the share of tied pairs), are in different clusters, and may both be
    kept. A measure as preference counts for ranking by falling values, so of the two the one that
    ranks well that way is preferred. Turn features round first (`data.turned(directions)`), or
    take similarity="pearson", to which f and -f are the same.

    Cost: that of preference and similarity, O(p^3) for eigenvectors and PageRank, and about 6 k
    n_starts runs of k-means with two clusters: 0.1 s at most for 36 features; for 136, 0.3 s for
    34 clusters and 4 s for 135. "silhouette" repeats clustering for every number.
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

    default_grid: ClassVar[DefaultGrid] = {
        "threshold": (0.1, 0.6),
        "relevance": ("printed", "scaled"),
    }

    n_features_to_select: Any

    def __init__(
        self,
        n_features_to_select: int | float | str | None = None,
        *,
        similarity: str | Similarity = "kendall(ties='half')",
        preference: str | Measure | Importance = "map",
        threshold: float = 0.1,
        damping: float = 0.85,
        relevance_weight: float = 0.5,
        relevance: Literal["printed", "scaled"] = "printed",
        unproven: Unproven = "last",
        auto: Literal["eigengap", "silhouette"] = "eigengap",
        n_starts: int = 100,
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.preference = preference
        self.threshold = threshold
        self.damping = damping
        self.relevance_weight = relevance_weight
        self.relevance = relevance
        self.unproven = unproven
        self.auto = auto
        self.n_starts = n_starts
        self.random_state = random_state

    def _fit(self, data: RankingData) -> None:
        if not _is_auto(self.n_features_to_select):
            super()._fit(data)
            return
        selection = self._select(data)
        self.order_, self.scores_ = selection.order, selection.scores

    def _select(self, data: RankingData) -> Selection:
        graph = self._build_graph(data)
        if _is_auto(self.n_features_to_select):
            self.n_features_ = self._choose_number(graph)
        labels, chosen = self._cluster(graph, self.n_features_)
        self.labels_ = self._spread(_renumbered(labels, chosen), graph.features, -1)
        by_relevance = by_score(np.round(graph.relevance, _DECIMALS))
        order = better_first(_first(chosen, by_relevance), ~graph.later)
        constant = np.setdiff1d(np.arange(data.n_features), graph.features)
        return Selection(np.concatenate([graph.features[order], constant]), self.relevance_)

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return similarity and preference."""
        preference = as_importance(self.preference)
        return (
            SharedComponent.similarity("similarity", self.similarity),
            SharedComponent("preference", preference, partial(preference_scores, preference)),
        )

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: clusters of their own for each."""
        twin: FSSCPR = clone(self)
        twin.n_features_in_ = data.n_features
        graph = twin._build_graph(data)
        constant = np.setdiff1d(np.arange(data.n_features), graph.features)

        def of_size(number: int) -> NDArray[np.int64]:
            chosen = graph.features[twin._cluster(graph, number)[1]]
            return np.concatenate([chosen, constant])[:number]

        return FeatureSets(len(graph.features), of_size, least=min(2, max(len(graph.features), 1)))

    def _build_graph(self, data: RankingData) -> _Graph:
        """Return the graph of the features that vary within queries."""
        self.check_parameters()
        is_varying = ~constant_features(data)
        features = np.flatnonzero(is_varying)
        weights = self._weigh_edges(data, features)
        relevance, better = self._rate(data, features, weights)
        return _Graph(features, weights, relevance, comes_later(better, is_varying)[features])

    def _cluster(self, graph: _Graph, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cluster of each feature of the graph, and the features that stand for them.

        Those that come later are in none while the others are enough; where they are not, each of
        the others is a cluster of its own.
        """
        early, late = np.flatnonzero(~graph.later), np.flatnonzero(graph.later)
        labels = np.full(len(graph.features), -1, dtype=np.int64)
        n_early = min(number, len(early))
        chosen = [self._cluster_some(graph, early, n_early, labels)]
        if number > n_early and len(late):
            chosen.append(self._cluster_some(graph, late, number - n_early, labels))
        return labels, np.concatenate(chosen)

    def _cluster_some(
        self, graph: _Graph, members: NDArray[np.int64], number: int, labels: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Write labels of some features, from the first free one on, and return their heads."""
        weights, relevance = graph.weights[np.ix_(members, members)], graph.relevance[members]
        clustering = cluster_features(
            weights, relevance, number, n_starts=self.n_starts, random_state=self.random_state
        )
        unit = graph.relevance.max(initial=0.0) if self.relevance == "scaled" else 1.0
        heads = representatives(
            clustering, relevance / (unit or 1.0), relevance_weight=self.relevance_weight
        )
        first = labels.max(initial=-1) + 1
        labels[members] = np.where(clustering.labels >= 0, first + clustering.labels, -1)
        return members[heads]

    def _weigh_edges(self, data: RankingData, varying: NDArray[np.int64]) -> NDArray[np.float64]:
        self.similarity_ = as_similarity(self.similarity).matrix(data)
        within = np.round(self.similarity_[np.ix_(varying, varying)], _DECIMALS)
        weights = np.where(within >= self.threshold, within, 0.0)
        np.fill_diagonal(weights, 0.0)
        return weights

    def _rate(
        self, data: RankingData, varying: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
        scores, better = rated(as_importance(self.preference), data, self.unproven, falling=True)
        if better is not None:
            self.better_than_random_ = better
        preference = _as_shares(scores[varying])
        relevance = biased_pagerank(weights, preference, damping=self.damping)
        self.preference_ = self._spread(preference, varying, 0.0)
        self.relevance_ = self._spread(relevance, varying, 0.0)
        return relevance, better

    def _choose_number(self, graph: _Graph) -> int:
        early = np.flatnonzero(~graph.later)
        weights, relevance = graph.weights[np.ix_(early, early)], graph.relevance[early]
        choice: Number
        if self.auto == "eigengap":
            choice = by_eigengap(weights)
        else:
            choice = by_silhouette(
                weights, relevance, n_starts=self.n_starts, random_state=self.random_state
            )
        self.auto_candidates_, self.auto_criterion_ = choice.candidates, choice.criterion
        return max(choice.number, min(2, len(graph.features)), 1)

    def _spread(
        self, values: NDArray[Any], features: NDArray[np.int64], elsewhere: float
    ) -> NDArray[Any]:
        """Return `values` at some features, and one number elsewhere."""
        full = np.full(self.n_features_in_, elsewhere, dtype=values.dtype)
        full[features] = values
        return full

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("threshold", self.threshold, least=0)
        check_number("damping", self.damping, least=0)
        check_number("relevance_weight", self.relevance_weight, least=0)
        check_number("random_state", self.random_state, least=0, integer=True)
        check_number("n_starts", self.n_starts, least=1, integer=True)
        check_choice("relevance", self.relevance, ("printed", "scaled"))
        check_unproven(self.unproven)
        if self.damping >= 1:
            raise ParameterError(f"damping must be below 1, but is {self.damping!r}")
        if self.relevance_weight > 1:
            raise ParameterError(
                f"relevance_weight must be between 0 and 1, but is {self.relevance_weight!r}"
            )
        if self.auto not in ("eigengap", "silhouette"):
            raise ParameterError(f"auto is 'eigengap' or 'silhouette', but is {self.auto!r}")


@dataclass(frozen=True, eq=False)
class _Graph:
    """Features that vary within queries, by index, and what is known of each.

    later : which of them come after the others, as they are not better than a random order
    """

    features: NDArray[np.int64]
    weights: NDArray[np.float64]
    relevance: NDArray[np.float64]
    later: NDArray[np.bool_]


def representatives(
    clustering: Clustering, relevance: NDArray[np.float64], *, relevance_weight: float
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
    labels = range(clustering.labels.max(initial=-1) + 1)
    clusters = [np.flatnonzero(clustering.labels == label) for label in labels]
    chosen = [
        _representative(members, clustering, relevance, relevance_weight) for members in clusters
    ]
    chosen.sort(key=lambda feature: (-np.round(relevance[feature], _DECIMALS), feature))
    return np.array(chosen, dtype=np.int64)


def _representative(
    members: NDArray[np.int64],
    clustering: Clustering,
    relevance: NDArray[np.float64],
    relevance_weight: float,
) -> int:
    if len(members) == 1:
        return int(members[0])
    rows = clustering.rows[members]
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
    return rated(importance, data, "published", falling=True)[0]


def _as_shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values divided by their sum; equal shares where all are 0."""
    if (values < 0).any():
        raise ParameterError(
            f"a preference must not be negative, but goes down to {values.min():.3g}: PageRank "
            "needs shares. Choose an importance that is at least 0, such as 'map'."
        )
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), 1.0 / max(len(values), 1))


def _is_auto(requested: Any) -> bool:
    return isinstance(requested, str) and requested == "auto"
