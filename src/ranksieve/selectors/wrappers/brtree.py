"""BRTree: what boosted trees find important, less what is like the features chosen before."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.data.canonical import in_content_order
from ranksieve.errors import ConvergenceWarning
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.progress import silent
from ranksieve.rankers import has_pairs
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector, constant_features
from ranksieve.selectors.wrappers._rankrfe_estimators import fitted, sizes
from ranksieve.selectors.wrappers._usual_trees import as_trees
from ranksieve.similarity import Similarity, as_similarity

_CRITERIA = ("importance", "similarity", "both")
# Values that differ by less are equal: the lower index is taken.
_EQUAL = 1e-12


class BRTree(Selector):
    """Features that boosted trees rely on, discounted by their similarity to those chosen before.

    r_f is the relative importance of feature f in boosted regression trees: what its splits
    gained in squared error, over all trees, as a share of that of the most important feature.
    The first feature is that. The next is the one with the largest

        "importance"   r_f
        "similarity"   - mean over chosen g of s_fg
        "both"         r_f - discount * mean over chosen g of s_fg

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for half of
        the features.
    ranker : str, object or None
        Whose importances count, trained once on all features. None for trees of squared error:
        LightGBMRanker(50, num_leaves=7, objective="regression") where LightGBM is installed, and
        scikit-learn's GradientBoostingRegressor where it is not. "LightGBMRanker" would be
        LambdaMART.
    similarity : str or Similarity
        s_fg; "kendall" is the paper's.
    criterion : {"importance", "similarity", "both"}
    discount : float
        How much of the mean similarity is taken off, for "both".

    Attributes
    ----------
    order_ : as chosen; constant features last
    scores_ : (n_features,) array, the criterion's value of a feature when it was chosen; minus
        infinity where it is constant in every query
    importance_ : (n_features,) array, r_f
    similarity_ : (n_features, n_features) array; not computed for "importance"

    Notes
    -----
    Known of the paper, from its abstract and from the survey of Laporte and others (2014): the
    relative importance of Friedman, Kendall's tau between features as their similarity, greedy
    selection by importance, by similarity and by both, "discounting importance by feature
    similarity", and that importance alone did better than both on its data. The text was not
    at hand: that the discount is a difference, of the *mean* similarity, so that it does not grow
    with the number chosen, and that "similarity" begins with the most important feature, is
    ours. `GAS` takes the *sum*, with any importance: GAS(importance="shap") is near to it.
    The paper's randomised search is `RandomRFE`.

    Equal values go to the lower index. Where no query has documents of different grades nothing is
    trained, and all importances are 0. The order of rows, queries and columns decides nothing,
    but between equal columns.

    Cost: one training, the similarity (O(p² sum m² / 64) for Kendall's), and O(p²). Memory: two
    copies of the data.

    Pan, Converse, Ahn, Salvetti and Donato, Feature selection for ranking using boosted trees,
    CIKM 2009; Friedman, Greedy function approximation: a gradient boosting machine, 2001.

    Examples
    --------
    >>> from ranksieve import BRTree, make_ranking
    >>> data, truth = make_ranking(60, n_relevant=2, n_redundant=2, n_irrelevant=4, random_state=3)
    >>> trees = BRTree(n_features_to_select=2, discount=1.0).fit(data)
    >>> sorted(truth.copies_of.get(f, f) for f in trees.order_[:2].tolist())
    [0, 1]
    """

    default_grid: ClassVar[DefaultGrid] = {"discount": (0.0, 0.1, 0.3, 1.0)}

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        ranker: Any = None,
        similarity: str | Similarity = "kendall",
        criterion: Literal["importance", "similarity", "both"] = "both",
        discount: float = 0.1,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.ranker = ranker
        self.similarity = similarity
        self.criterion = criterion
        self.discount = discount

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return the similarity, where it counts."""
        if self.criterion == "importance":
            return ()
        return (SharedComponent.similarity("similarity", self.similarity),)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_choice("criterion", self.criterion, _CRITERIA)
        check_number("discount", self.discount, least=0)

    def _select(self, data: RankingData) -> Selection:
        self.check_parameters()
        similarity = as_similarity(self.similarity)
        varying = np.flatnonzero(~constant_features(data))
        self.importance_ = self._importances(data, varying)
        alike = np.zeros((data.n_features, data.n_features))
        if self.criterion != "importance":
            alike = self.similarity_ = similarity.matrix(data)
        places, values = discounted_order(
            self.importance_[varying],
            alike[np.ix_(varying, varying)],
            weight=0.0 if self.criterion == "similarity" else 1.0,
            discount=self.discount if self.criterion == "both" else 1.0,
        )
        scores = np.full(data.n_features, -np.inf)
        scores[varying[places]] = values
        rest = np.setdiff1d(np.arange(data.n_features), varying)
        return Selection(np.concatenate([varying[places], rest]), scores)

    def _importances(self, data: RankingData, varying: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return importances as shares of the largest; 0 where there is nothing to learn."""
        ranker, importances = as_trees(self.ranker), np.zeros(data.n_features)
        if len(varying) == 0 or not has_pairs(data):
            return importances
        own, places = in_content_order(data.features(varying))
        with silent(), warnings.catch_warnings():
            # Trees without a split find all features alike, which is what 0 says.
            warnings.simplefilter("ignore", ConvergenceWarning)
            importances[varying[places]] = sizes(fitted(ranker, own), len(varying))
        largest = importances.max()
        return importances / largest if largest > 0 else importances


def discounted_order(
    importance: NDArray[np.float64],
    similarity: NDArray[np.float64],
    *,
    weight: float = 1.0,
    discount: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return features as chosen, and the value of each when it was chosen.

    The value is weight * importance - discount * mean similarity to those chosen before; of equal
    values the larger importance is taken, then the lower index.

    Examples
    --------
    >>> importance = np.array([1.0, 0.9, 0.5])
    >>> similarity = np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1.0]])
    >>> discounted_order(importance, similarity, discount=1.0)  # 0.9 - 0.9; 0.9 - (0.9 + 0) / 2
    (array([0, 2, 1]), array([1.  , 0.5 , 0.45]))
    """
    n_features, sums = len(importance), np.zeros(len(importance))
    left, order, values = np.ones(n_features, dtype=bool), [], []
    for number in range(n_features):
        worth = weight * importance - discount * sums / max(number, 1)
        worth[~left] = -np.inf
        equal = worth >= worth.max() - _EQUAL
        chosen = int(np.argmax(np.where(equal, importance, -np.inf)))
        order.append(chosen)
        values.append(worth[chosen])
        left[chosen] = False
        sums += similarity[:, chosen]
    return np.array(order, dtype=np.int64), np.array(values)
