"""The features with the largest importance, one by one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ranksieve.choices import as_choice
from ranksieve.data import RankingData
from ranksieve.estimator import takes_qid
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import (
    NumberOfFeatures,
    Selection,
    Selector,
    by_score,
    constant_features,
    constant_last,
    number_to_select,
)
from ranksieve.selectors.filters._sparse_columns import column_pieces
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
    Cost: that of the importance, and O(p log p). A scipy sparse matrix stays sparse where the
    importance looks at each feature alone (all but `permutation`) and the number of features is
    not chosen on validation: some features at a time are made dense, 64 MiB at most, with the
    same result.

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

    @takes_qid
    def fit(self, X: Any, y: ArrayLike | None = None, *, qid: ArrayLike | None = None) -> Self:
        """Fit on arrays, dense or sparse, with one query id per row, or on RankingData alone."""
        alone = sparse.issparse(X) and as_importance(self.importance).looks_alone
        if not alone or as_choice(self.n_features_to_select) is not None:
            fitted: Self = super().fit(X, y, qid=qid)
            return fitted
        with self._all_or_nothing():
            self._fit_sparse(X, y, qid)
        return self

    def _fit_sparse(self, X: Any, y: ArrayLike | None, qid: ArrayLike | None) -> None:
        """Rate the features of a sparse matrix, some at a time."""
        check_unproven(self.unproven)
        matrix, grades = self._check_sparse(X, y)
        number = number_to_select(
            self.n_features_to_select, matrix.shape[1], none_means=self._none_means
        )
        importance, scores, better, constant = as_importance(self.importance), [], [], []
        for piece in column_pieces(matrix, grades, qid):
            rating, is_better = rated(importance, piece, self.unproven)
            scores.append(rating)
            better.append(np.ones(0, dtype=bool) if is_better is None else is_better)
            constant.append(constant_features(piece))
        self.importance_ = self.scores_ = np.concatenate(scores)
        order = by_score(self.importance_)
        if self.unproven == "last":
            self.better_than_random_ = np.concatenate(better)
            order = better_first(order, self.better_than_random_)
        self.order_ = constant_last(order, np.concatenate(constant))
        self.n_features_ = number

    def _select(self, data: RankingData) -> Selection:
        check_unproven(self.unproven)
        self.importance_, better = rated(as_importance(self.importance), data, self.unproven)
        order = by_score(self.importance_)
        if better is not None:
            self.better_than_random_ = better
            order = better_first(order, better)
        return Selection(order, self.importance_)
