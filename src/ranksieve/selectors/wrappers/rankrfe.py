"""RankRFE: recursive feature elimination for ranking."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.rankers import Ranker, has_pairs
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector
from ranksieve.selectors.wrappers._rankrfe_estimators import (
    as_estimator,
    fitted,
    predicted,
    with_ranker,
)
from ranksieve.selectors.wrappers._rankrfe_rounds import (
    ImportanceJudge,
    Judge,
    NoJudge,
    RankerJudge,
    SelectorJudge,
    check_step,
    eliminate,
    only,
)


def _has_ranker(rfe: Any) -> bool:
    if hasattr(rfe, "order_"):
        return hasattr(rfe, "estimator_")
    return _ranks(as_estimator(rfe.estimator))


class RankRFE(Selector):
    """Features that are left when the least of them go, round by round.

    Features that are constant in every query go first, before any fit. Then, until one is left,
    the estimator is fitted on what is left, and the last `step` features of its order go:

        a ranker's order    by falling |coef_|, or else falling feature_importances_,
                            equal ones by index: of these the higher index goes first
        a selector's order  its `order_`; a sparse ranker, such as SparseRankSVM, is both:
                            its `order_` is that of its weights
        an importance       by falling scores of what is left, where one is given

    Unlike weights that are looked at once, those of a round are of a model without the
    features that went: what a dropped copy carried moves to the copy that stays.

    Parameters
    ----------
    estimator : str or object
        A ranker or a selector, as text such as "RankSVM(C=0.01)" or "RankFilter(n_neighbors=10)"
        or as an object, which is cloned; or any estimator in scikit-learn's manner with
        `fit(X, y, qid=...)`, or `group=` (documents per query) or `group_id=`, that then has
        `coef_` or `feature_importances_`, such as XGBoost's XGBRanker or LightGBM's LGBMRanker. A
        selector's own number of features has no effect; a sparse ranker keeps its strength, or
        chooses one by folds in each round. What a ranker chooses by folds, such as the C of
        RankSVM(), is chosen once, with all features, and kept in every round.
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for half of
        the features.
    step : int or float
        How many features go in a round: a number, or a share between 0 and 1 of those that are
        left then, to the nearest number (halves up), one at least.
    importance : str, Measure, Importance or None
        What says which features go, with a ranker as the estimator; None for the estimator
        itself. "permutation" asks what queries lose when a feature's values change places
        (`PermutationImportance`): by the estimator, where it names no other ranker, so that any
        ranker will do, also one without weights. "shap" asks how far a feature moves documents of a
        query apart in its scores (`ShapImportance`), for linear and tree rankers. Importances that
        look at features one by one let the same features go in every round: `TopK` is that without
        rounds.

    Attributes
    ----------
    order_ : the last to go first; within a round by the numbers of that round; constant last
    scores_ : (n_features,) array
        The round in which a feature went, from 1; 0 where it is constant; one more than the last
        round for the one that stayed. Features of one round share a number.
    n_fits_ : int, how often the estimator was fitted, but for trainings of an importance
    estimator_ : the ranker, fitted on the selected features
        None where no query has documents with different grades; absent with a selector that
        does not rank.
    coef_ : (n_features,) array
        The weights of `estimator_`, where it has some: 0 for features that are not selected.

    Notes
    -----
    The selected features are the first of `order_`, also where their number falls inside a
    round. With a ranker, `predict` and `score` use them through `estimator_`; with a selector
    there are none. Where no query has documents with different grades a ranker has nothing to
    learn: nothing is fitted, the features go from the highest index, and `predict` raises.

    Weights depend on units: a feature in small units needs a large weight. Scale the features
    (`ranksieve.data.scale`) before eliminating by the weights of a linear ranker.

    scikit-learn's RFE takes a share of all features, so that the last rounds drop as many
    features as the first; here it is of those that are left, which halves them with step=0.5,
    as in the experiments of Yu, Oh and Han. RFE also stops at the number of features that is
    asked for; here the elimination goes on to the last, so that `order_` is complete.

    Cost: p - 1 fits for p features with step=1, (p - 1) / step with a number, about
    log(p) / -log(1 - step) with a share, and one more for `estimator_`. `RankSVM` starts each from
    the weights of the round before, which takes a third to a half of the passes with step=1.
    With importance="permutation" each round has five trainings of the ranker's quick copy, and one
    to three predictions of the data for each feature that is left: about p²/2 predictions with
    step=1 (p²/(2 step) with a number). Take a share for step where features are many.
    With importance="shap" a round is one training of the quick copy, and TreeSHAP of the training
    documents, which takes 2 to 6 times as long with LightGBM and XGBoost, and less with CatBoost.
    Memory: a copy of the features that are left, once any went.

    Guyon, Weston, Barnhill and Vapnik, Gene selection for cancer classification using support
    vector machines, 2002; for ranking: Yu, Oh and Han, Efficient feature weighting methods for
    ranking, CIKM 2009.

    Examples
    --------
    >>> from ranksieve import RankRFE, make_ranking
    >>> data, truth = make_ranking(n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=1)
    >>> rfe = RankRFE("RankSVM(C=0.01)", n_features_to_select=2).fit(data)
    >>> rfe.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    >>> rfe.estimator_, rfe.n_fits_, rfe.predict(data).shape == (data.n_documents,)
    (RankSVM(C=0.01), 6, True)
    """

    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}

    def __init__(
        self,
        estimator: Any = "RankSVM",
        n_features_to_select: NumberOfFeatures = None,
        *,
        step: int | float = 1,
        importance: str | Measure | Importance | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.importance = importance

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of all features, 0 for those that are not selected."""
        fitted_weights = getattr(getattr(self, "estimator_", None), "coef_", None)
        if fitted_weights is None:
            raise AttributeError(f"this {type(self).__name__} has no fitted ranker with weights")
        weights = np.zeros(self.n_features_in_)
        weights[self.get_support()] = np.ravel(fitted_weights)
        return weights

    @available_if(_has_ranker)
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return one score per document, for a matrix, a frame or RankingData with all features."""
        check_is_fitted(self)
        if self.estimator_ is None:
            raise DataError(
                "no ranker was trained: no query of the fit has documents with different grades. "
                "Check the grades, and that qid groups the documents of one query."
            )
        chosen = self.get_support(indices=True)
        if isinstance(X, RankingData):
            return predicted(self.estimator_, self._check_same_features(X).features(chosen))
        return np.asarray(self.estimator_.predict(self._check_matrix(X)[:, chosen]), np.float64)

    @available_if(_has_ranker)
    def score(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, *, qid: Any = None
    ) -> float:
        """Return the mean NDCG@10 of the ranking by `predict`, as every ranker's `score`."""
        return Ranker.score(cast(Ranker, self), X, y, sample_weight, qid=qid)

    def _select(self, data: RankingData) -> Selection:
        check_step(self.step)
        estimator = _tuned(as_estimator(self.estimator), data)
        judge = _judge(estimator, data, self.importance)
        selection = eliminate(judge, data, self.step)
        self.n_fits_ = judge.n_fits
        if _ranks(estimator):
            self.estimator_ = None
            if has_pairs(data):
                selected = np.sort(selection.order[: self.n_features_])
                self.estimator_ = fitted(estimator, only(data, selected))
                self.n_fits_ += 1
        return selection


