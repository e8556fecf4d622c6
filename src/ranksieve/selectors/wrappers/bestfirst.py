"""Best-first search: features are parted into subsets, each of which makes one new feature."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError, ParameterError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.measures import Measure, counting_queries, parse_measure
from ranksieve.progress import report, silent
from ranksieve.rankers import Ranker, has_pairs
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector, constant_features
from ranksieve.selectors.wrappers._bestfirst_nodes import (
    DIGITS,
    Ascents,
    Nodes,
    Trained,
    best_subset,
)
from ranksieve.selectors.wrappers._rankrfe_estimators import as_estimator, predicted


class BestFirst(Selector):
    """Features of the subsets that a best-first search finds, the first subset's first.

    Nodes of a graph are sets of features, and an edge adds or takes away one feature. The value
    of a node is the mean of a measure over the training queries, for a ranker trained on its
    features alone. The search begins with all single features and goes from the node with the
    largest value that it has not left yet to all its neighbours:

        best subset = node with the largest value when `patience` nodes in a row were left
                      without a value more than `tol` above the best before

    The features of the best subset are taken out, and the search begins again with the others,
    until none is left. The subsets do not overlap and have all features. The scores of a
    subset's ranker are one new feature: `combine` makes data of these, which are few.

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for the
        features of the first subset.
    ranker : str, object or None
        What is trained at a node, from the weights of the node that it is reached from, where it
        can be (RankSVM, CoordinateAscent). None for coordinate ascent of the measure, which is
        done in parts: a node is first reached by the best step along the weight of its new
        feature alone, climbed for a round over all its features when the search goes on from it,
        and to the end where it is the best subset.
    measure : str or Measure
        The value of a ranking. Documents with equal scores are averaged over all their orders
        where the measure would go by rows (ties="input").
    patience : int
        Nodes that may be left in a row without a better one: the paper's R.
    tol : float
        What a node must be better by.
    max_size : int or None
        Features of a subset at most; None for any number.
    n_subsets : int or None
        Subsets at most, after which the search ends; None until no feature is left. Features that
        are in none come after those that are, by their value alone.

    Attributes
    ----------
    order_ : the first subset's features, then the second's, and so on
        Within a subset by the value of the feature alone, then the index; constant ones last.
    scores_ : (n_features,) array, the value of a feature's subset; alone, where it is in none; 0
        for constant ones
    subsets_ : list of arrays, the features of each subset
    values_ : array, the value of each subset
    models_ : list of the fitted rankers
    alone_ : (n_features,) array, the value of each feature alone; 0 if it is constant
    n_fits_ : int, nodes that were trained

    Notes
    -----
    From the abstract of the paper, and the survey of Laporte and others (Nonconvex regularizations
    for feature selection in ranking with sparse SVM, 2014): a wrapper by best-first search that
    parts the features into subsets, each combined by coordinate ascent so that a measure is
    largest on the training set, and rankers trained on the new features. The paper's text was not
    at hand. So the tolerance, the warm starts, single features as the beginning, the order of
    the features, which a selector needs, and how ties are broken (the smaller set first, then
    by content) are ours.

    Values are of training queries, as in the paper: with a ranker that fits them closely, such
    as trees, a subset grows as long as that helps there. Set max_size then.

    Where no query can be ranked better or worse there is nothing to search: `subsets_` is empty,
    and features keep their order. The order of rows, queries and columns decides nothing, but
    between equal columns.

    Cost: about p (s + patience) nodes per subset of s features, p those that are left: O(p²
    (1 + patience / s)) in all. A node is a training of few features, or 14 to 29 measures of the
    data where coordinate ascent is done in parts. Memory: three copies of the features, in
    float64.

    Dang and Croft, Feature selection for document ranking using best first search and
    coordinate ascent, SIGIR workshop on feature generation and selection, 2010; Kohavi and John,
    Wrappers for feature subset selection, 1997.

    Examples
    --------
    >>> from ranksieve import BestFirst, make_ranking
    >>> data, truth = make_ranking(40, n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=1)
    >>> search = BestFirst(n_features_to_select=2, n_subsets=2).fit(data)
    >>> search.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    >>> search.combine(data).n_features, [len(subset) for subset in search.subsets_]
    (2, [5, 1])
    """

    default_grid: ClassVar[DefaultGrid] = {}
    decides_number: ClassVar[bool] = True
    _none_means: ClassVar[str] = "the features of the first subset"

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        ranker: Any = None,
        measure: str | Measure = "ndcg@10",
        patience: int = 2,
        tol: float = 1e-3,
        max_size: int | None = None,
        n_subsets: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.ranker = ranker
        self.measure = measure
        self.patience = patience
        self.tol = tol
        self.max_size = max_size
        self.n_subsets = n_subsets

    def combine(self, X: Any) -> Any:
        """Return the scores of each subset's ranker as features: one column per subset.

        RankingData becomes RankingData with features subset_1, subset_2 and so on; a matrix or a
        frame becomes a matrix.
        """
        check_is_fitted(self)
        if not self.models_:
            raise DataError(
                "the search has no subset: no query of the fit can be ranked better or worse. "
                "Check the grades, and that qid groups the documents of one query."
            )
        pairs = zip(self.models_, self.subsets_, strict=True)
        if not isinstance(X, RankingData):
            matrix = self._check_matrix(X)
            return np.column_stack([model.predict(matrix[:, subset]) for model, subset in pairs])
        data = self._check_same_features(X)
        scores = [predicted(model, data.features(subset)) for model, subset in pairs]
        block = Block(
            np.asfortranarray(np.column_stack(scores)), data.y, data.query_ptr, data.query_ids
        )
        return RankingData([block], [f"subset_{number + 1}" for number in range(len(scores))])

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("patience", self.patience, least=1, integer=True)
        check_number("tol", self.tol, least=0)
        for name in ("max_size", "n_subsets"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), least=1, integer=True)

    def _select(self, data: RankingData) -> Selection:
        self.check_parameters()
        measure = parse_measure(self.measure)
        measure = measure.with_ties("average") if measure.ties == "input" else measure
        measure.check_grades(data.y)
        ranker = self._ranker()
        self.subsets_: list[NDArray[np.int64]] = []
        self.models_: list[Any] = []
        self.n_fits_ = 0
        self.values_, self.alone_ = np.empty(0), np.zeros(data.n_features)
        scores = np.zeros(data.n_features)
        varies = not constant_features(data).all()
        if varies and has_pairs(data) and counting_queries(data, measure).any():
            nodes = Ascents(data, measure) if ranker is None else Trained(data, ranker, measure)
            self._search(nodes, scores)
        return Selection(self._order(), scores)

    def _search(self, nodes: Nodes, scores: NDArray[np.float64]) -> None:
        """Part the features into subsets; set what is known of them, and scores."""
        with silent():
            nodes.visit([((f,), None) for f in range(nodes.n_features)])
        alone = [nodes.values[f,] for f in range(nodes.n_features)]
        self.alone_[nodes.columns] = scores[nodes.columns] = alone
        left = set(range(nodes.n_features))
        limit = nodes.n_features if self.n_subsets is None else self.n_subsets
        while left and len(self.models_) < limit:
            report("searching", nodes.n_features - len(left), nodes.n_features)
            with silent():
                best = best_subset(nodes, left, self.patience, self.tol, self.max_size)
                model, value = nodes.model(best)
            left -= set(best)
            self.subsets_.append(nodes.columns[list(best)])
            self.models_.append(model)
            scores[self.subsets_[-1]] = value
        report("searching", nodes.n_features, nodes.n_features)
        self.values_ = np.array([scores[subset[0]] for subset in self.subsets_])
        self.n_fits_ = len(nodes.values)
        if self.n_features_to_select is None:
            self.n_features_ = len(self.subsets_[0])

    def _order(self) -> NDArray[np.int64]:
        number = np.full(len(self.alone_), len(self.subsets_))
        for index, subset in enumerate(self.subsets_):
            number[subset] = index
        return np.lexsort((-self.alone_.round(DIGITS), number)).astype(np.int64)

    def _ranker(self) -> Any:
        if self.ranker is None:
            return None
        ranker = as_estimator(self.ranker)
        if isinstance(ranker, Selector) and not isinstance(ranker, Ranker):
            raise ParameterError(
                f"ranker must give documents scores, but {type(ranker).__name__} is a selector. "
                "Give a ranker such as 'CoordinateAscent' or 'RankSVM'."
            )
        return ranker
