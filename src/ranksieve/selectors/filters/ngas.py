"""NGAS: from the last feature to the one least like it, or to a better one like that."""

from __future__ import annotations

from typing import ClassVar

from ranksieve.estimator import DefaultGrid
from ranksieve.importance import Importance
from ranksieve.measures import Measure
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.filters._rated import Indices, least, most, without
from ranksieve.selectors.filters._unproven import Unproven
from ranksieve.selectors.filters._walk import WalkSelector
from ranksieve.similarity import Similarity


class NGAS(WalkSelector):
    """Features on a walk to what is least like the last one: no balance, and nothing to tune.

    With the importance R and the similarity S, t is the most important feature at first. Then,
    until none remains:

        p = the remaining feature with the least S(t, p);     t is chosen, and remains no longer
        q = the remaining feature, other than p, with the largest S(p, q)
        t = p   if R(p) >= R(q),   else q

    The one of p and q that is not taken remains. Sets are nested: the first k of `order_` are the
    set for every k.

    Parameters
    ----------
    n_features_to_select : int, float, str, Choice or None
        A number, a share between 0 and 1, None for half of the features, or "validation".
    importance : str, Measure or Importance
        R. A measure's text such as "ndcg@10" (of ranking by the feature itself, better
        direction), or the name of an importance. The paper's is NDCG@10 of LambdaMART trained on
        the feature: "single-ranker" with held-out queries,
        "single-ranker('LightGBMRanker', n_folds=None)" on those that trained it.
    similarity : str or Similarity
        S; of one with a sign its size. "pooled-spearman", over all documents, is the paper's;
        "spearman" sees orders within queries.
    unproven : {"last", "published"}
        "last" takes features whose importance is not shown to be better than that of a random
        order (`Importance.better_than_random`, level 0.05) only when no other remains; the walk
        goes on to them from the last of the others. "published" treats them like any other: p is
        taken for being unlike t, so that noise comes early. Where no feature is shown to be
        better, both are alike.

    Attributes
    ----------
    order_ : all features in the order of the walk, constant features last
    scores_, importance_ : (n_features,) array, R
    similarity_ : (n_features, n_features) array, the sizes of S
    better_than_random_ : (n_features,) array of bool, with unproven="last"

    Notes
    -----
    Equal values go to the lower index. A step compares with the last feature alone: what is unlike
    t may be a copy of the feature before it. Features that are constant in every query are not
    offered (the paper does not speak of them; they are unlike all others).

    Cost: that of importance and similarity, and O(p^2).
    Gigli, Lucchese, Nardini and Perego, Fast feature selection for learning to rank, ICTIR 2016.

    Examples
    --------
    >>> from ranksieve import NGAS, make_ranking
    >>> data, truth = make_ranking(n_relevant=3, n_redundant=0, n_irrelevant=3, random_state=0)
    >>> sorted(NGAS(3).fit(data).order_[:3].tolist()) == truth.relevant.tolist()
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

    def _next(self, last: int, remaining: Indices) -> int:
        unlike = least(self.similarity_[last], remaining)
        candidates = without(remaining, unlike)
        if len(candidates) == 0:
            return unlike
        like_it = most(self.similarity_[unlike], candidates)
        return unlike if self.importance_[unlike] >= self.importance_[like_it] else like_it
