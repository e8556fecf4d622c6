"""FSMSVM: FSMRank's features, RankSVM's weights."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid
from ranksieve.losses import PairLoss
from ranksieve.measures import Measure
from ranksieve.rankers import LinearRanker, RankSVM
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector
from ranksieve.selectors.embedded._components import (
    ImportanceLike,
    SimilarityLike,
    shared_components,
)
from ranksieve.selectors.embedded.fsmrank import FSMRank


class FSMSVM(Selector, LinearRanker):
    """The features with the largest weights in FSMRank, and RankSVM trained on them.

    Two stages: FSMRank orders the features by |weight|, those without one by how near they are to
    having one; RankSVM is then fitted on the first of them.

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for all
        features with a weight in FSMRank.
    similarity_strength : float or "cv", lambda1 of FSMRank
    importance_strength : float, "cv" or None
        lambda2 of FSMRank; "cv" or None for the one that ranks held-out queries best.
    C : float or None
        Of RankSVM: it multiplies the sum over pairs. None for the one that ranks held-out queries
        best on the features of the first stage, see `RankSVM`.
    importance, similarity, loss, stopping, measure, n_folds, rule, n_strengths, tol, max_iter,
    random_state : as in `FSMRank`; the loss is FSMRank's alone

    Attributes
    ----------
    coef_ : (n_features,) array, RankSVM's weights of the selected features; 0 elsewhere
    order_, scores_ : those of FSMRank
    selector_ : the fitted FSMRank
    similarity_strength_, importance_strength_, cross_validation_, n_pairs_ : those of FSMRank
    objective_, gap_ : RankSVM's
    n_iter_, converged_ : of both stages together
    ranker_ : the fitted RankSVM on the selected features; None where no query has two grades,
        or no feature a weight

    Notes
    -----
    Cost: that of FSMRank and of RankSVM. Lai, Pan, Tang and Yu, FSMRank: feature selection
    algorithm for learning to rank, IEEE TNNLS 2013.

    Examples
    --------
    >>> from ranksieve import FSMSVM, make_ranking
    >>> data, truth = make_ranking(100, n_relevant=3, n_redundant=0, n_irrelevant=6)
    >>> fsm = FSMSVM(3, importance_strength=0.01, C=0.1).fit(data)
    >>> np.flatnonzero(fsm.coef_).tolist() == truth.relevant.tolist()
    True
    """

    decides_number: ClassVar[bool] = True
    _needs_pairs: ClassVar[bool] = False

    strength_parameter: ClassVar[str] = "importance_strength"

    default_grid: ClassVar[DefaultGrid] = {**FSMRank.default_grid, **RankSVM.default_grid}

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        similarity_strength: float | str = 0.01,
        importance_strength: float | str | None = None,
        C: float | None = None,
        importance: ImportanceLike = "pearson",
        similarity: SimilarityLike = "pearson",
        loss: str | PairLoss = "squared-hinge",
        stopping: str = "optimum",
        measure: str | Measure = "ndcg@10",
        n_folds: int = 5,
        rule: str = "best",
        n_strengths: int = 50,
        tol: float = 1e-6,
        max_iter: int = 200,
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity_strength = similarity_strength
        self.importance_strength = importance_strength
        self.C = C
        self.importance = importance
        self.similarity = similarity
        self.loss = loss
        self.stopping = stopping
        self.measure = measure
        self.n_folds = n_folds
        self.rule = rule
        self.n_strengths = n_strengths
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return importance and similarity, unless they are arrays of the caller."""
        return shared_components(self.importance, self.similarity)

    def _select(self, data: RankingData) -> Selection:
        choosing = {name: getattr(self, name) for name in ("measure", "n_folds", "random_state")}
        ranker = RankSVM(self.C, tol=self.tol, max_iter=self.max_iter, **choosing)
        ranker.check_parameters()
        self.selector_ = self._fsmrank().fit(data)
        if self.n_features_to_select is None:
            self.n_features_ = self.selector_.n_features_
        selected = np.sort(self.selector_.order_[: self.n_features_])
        self.coef_ = np.zeros(data.n_features)
        self.ranker_: RankSVM | None = None
        if self.selector_.n_pairs_ > 0 and len(selected) > 0:
            self.ranker_ = ranker.fit(data.features(selected))
            self.coef_[selected] = self.ranker_.coef_
        self._keep_ending()
        return Selection(self.selector_.order_, self.selector_.scores_)

    def _keep_ending(self) -> None:
        last = self.selector_ if self.ranker_ is None else self.ranker_
        self.objective_, self.gap_ = last.objective_, last.gap_
        self.similarity_strength_ = self.selector_.similarity_strength_
        self.importance_strength_ = self.selector_.importance_strength_
        self.n_pairs_ = self.selector_.n_pairs_
        if hasattr(self.selector_, "cross_validation_"):
            self.cross_validation_ = self.selector_.cross_validation_
        self.n_iter_ = self.selector_.n_iter_
        self.converged_ = self.selector_.converged_
        if self.ranker_ is not None:
            self.n_iter_ += self.ranker_.n_iter_
            self.converged_ = self.converged_ and self.ranker_.converged_

    def _fsmrank(self) -> FSMRank:
        parameters = self.get_params(deep=False)
        names = FSMRank().get_params(deep=False)
        shared = {name: parameters[name] for name in names if name in parameters}
        if self.importance_strength is None:
            shared["importance_strength"] = "cv"
        return FSMRank(**(shared | {"n_features_to_select": None}))
