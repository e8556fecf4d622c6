"""HCAS: the most important feature of each cluster of Ward's."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid
from ranksieve.importance import Importance
from ranksieve.measures import Measure
from ranksieve.selectors.base import NumberOfFeatures, Selection
from ranksieve.selectors.filters._rated import Indices, RatedSelector, and_the_others
from ranksieve.selectors.filters._unproven import Unproven
from ranksieve.similarity import Similarity


class HCAS(RatedSelector):
    """The best feature of each of k clusters of like features, by Ward's method.

    With the importance R and the similarity S, every feature is a cluster at first, and the
    distance of features i and j is d_ij = 1 - S(i, j). The two clusters with the least distance
    are joined until k are left; from the joined cluster i + j to another, h, it is

        d = ((n_i + n_h) d_ih + (n_j + n_h) d_jh - n_h d_ij) / (n_i + n_j + n_h)

    with n features in each. This is R's "ward.D", and scipy's "ward" on the square roots of d.
    From each of the k clusters the feature with the largest R is chosen.

    Sets are nested: the next cut parts a cluster in two, of which one has its best feature, and
    the best of the other one comes in. So the first k of `order_` are the set for every k.

    Parameters
    ----------
    n_features_to_select : int, float, str, Choice or None
        The number of clusters k: a number, a share between 0 and 1, None for half of the
        features, or "validation".
    importance, similarity : as in `NGAS`
    unproven : {"last", "published"}
        "last" lets features whose importance is not shown to be better than that of a random
        order (`Importance.better_than_random`, level 0.05) form clusters only where the others are
        too few for the number asked for; each of the others is then a cluster of its own. In
        `order_` they come after all others. "published" treats them like any other: noise, which
        is like nothing, has clusters of its own. Where no feature is shown to be better, both are
        alike.

    Attributes
    ----------
    order_ : all features in the order in which finer cuts choose them; unproven features after
        all others that vary, constant features last
    scores_, importance_ : (n_features,) array, R
    similarity_ : (n_features, n_features) array, the sizes of S
    labels_ : (n_features,) array, cluster of each feature for the number asked for. Cluster i is
        that of `order_[i]`; -1 is a feature in none: constant, or unproven while the others are
        enough
    better_than_random_ : (n_features,) array of bool, with unproven="last"

    Notes
    -----
    Equal importances go to the lower index, and of equal distances the pair that scipy joins
    first. Features that are constant in every query are not clustered: they are like no other, and
    would be clusters of their own.

    Cost: that of importance and similarity, and O(p^2) for the clustering.
    Gigli, Lucchese, Nardini and Perego, Fast feature selection for learning to rank, ICTIR 2016.
    Murtagh and Legendre, Ward's hierarchical agglomerative clustering method, Journal of
    Classification 2014, on the two forms of Ward's method.

    Examples
    --------
    >>> from ranksieve import HCAS, make_ranking
    >>> data, truth = make_ranking(
    ...     n_relevant=3, n_redundant=6, n_irrelevant=0, redundancy_noise=0.1, random_state=0
    ... )
    >>> chosen = HCAS(3).fit(data)
    >>> {truth.copies_of.get(int(f), int(f)) for f in chosen.order_[:3]} == set(truth.relevant)
    True
    """

    default_grid: ClassVar[DefaultGrid] = {"similarity": ("pooled-spearman", "spearman")}

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        importance: str | Measure | Importance = "ndcg@10",
        similarity: str | Similarity = "pooled-spearman",
        unproven: Unproven = "last",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.importance = importance
        self.similarity = similarity
        self.unproven = unproven

    def _select(self, data: RankingData) -> Selection:
        order: list[Indices] = []
        self.labels_ = np.full(data.n_features, -1, dtype=np.int64)
        n_before = 0
        for features in self._rate(data):
            joins = _joined(self.similarity_[np.ix_(features, features)])
            order.append(features[_entering(joins, self.importance_[features])])
            number = min(max(self.n_features_ - n_before, 0), len(features))
            if number:
                leaders = order[-1][:number]
                self.labels_[features] = n_before + _labels(joins, features, leaders)
            n_before += len(features)
        chosen_first = and_the_others(np.concatenate(order), self.importance_)
        return Selection(chosen_first, self.importance_)


def _joined(similarity: NDArray[np.float64]) -> Indices:
    """Return which nodes Ward's method joins, step by step, for distances of 1 - similarity.

    Step i joins two nodes to node n + i of n features; nodes below n are features.
    """
    if len(similarity) < 2:
        return np.empty((0, 2), dtype=np.int64)
    distances = np.maximum(1.0 - similarity, 0.0)
    np.fill_diagonal(distances, 0.0)
    steps = linkage(np.sqrt(squareform(distances, checks=False)), "ward")
    joins: Indices = steps[:, :2].astype(np.int64)
    return joins


def _entering(joins: Indices, importance: NDArray[np.float64]) -> Indices:
    """Return features in the order in which finer cuts choose them.

    Of the two nodes of a join, the one without the best feature of both brings its own in when
    the join is undone.

    Examples
    --------
    >>> _entering(np.array([[0, 2], [1, 3]]), np.array([0.5, 0.4, 0.9]))
    array([2, 1, 0])
    """
    best, losing = list(range(len(importance))), []
    for pair in joins:
        winner, loser = sorted((best[node] for node in pair), key=lambda f: (-importance[f], f))
        best.append(winner)
        losing.append(loser)
    return np.array((best[-1:] + losing[::-1]), dtype=np.int64)


def _labels(joins: Indices, features: Indices, leaders: Indices) -> Indices:
    """Return the cluster of each feature, by the leader in it, where the last joins are undone."""
    members = [[leaf] for leaf in range(len(features))]
    cluster_of = np.arange(len(features), dtype=np.int64)
    for left, right in joins[: len(features) - len(leaders)]:
        members.append(members[left] + members[right])
        cluster_of[members[-1]] = len(members) - 1
    of_leaders = cluster_of[np.searchsorted(features, leaders)]
    labels: Indices = np.argmax(cluster_of[:, None] == of_leaders, axis=1)
    return labels
