"""XGAS: from the last feature to the most important of those least like it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ranksieve.errors import ParameterError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.importance import Importance
from ranksieve.measures import Measure
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.filters._rated import Indices, most
from ranksieve.selectors.filters._unproven import Unproven
from ranksieve.selectors.filters._walk import WalkSelector
from ranksieve.similarity import Similarity


class XGAS(WalkSelector):
    """Features on a walk to the best of what is least like the last one.

    With the importance R and the similarity S, t is the most important feature at first. Then,
    until none remains: of the m remaining features (t is none of them),

        t = the one with the largest R among the max(1, round(c m)) with the least S(t, .)

    Sets are nested: the first k of `order_` are the set for every k. With c = 1 this is `TopK`,
    with c = 0 a walk to the least similar feature.

    Parameters
    ----------
    n_features_to_select : int, float, str, Choice or None
        A number, a share between 0 and 1, None for half of the features, or "validation".
    c : float, from 0 to 1
        Share of the remaining features among which importance decides.
    importance, similarity : as in `NGAS`
    unproven : {"last", "published"}
        As in `NGAS`: with "last", m counts the remaining features that are shown to be better than
        a random order as long as there are any.

    Attributes
    ----------
    order_ : all features in the order of the walk, constant features last
    scores_, importance_ : (n_features,) array, R
    similarity_ : (n_features, n_features) array, the sizes of S
    better_than_random_ : (n_features,) array of bool, with unproven="last"

    Notes
    -----
    Halves are rounded to even numbers. Equal values go to the lower index, among the similarities
    (which features are least like t) and among the importances. Features that are constant in
    every query are not offered.

    Cost: that of importance and similarity, and O(p^2 log p).
    Gigli, Lucchese, Nardini and Perego, Fast feature selection for learning to rank, ICTIR 2016.

    Examples
    --------
    >>> from ranksieve import XGAS, make_ranking
    >>> data, truth = make_ranking(n_relevant=3, n_redundant=0, n_irrelevant=3, random_state=0)
    >>> sorted(XGAS(3, c=0.2).fit(data).order_[:3].tolist()) == truth.relevant.tolist()
    True
    """

    default_grid: ClassVar[DefaultGrid] = {"c": (0.01, 0.05, 0.2, 0.5)}

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        c: float = 0.05,
        importance: str | Measure | Importance = "ndcg@10",
        similarity: str | Similarity = "pooled-spearman",
        unproven: Unproven = "last",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.c = c
        self.importance = importance
        self.similarity = similarity
        self.unproven = unproven

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        check_number("c", self.c, least=0)
        if self.c > 1:
            raise ParameterError(f"c is a share and must be at most 1, but is {self.c!r}")

    def _next(self, last: int, remaining: Indices) -> int:
        n_unlike = max(1, round(self.c * len(remaining)))
        by_similarity = np.argsort(self.similarity_[last, remaining], kind="stable")
        return most(self.importance_, np.sort(remaining[by_similarity[:n_unlike]]))
