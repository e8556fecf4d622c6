"""Hierarchical-BEM: of each cluster of features the one that ranks best alone."""

from __future__ import annotations

from typing import Any

from ranksieve.data import RankingData
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import constant_features
from ranksieve.selectors.filters._delegates import DelegateSelector, Rates
from ranksieve.selectors.filters._unproven import Unproven, check_unproven, comes_later, rated
from ranksieve.similarity import Similarity


class HierarchicalBEM(DelegateSelector):
    """Of each cluster of features that rank alike the one that ranks best alone.

    1. Distance of two features: 1 - |similarity of their rankings|, of Kendall's tau-b.
    2. k clusters of features: k medoids with the least sum over features of the distance to the
       nearest one.
    3. The delegate of a cluster: its feature with the largest importance, a measure of the
       ranking by its values alone.

    The number of clusters is the number of features kept; a choice made on data takes two at
    least, as one cluster is no clustering. Sets for different numbers need not be nested: fit again
    for another number, do not cut `order_` elsewhere.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", "validation", Validation or None
        A number, a share between 0 and 1, "auto" (the largest mean silhouette, from 2 clusters to
        half of the features; equal ones go to the fewer), chosen on validation queries, or None
        for half of the features.
    importance : str, Measure or Importance
        "map", "ndcg@10" or the name of an importance. A measure counts for the better of the two
        directions of a feature, as a feature and its mirror image are at distance 0.
    similarity : str or Similarity
        "tau-b" knows mirror images; "kendall" is the share of pairs that are ordered alike, where
        those are as far apart as features can be.
    clustering : {"medoids", "average", "complete", "single"}
        "medoids" as above; the others join the two nearest clusters again and again, by the mean,
        largest or least distance of their features. Their sets are nested, as of two clusters
        that are joined the better delegate stays.
    unproven : {"last", "published"}
        "last" lets features whose importance is not shown to be better than that of a random
        order (`Importance.better_than_random`, level 0.05) form clusters only where the others are
        too few for the number asked for; each of the others is then a cluster of its own. In
        `order_` they come after all others. "published" treats them like any other: noise is like
        no other feature, and so a cluster. Where no feature is shown to be better, both are alike.

    Attributes
    ----------
    order_ : delegates by falling importance, then the others by falling importance; unproven
        features after all others that vary, constant features last
    scores_, importance_ : the importance of each feature
    similarity_ : (n_features, n_features) array
    labels_ : (n_features,) array, cluster of each feature. Cluster i is that of `order_[i]`; -1 is
        a feature in none: constant, or unproven while the others are enough
    better_than_random_ : (n_features,) array of bool, with unproven="last"
    auto_candidates_, auto_criterion_ : with "auto", the numbers that were compared and their
        mean silhouettes; empty for up to two features

    Notes
    -----
    The paper was not at hand. What is known of it is what Laporte and others (2014, section II.B)
    say: Kendall's similarity as in GAS, clusters "by using a k-means approach", a number of
    clusters by a quality measure of the authors, and the feature with the best evaluation score
    of each. Rankings have distances and no means, so k-means is k medoids here. The quality measure
    is not described anywhere we could read: the silhouette is ours, and so are the sign-free
    tau-b, the other ways of clustering and `unproven`. Equal values go to the lower index.

    Cost: that of importance and similarity, and O(k p^2) for each change of a medoid, of some ten
    on real data: milliseconds for 136 features.

    Hua, Zhang, Liu, Ma and Ru, Hierarchical feature selection for ranking, WWW 2010.

    Examples
    --------
    >>> from ranksieve import HierarchicalBEM, make_ranking
    >>> data, truth = make_ranking(
    ...     n_relevant=3, n_redundant=6, n_irrelevant=0, redundancy_noise=0.1, random_state=0
    ... )
    >>> chosen = HierarchicalBEM("auto").fit(data)
    >>> chosen.n_features_
    3
    >>> {truth.copies_of.get(int(f), int(f)) for f in chosen.order_[:3]} == set(truth.relevant)
    True
    """

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        importance: str | Measure | Importance = "map",
        similarity: str | Similarity = "tau-b",
        clustering: str = "medoids",
        unproven: Unproven = "last",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.importance = importance
        self.similarity = similarity
        self.clustering = clustering
        self.unproven = unproven

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return importance and similarity."""
        importance = SharedComponent.importance("importance", self.importance)
        return importance, *super().shared_components()

    def _rate(self, data: RankingData) -> Rates:
        self.importance_, better = rated(as_importance(self.importance), data, self.unproven)
        if better is not None:
            self.better_than_random_ = better
        return Rates(self.importance_, comes_later(better, ~constant_features(data)))

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        check_unproven(self.unproven)
