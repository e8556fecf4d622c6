"""Hierarchical-ILTR: of each cluster of features the one with the largest weight in a ranker."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.rankers import has_pairs
from ranksieve.selectors.base import constant_features
from ranksieve.selectors.filters._delegates import DelegateSelector, Rates
from ranksieve.selectors.wrappers._rankrfe_estimators import as_estimator, fitted, sizes
from ranksieve.similarity import Similarity

_DECIMALS = 9


class HierarchicalILTR(DelegateSelector):
    """Of each cluster of features that rank alike the one with the largest weight in a ranker.

    1. Distance of two features: 1 - |similarity of their rankings|, of Kendall's tau-b.
    2. k clusters of features: k medoids with the least sum over features of the distance to the
       nearest one.
    3. A linear ranker is trained once, with all features. The delegate of a cluster: its feature
       with the largest |weight|.

    The number of clusters is the number of features kept; a choice made on data takes two at
    least, as one cluster is no clustering. Sets for different numbers need not be nested: fit again
    for another number, do not cut `order_` elsewhere.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", "validation", Validation or None
        As in `HierarchicalBEM`.
    estimator : str or object
        A ranker with weights, or with importances of features, as text such as "RankSVM(C=0.01)"
        or as an object, which is cloned; or any estimator in scikit-learn's manner that `RankRFE`
        takes too.
    similarity, clustering : as in `HierarchicalBEM`

    Attributes
    ----------
    order_ : delegates by falling |weight|, then the others by falling |weight|; constant last
    scores_ : (n_features,) array
        |weight| of each feature, or the ranker's importance of it, as a share of the largest and
        to nine decimals: a solver knows it no better. 0 for constant features.
    estimator_ : the ranker, fitted on all features; None where no query has different grades
    similarity_, labels_, auto_candidates_, auto_criterion_ : as in `HierarchicalBEM`

    Notes
    -----
    As with `HierarchicalBEM` the paper was not at hand; what is known is that a ranker "implied by
    the learning-to-rank method" says by its weights who stands for a cluster. "The highest weight"
    is the largest |weight| here: a negative one orders documents as well. Features that are alike
    share a weight, so that a large cluster's delegate may have a small one: it is compared with
    the others of its cluster alone. Where no query has documents with different grades, all
    weights count as 0. Equal values go to the lower index.

    Weights depend on units: scale the features (`ranksieve.data.scale`) where their ranges differ.

    Cost: one fit of the ranker, the similarity, and clusters as in `HierarchicalBEM`.

    Hua, Zhang, Liu, Ma and Ru, Hierarchical feature selection for ranking, WWW 2010.

    Examples
    --------
    >>> from ranksieve import HierarchicalILTR, make_ranking
    >>> data, truth = make_ranking(
    ...     n_relevant=3, n_redundant=6, n_irrelevant=0, redundancy_noise=0.1, random_state=0
    ... )
    >>> chosen = HierarchicalILTR(3, estimator="RankSVM(C=0.01)").fit(data)
    >>> {truth.copies_of.get(int(f), int(f)) for f in chosen.order_[:3]} == set(truth.relevant)
    True
    """

    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        estimator: Any = "RankSVM",
        similarity: str | Similarity = "tau-b",
        clustering: str = "medoids",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.estimator = estimator
        self.similarity = similarity
        self.clustering = clustering

    def _rate(self, data: RankingData) -> Rates:
        estimator, varying = as_estimator(self.estimator), ~constant_features(data)
        self.estimator_ = fitted(estimator, data) if has_pairs(data) else None
        worth: NDArray[np.float64] = np.zeros(data.n_features)
        if self.estimator_ is not None:
            worth = np.where(varying, sizes(self.estimator_, data.n_features), 0.0)
            worth /= float(worth.max()) or 1.0
        return Rates(worth.round(_DECIMALS), np.zeros(data.n_features, dtype=bool))
