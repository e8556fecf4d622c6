"""FSMRank: ranking errors, redundancy and importance in one convex problem."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.estimator import DefaultGrid, check_number, decades
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.penalties import Penalty, RedundancyPenalty, make_semidefinite
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.embedded._bound import GeneralisationBound, generalisation_bound
from ranksieve.selectors.embedded._penalised import PenalisedSelector
from ranksieve.similarity import Similarity, as_similarity
from ranksieve.solvers import AcceleratedGradient, Reweighting, Solution, Solver, rate_bound

_STOPPINGS = ("optimum", "paper")
_PAPER_ITERATIONS = 400
_THETA = 0.05


class FSMRank(PenalisedSelector):
    """Features by a ranker that is charged for similar and for unimportant ones.

        minimise  mean over pairs i above j of max(0, 1 - (w . x_i - w . x_j))^2
                  + lambda1 / 2 |w|' A |w| + lambda2 sum |w_i| / s_i

    A is the similarity of features and s their importance. The problem is convex where A is
    positive semidefinite, which |Pearson| need not be: negative eigenvalues are clipped, and
    where an entry is negative then its size is added to all. Form (2) of the paper in terms of
    signed weights; its form (1) charges signed products, which is another problem.

    Parameters
    ----------
    similarity_strength : float, lambda1, at least 0
    importance_strength : float, "cv" or None
        lambda2, at least 0 (both strengths must not be 0); "cv" for the one that ranks held-out
        queries best; None for the one that gives exactly `n_features_to_select` features, or
        "cv" where no number is asked for.
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for all
        features with a weight. With importance_strength given as well, the largest weights are
        kept without another fit, as in the paper's curves.
    importance : str, Measure or Importance
        s, such as "pearson" or "map", of which negative values count as 0. A feature of
        importance 0 is never selected.
    similarity : str or Similarity
        A, such as "pearson" or "kendall".
    stopping : {"optimum", "paper"}
        "paper" ends as the paper does, Algorithm 1 until the objective changes by 1e-4 or
        400 iterations: well before the optimum, with more features. No gap is promised then,
        no warning given, and `solver` and `max_iter` have no effect.
    measure, n_folds, rule, n_strengths : how "cv" chooses, as in `SparseRankSVM`
    solver : str or Solver
        "proximal-newton", or the paper's "accelerated-gradient" to the optimum.
    tol : float, the relative gap to reach
    max_iter : int, steps of the solver at most
    random_state : int, how queries are dealt into folds

    Attributes
    ----------
    coef_ : (n_features,) array, the weights of the selected features; 0 elsewhere
    order_ : features by falling |weight|, then those without one by how near their gradient is
        to its threshold; constant features last
    scores_ : |weight|, or a number from -1 to 0: how far a feature is from entering
    importance_ : (n_features,) array, s
    similarity_ : (n_features, n_features) array, A as measured
    similarity_used_ : the positive semidefinite one of the problem
    n_clipped_eigenvalues_, least_eigenvalue_, similarity_shift_
        How many eigenvalues of A were negative, the least one, and what was added to all
        entries. 0 clipped and no shift: A was used as it is.
    importance_strength_ : float
    objective_, gap_, n_iter_, converged_ : how the solver ended
    generalisation_bound_ : float, see `generalisation_bound`
    cross_validation_ : CrossValidation, where importance_strength was chosen by "cv"
    trace_ : Trace, objective and gap by step and second
    n_pairs_ : int

    Notes
    -----
    lambda1 and lambda2 are the paper's: its loss is a mean over pairs too. The paper scales
    features to [0, 1]; LETOR's are. s and A are measured on the data given to `fit`, anew on
    each training part of "cv".

    Cost: that of importance and similarity, and a few passes over the data.
    Lai, Pan, Tang and Yu, FSMRank: feature selection algorithm for learning to rank, IEEE
    TNNLS 2013.

    Examples
    --------
    >>> from ranksieve import FSMRank, make_ranking
    >>> data, truth = make_ranking(100, n_relevant=3, n_redundant=3, n_irrelevant=6)
    >>> fsm = FSMRank(0.1, 0.01).fit(data)
    >>> fsm.converged_, fsm.n_features_ == int(np.count_nonzero(fsm.coef_))
    (True, True)
    >>> fsm.generalisation_bound_ > fsm.objective_
    True
    """

    _knob: ClassVar[str] = "importance_strength"

    default_grid: ClassVar[DefaultGrid] = {
        "similarity_strength": decades(-5, 0),
        "importance_strength": decades(-5, 0, 2),
    }

    def __init__(
        self,
        similarity_strength: float = 0.01,
        importance_strength: float | str | None = None,
        *,
        n_features_to_select: NumberOfFeatures = None,
        importance: str | Measure | Importance = "pearson",
        similarity: str | Similarity = "pearson",
        stopping: str = "optimum",
        measure: str | Measure = "ndcg@10",
        n_folds: int = 5,
        rule: str = "best",
        n_strengths: int = 50,
        solver: str | Solver = "proximal-newton",
        tol: float = 1e-6,
        max_iter: int = 200,
        random_state: int = 0,
    ) -> None:
        self.similarity_strength = similarity_strength
        self.importance_strength = importance_strength
        self.n_features_to_select = n_features_to_select
        self.importance = importance
        self.similarity = similarity
        self.stopping = stopping
        self.measure = measure
        self.n_folds = n_folds
        self.rule = rule
        self.n_strengths = n_strengths
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def generalisation_bound(self, theta: float = _THETA) -> GeneralisationBound:
        """Return what loss plus redundancy on unseen pairs is at most, but for a chance theta.

        Theorem 3 of the paper with the constants of its proof. Loose: see its docstring. Of the
        model with all its weights, also where `n_features_to_select` then keeps fewer.
        """
        check_is_fitted(self)
        if not 0.0 < theta < 1.0:
            raise ParameterError(f"theta must be between 0 and 1, but is {theta!r}")
        return generalisation_bound(
            self._training_,
            self._size_,
            self.similarity_strength,
            n_features=self.n_features_in_,
            n_pairs=self.n_pairs_,
            theta=theta,
        )

    def rate_bound(self, iterations: ArrayLike) -> NDArray[np.float64]:
        """Return how far above the optimum iterations of the paper's algorithm are at most.

        Theorem 2, 2 L0 |w*|^2 / (t + 1)^2 with L0 = (4 + 2 lambda1) d, taking this fit's weights
        for the optimum w*. It holds for features in [0, 1], as L0 does. Beside `trace_` of
        solver="accelerated-gradient" it makes a plot.
        """
        check_is_fitted(self)
        lipschitz = (4.0 + 2.0 * self.similarity_strength) * self.n_features_in_
        optimum = self._optimum_
        return rate_bound(lipschitz, np.zeros_like(optimum), optimum, np.asarray(iterations))

    def _penalty(self, data: RankingData) -> Penalty:
        importance = np.maximum(as_importance(self.importance).scores(data), 0.0)
        measured = as_similarity(self.similarity).matrix(data)
        used = make_semidefinite(measured)
        # Folds come after the whole: what is kept is of the data given to `fit`.
        if not hasattr(self, "importance_"):
            self.importance_ = importance
            self.similarity_, self.similarity_used_ = measured, used.matrix
            self.n_clipped_eigenvalues_ = used.n_negative
            self.least_eigenvalue_ = used.least_eigenvalue
            self.similarity_shift_ = used.shift
        return RedundancyPenalty(used.matrix, self.similarity_strength, importance)

    def _keep(self, family: Any, number: float, found: Solution) -> None:
        super()._keep(family, number, found)
        charge = family.penalty.charge(found.weights, 1.0)
        used = found.weights != 0.0
        self._optimum_ = found.weights
        self._size_ = float(charge.linear[used] @ np.abs(found.weights[used]))
        self._training_ = found.objective - number * self._size_
        self.generalisation_bound_ = self.generalisation_bound().total

    def _reweighting(self, penalty: Penalty) -> Reweighting:
        if self.stopping == "optimum":
            return super()._reweighting(penalty)
        paper = AcceleratedGradient(self.tol, _PAPER_ITERATIONS, stopping="paper")
        return Reweighting(paper, self.tol)

    def _warns(self) -> bool:
        return self.stopping == "optimum"

    def _check_knob(self, value: Any) -> None:
        check_number(self._knob, value, least=0)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("similarity_strength", self.similarity_strength, least=0)
        if self.similarity_strength == 0 and self.importance_strength == 0:
            raise ParameterError(
                "similarity_strength and importance_strength must not both be 0: without a charge "
                "all features are kept. Use RankSVM for that."
            )
        check_choice("stopping", self.stopping, _STOPPINGS)
