"""FSMRank: ranking errors, redundancy and importance in one convex problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError, warn_caller
from ranksieve.estimator import DefaultGrid, check_number, decades
from ranksieve.losses import PairLoss
from ranksieve.measures import Measure
from ranksieve.penalties import Penalty, RedundancyPenalty, make_semidefinite
from ranksieve.rankers import CrossValidation
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.embedded._bound import (
    GeneralisationBound,
    failing_premise,
    generalisation_bound,
)
from ranksieve.selectors.embedded._components import (
    ImportanceLike,
    SimilarityLike,
    importance_scores,
    shared_components,
    similarity_matrices,
)
from ranksieve.selectors.embedded._embedded_selector import BY_FOLDS, from_first_with_features
from ranksieve.selectors.embedded._models import Family
from ranksieve.selectors.embedded._penalised_selector import SMALLEST, PenalisedSelector
from ranksieve.solvers import (
    AcceleratedGradient,
    Reweighting,
    Solution,
    Solver,
    critical_strength,
    rate_bound,
    strengths_between,
)

_STOPPINGS = ("optimum", "paper")
_PAPER_ITERATIONS = 400
_THETA = 0.05
# The values of lambda1 that "cv" tries.
_SIMILARITY_STRENGTHS = (0.0, *decades(-4, 0, 2))


class FSMRank(PenalisedSelector):
    """Features by a ranker that is charged for similar and for unimportant ones.

        minimise  mean over pairs i above j of max(0, 1 - (w . x_i - w . x_j))^2
                  + lambda1 / 2 |w|' A |w| + lambda2 sum |w_i| / s_i

    A is the similarity of features and s their importance. The problem is convex where A is
    positive semidefinite, which |Pearson| need not be: negative eigenvalues are clipped, and
    where an entry is negative then its size is added to all. Form (2) of the paper in terms of
    signed weights; its form (1) charges signed products, which is another problem.

    In form (2) every feature stands beside its mirror image -f, so that A has similarities
    with mirror images too. Where they differ, w_i and w_j of equal signs are charged with
    sim(f_i, f_j), and of opposite signs with sim(f_i, -f_j): see `Similarity.doubled`. Of a
    signed similarity (tau-b, Spearman's) the size counts. Replacing a feature by its mirror
    image 1 - f therefore changes the sign of its weight, and nothing else. A copy or mirror image
    beside its feature is charged so that any division of the weight is optimal: the first of
    them gets all of it.

    Parameters
    ----------
    similarity_strength : float or "cv"
        lambda1, at least 0; "cv" for the one that ranks held-out queries best, of 0 and half
        decades from 1e-4 to 1, together with lambda2 unless that is a number.
    importance_strength : float, "cv" or None
        lambda2, at least 0 (both strengths must not be 0); "cv" for the one that ranks held-out
        queries best; None for the one that gives exactly `n_features_to_select` features, or
        "cv" where no number is asked for.
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for all
        features with a weight. With importance_strength given as well, the largest weights are
        kept without another fit, as in the paper's curves.
    importance : str, Measure, Importance or vector
        s, such as "pearson" or "map", of which negative values count as 0; "ones" for none. A
        feature of importance 0 is never selected, nor one that is constant. A vector has one
        number of at least 0 for each feature, and folds use it as it is.
    similarity : str, Similarity, matrix or pair of matrices
        A, such as "pearson" or "kendall"; "identity" for none. A matrix, features by features,
        counts by the sizes of its entries, for a feature and its mirror image alike. A pair is
        sim(f_i, f_j) and sim(f_i, -f_j), neither of them negative. Folds use both as they are.
    loss : {"squared-hinge", "logistic"}
        The paper's is the squared hinge: its bounds are for that alone.
    stopping : {"optimum", "paper"}
        "paper" ends as the paper does, Algorithm 1 until the objective changes by 1e-4 or
        400 iterations: well before the optimum, with more features. No gap is promised then,
        no warning given, and `solver` and `max_iter` have no effect.
    measure, n_folds, rule, n_strengths : how "cv" chooses, as in `SparseRankSVM`
        Of two strengths by "cv", "one-standard-error" takes the simplest pair that is good
        enough: the one with the fewest features, as a mean over folds, then the larger
        similarity_strength, then the larger importance_strength.
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
    similarity_ : (n_features, n_features) array, as measured or given
    similarity_used_ : what two weights of equal signs are charged with
        `similarity_` where no size is taken, no eigenvalue clipped and nothing added.
    mirrored_similarity_used_ : what two weights of opposite signs are charged with
        The same array where signs do not matter. Nothing is charged with its diagonal.
    n_clipped_eigenvalues_, least_eigenvalue_, similarity_shift_
        How many eigenvalues were negative, the least one, and what was added to all entries: of
        A, or where B, of mirror images, differs, of (A + B) / 2 and (A - B) / 2. 0 clipped
        and no shift: A was used as it is.
    similarity_strength_, importance_strength_ : float
    objective_, gap_, n_iter_, converged_ : how the solver ended
    generalisation_bound_ : float, see `generalisation_bound`; NaN where it does not hold
    cross_validation_ : CrossValidation, where a strength was chosen by "cv"
    trace_ : Trace, objective and gap by step and second
    n_pairs_ : int

    Notes
    -----
    lambda1 and lambda2 are the paper's: its loss is a mean over pairs too. The paper scales
    features to [0, 1]; LETOR's are. s and A are measured on the data given to `fit`, again on
    each training part of "cv". With similarity_strength="cv" and a number of features to
    select, both strengths are chosen by folds, and then lambda2 once more for the number.

    Cost: that of importance and similarity, and a few passes over the data. "cv" for both
    strengths takes ten paths for each fold instead of one.
    Lai, Pan, Tang and Yu, FSMRank: feature selection algorithm for learning to rank, IEEE
    TNNLS 2013.

    Examples
    --------
    >>> from ranksieve import FSMRank, make_ranking
    >>> from ranksieve.data import scale
    >>> data, truth = make_ranking(100, n_relevant=3, n_redundant=3, n_irrelevant=6)
    >>> fsm = FSMRank(0.1, 0.01).fit(scale(data))
    >>> fsm.converged_, fsm.n_features_ == int(np.count_nonzero(fsm.coef_))
    (True, True)
    >>> fsm.generalisation_bound_ > fsm.objective_
    True
    """

    strength_parameter: ClassVar[str] = "importance_strength"

    default_grid: ClassVar[DefaultGrid] = {
        "similarity_strength": decades(-5, 0),
        "importance_strength": decades(-5, 0, 2),
    }

    def __init__(
        self,
        similarity_strength: float | str = 0.01,
        importance_strength: float | str | None = None,
        *,
        n_features_to_select: NumberOfFeatures = None,
        importance: ImportanceLike = "pearson",
        similarity: SimilarityLike = "pearson",
        loss: str | PairLoss = "squared-hinge",
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
        self.loss = loss
        self.stopping = stopping
        self.measure = measure
        self.n_folds = n_folds
        self.rule = rule
        self.n_strengths = n_strengths
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return importance and similarity, unless they are arrays of the caller."""
        return shared_components(self.importance, self.similarity)

    def strength_on_path(self) -> float | None:
        """Return lambda2; None where folds choose another lambda1 for each."""
        return None if self.similarity_strength == BY_FOLDS else super().strength_on_path()

    def generalisation_bound(self, theta: float = _THETA) -> GeneralisationBound:
        """Return what loss plus redundancy on unseen pairs is at most, but for a chance theta.

        Theorem 3 of the paper, corrected, and loose: see its docstring. Of the model with all
        its weights, also where `n_features_to_select` then keeps fewer. It holds for features in
        [0, 1] and the squared hinge: for others it is NaN, with a warning that says why. For
        similarities and importances above 1 it takes lambda1 times the largest similarity, and
        sum |w_i| / s_i times the largest importance.
        """
        check_is_fitted(self)
        if not 0.0 < theta < 1.0:
            raise ParameterError(f"theta must be between 0 and 1, but is {theta!r}")
        self._warn_of_premise("the generalisation bound (Theorem 3)")
        return self._generalisation_bound(theta)

    def rate_bound(self, iterations: ArrayLike) -> NDArray[np.float64]:
        """Return how far above the optimum iterations of the paper's algorithm are at most.

        Theorem 2, 2 L0 |w*|^2 / (t + 1)^2 with L0 = (4 + 2 lambda1) d, taking this fit's weights
        for the optimum w*; with lambda1 times the largest similarity where that is above 1. It
        holds for features in [0, 1] and the squared hinge, as L0 does: for others it is NaN,
        with a warning that says why. Beside `trace_` of solver="accelerated-gradient" it makes
        a plot.
        """
        check_is_fitted(self)
        self._warn_of_premise("the bound of the rate (Theorem 2)")
        times = np.asarray(iterations)
        if self._failing_premise_ is not None:
            return np.full(times.shape, np.nan)
        lipschitz = (4.0 + 2.0 * self._lambda1_with_largest()) * self.n_features_in_
        optimum = self._optimum_
        return rate_bound(lipschitz, np.zeros_like(optimum), optimum, times)

    def _generalisation_bound(self, theta: float) -> GeneralisationBound:
        if self._failing_premise_ is not None:
            return GeneralisationBound(self._training_, np.nan, np.nan, theta)
        return generalisation_bound(
            self._training_,
            self._size_ * max(1.0, float(self.importance_.max(initial=0.0))),
            self._lambda1_with_largest(),
            n_features=self.n_features_in_,
            n_pairs=self.n_pairs_,
            theta=theta,
        )

    def _lambda1_with_largest(self) -> float:
        """Return lambda1 times the largest similarity, where that is above 1."""
        largest = max(self.similarity_used_.max(), self.mirrored_similarity_used_.max(), 1.0)
        return float(self.similarity_strength_ * largest)

    def _warn_of_premise(self, bound: str) -> None:
        if self._failing_premise_ is not None:
            warn_caller(f"{bound} is NaN: {self._failing_premise_}", UserWarning)

    def _penalty(self, data: RankingData) -> Penalty:
        importance = importance_scores(self.importance, data)
        measured, doubled = similarity_matrices(self.similarity, data)
        used = make_semidefinite(*doubled)
        # Folds come after the whole: what is kept is of the data given to `fit`.
        if not hasattr(self, "importance_"):
            self.importance_ = importance
            self.similarity_, self.similarity_used_ = measured, used.matrix
            self.mirrored_similarity_used_ = used.matrix if used.mirrored is None else used.mirrored
            self.n_clipped_eigenvalues_ = used.n_negative
            self.least_eigenvalue_ = used.least_eigenvalue
            self.similarity_shift_ = used.shift
            self._failing_premise_ = failing_premise(data, self._loss())
        # Which one "cv" takes is not known before all of the grid is tried.
        lambda1: Any = 0.0 if self.similarity_strength == BY_FOLDS else self.similarity_strength
        return RedundancyPenalty(used.matrix, lambda1, importance, used.mirrored)

    def _settled(self, family: Any, data: RankingData) -> Any:
        """Return the models by lambda2 at one lambda1, chosen by folds where it is "cv"."""
        if self.similarity_strength != BY_FOLDS:
            self.similarity_strength_ = float(self.similarity_strength)
            return family
        if family.risk.n_pairs == 0:
            # No query has two grades: every strength gives weights of 0.
            self.similarity_strength_ = 0.0
            return family
        self.cross_validation_ = self._strengths_by_folds(family, data)
        self.similarity_strength_ = float(self.cross_validation_.chosen_similarity_strength or 0.0)
        return _with_lambda1(family, self.similarity_strength_)

    def _strengths_by_folds(self, family: Any, data: RankingData) -> CrossValidation:
        """Return how all pairs of lambda1 and lambda2 do on held-out queries."""
        numbers, eligible = self._lambda2_to_try(family)
        lambda1s = [value for value in _SIMILARITY_STRENGTHS if value > 0.0 or numbers[-1] > 0.0]

        def models_of(train: RankingData) -> Iterator[Solution]:
            family_of_train = self._family(train)
            for lambda1 in lambda1s:
                yield from _with_lambda1(family_of_train, lambda1).solutions(numbers)

        return self._by_folds(
            data,
            np.tile(numbers, len(lambda1s)),
            models_of,
            np.tile(eligible, len(lambda1s)),
            np.repeat(lambda1s, len(numbers)),
        )

    def _lambda2_to_try(self, family: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the values of lambda2, and which of them leave a feature, whatever lambda1 is."""
        lambda2 = self.importance_strength
        if lambda2 is not None and lambda2 != BY_FOLDS:
            return np.array([float(lambda2)]), np.ones(1, dtype=bool)
        largest = critical_strength(family.risk, family.penalty)
        numbers = strengths_between(largest, SMALLEST, self.n_strengths)
        # Where all weights are 0 no similarity is charged.
        return numbers, from_first_with_features(family, numbers)

    def _keep(self, family: Any, number: float, solution: Solution) -> None:
        super()._keep(family, number, solution)
        charge = family.penalty.charge(solution.weights, 1.0)
        used = solution.weights != 0.0
        self._optimum_ = solution.weights
        self._size_ = float(charge.linear[used] @ np.abs(solution.weights[used]))
        self._training_ = solution.objective - number * self._size_
        self.generalisation_bound_ = self._generalisation_bound(_THETA).total

    def _reweighting(self, penalty: Penalty) -> Reweighting:
        if self.stopping == "optimum":
            return replace(super()._reweighting(penalty), merge_copies=True)
        paper = AcceleratedGradient(self.tol, _PAPER_ITERATIONS, stopping="paper")
        return Reweighting(paper, self.tol)

    def _warns(self) -> bool:
        return self.stopping == "optimum"

    def _check_strength(self, value: Any) -> None:
        check_number(self.strength_parameter, value, least=0)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        if isinstance(self.similarity_strength, str):
            if self.similarity_strength != BY_FOLDS:
                raise ParameterError(
                    "similarity_strength must be a number of at least 0, or 'cv' for the one that "
                    f"ranks held-out queries best, but is {self.similarity_strength!r}"
                )
        else:
            check_number("similarity_strength", self.similarity_strength, least=0)
        if self.similarity_strength == 0 and self.importance_strength == 0:
            raise ParameterError(
                "similarity_strength and importance_strength must not both be 0: without a charge "
                "all features are kept. Use RankSVM for that."
            )
        check_choice("stopping", self.stopping, _STOPPINGS)


def _with_lambda1(family: Any, lambda1: float) -> Family:
    """Return the models of a family with another similarity strength."""
    changed: Family = family.with_penalty(replace(family.penalty, similarity_strength=lambda1))
    return changed
