"""The features with the largest importance, one by one."""

from __future__ import annotations

from ranksieve.data import RankingData
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector, by_score
from ranksieve.selectors.filters._unproven import Unproven, better_first, check_unproven, rated


class TopK(Selector):
    """Features by importance alone; turns every importance into a selector.

    Copies of a good feature are all kept: compare with `GAS`, which charges for similarity.

    Parameters
    ----------
    importance : str, Measure or Importance
        A measure's text such as "map" or "ndcg@10", or the name of an importance. Best the
        measure that the ranker is trained for: "ndcg@10" for those of this package.
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for half of
        the features.
    unproven : {"last", "published"}
        "last" puts features whose importance is not shown to be better than that of a random
        order (`Importance.better_than_random`, level 0.05) after all that are, before constant
        ones. "published" treats them like any other. Where no feature is better, both are alike.

    Attributes
    ----------
    order_ : all features by falling importance, equal ones by index; constant features last
    scores_, importance_ : the importance of each feature
    better_than_random_ : (n_features,) array of bool, with unproven="last"

    Notes
    -----
    Cost: that of the importance, and O(p log p).

    Examples
    --------
    >>> from ranksieve import TopK, make_ranking
    >>> data, truth = make_ranking(n_relevant=2, n_redundant=0, n_irrelevant=3, random_state=1)
    >>> top = TopK("map", n_features_to_select=2).fit(data)
    >>> sorted(top.order_[:2].tolist()) == truth.relevant.tolist()
    True
    """

    def __init__(
        self,
        importance: str | Measure | Importance = "map",
        *,
        n_features_to_select: NumberOfFeatures = None,
        unproven: Unproven = "last",
    ) -> None:
        self.importance = importance
        self.n_features_to_select = n_features_to_select
        self.unproven = unproven

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return the importance."""
        return (SharedComponent.importance("importance", self.importance),)

    def _select(self, data: RankingData) -> Selection:
        check_unproven(self.unproven)
        self.importance_, better = rated(as_importance(self.importance), data, self.unproven)
        order = by_score(self.importance_)
        if better is not None:
            self.better_than_random_ = better
            order = better_first(order, better)
        return Selection(order, self.importance_)