def _ranks(estimator: Any) -> bool:
    """Tell whether an estimator gives documents scores: sparse rankers select and rank."""
    return isinstance(estimator, Ranker) or not isinstance(estimator, Selector)


def _tuned(estimator: Any, data: RankingData) -> Any:
    """Return the estimator with what a ranker chooses by folds chosen once, with all features."""
    tunable = isinstance(estimator, Ranker) and not isinstance(estimator, Selector)
    return estimator.tuned(data) if tunable else estimator


def _judge(
    estimator: Any, data: RankingData, importance: str | Measure | Importance | None
) -> Judge:
    if importance is not None:
        judging = _importance_of(estimator, importance)
        return ImportanceJudge(judging) if has_pairs(data) else NoJudge()
    if isinstance(estimator, Selector):
        return SelectorJudge(estimator)
    return RankerJudge(estimator) if has_pairs(data) else NoJudge()


def _importance_of(estimator: Any, spelled: str | Measure | Importance) -> Importance:
    """Return an importance; one that trains a ranker but names none gets the estimator."""
    if not _ranks(estimator):
        raise ParameterError(
            f"importance says which features of a ranker go, but {type(estimator).__name__} is a "
            f"selector, which says so itself: give a ranker, or importance=None, not {spelled!r}"
        )
    return with_ranker(as_importance(spelled), estimator)
