"""SparseRankSVM: ranking by a linear model with few weights."""

from __future__ import annotations

from typing import ClassVar

from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid, decades
from ranksieve.losses import PairLoss
from ranksieve.measures import Measure
from ranksieve.penalties import Penalty, as_penalty
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.embedded._penalised_selector import PenalisedSelector
from ranksieve.solvers import Solver


class SparseRankSVM(PenalisedSelector):
    """The features that a linear ranker with a sparse penalty needs, and the ranker.

        minimise  mean over pairs i above j of max(0, 1 - (w . x_i - w . x_j))^2
                  + strength * penalty(w)

    Pairs are documents of one query with different grades.

    Parameters
    ----------
    penalty : str or Penalty
        "l1", "weighted-l1", "elastic-net", "mcp", "scad", "log", "lp", with parameters where
        wanted: "mcp(gamma=3)", "mcp(units='fixed')", "lp(p=0.3)". See docs/penalties.md.
    strength : float, "cv" or None
        A number above 0; "cv" for the one that ranks held-out queries best; None for the one
        that gives exactly `n_features_to_select` features, or "cv" where no number is asked for.
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for all
        features with a weight. With a strength given as well, the largest weights are kept,
        without another fit.
    loss : str or PairLoss
        "squared-hinge", or "logistic", which takes a time that grows with the pairs, not with the
        documents. With 'squared-hinge(weighting="queries")' the mean over pairs is one over
        queries of the mean over a query's pairs: queries with many pairs do not count more.
    measure, n_folds, rule, n_strengths
        How "cv" chooses: `n_strengths` strengths from the least one with all weights 0 down to a
        thousandth of it, measured by `measure` on queries dealt into `n_folds` folds.
        "best" takes the best mean; "one-standard-error" the largest strength whose mean is
        below the best by no more than one standard error of the differences, query by query.
    solver : str or Solver
        "proximal-newton"; or the papers' own, "fista" and "accelerated-gradient", which need a
        larger `max_iter`. `tol` and `max_iter` here replace the solver's own.
    tol : float, the relative gap to reach
    max_iter : int, steps of the solver at most, in each round of reweighting
    random_state : int, how queries are dealt into folds

    Attributes
    ----------
    coef_ : (n_features,) array, the weights of the selected features; 0 elsewhere
    order_ : features by falling |weight|, then those without one by how near their gradient is
        to the penalty's slope; constant features last
    scores_ : |weight|, or a number from -1 to 0: how far a feature is from entering
    strength_ : float
    objective_, gap_, n_iter_, converged_ : how the solver ended
        For a penalty that is not convex the gap is that of the convex problem tangent at the
        solution: 0 exactly where it is stationary.
    cross_validation_ : CrossValidation, where the strength was chosen by "cv"
    trace_ : Trace, objective and gap by step and second
    n_pairs_ : int

    Notes
    -----
    `strength` multiplies a penalty beside a *mean* over the P pairs. The paper has a sum: its
    lambda = 1 / C is strength * P, so C = 1 / (strength P).

    Weights depend on the units of features: scale them per query (`ranksieve.data.scale`)
    where their ranges differ.

    A penalty that is not convex is solved by reweighting, from the l1 solution: a stationary
    point, not the global minimum. On a path each strength starts that again. Features with a
    weight then never depend on each other: of copies and mirror images (f and 1 - f) the first
    has the weight, see `Reweighting`.

    Cost: a few passes over the data per strength; a path of 50 strengths about that of a few
    solves from scratch. Laporte, Flamary, Canu, Dejean and Mothe, Nonconvex regularizations for
    feature selection in ranking with sparse SVM, IEEE TNNLS 2014.

    Examples
    --------
    >>> from ranksieve import SparseRankSVM, make_ranking
    >>> data, truth = make_ranking(100, n_relevant=3, n_redundant=0, n_irrelevant=9)
    >>> svm = SparseRankSVM("mcp", n_features_to_select=3).fit(data)
    >>> svm.get_support(indices=True).tolist() == truth.relevant.tolist(), svm.converged_
    (True, True)
    >>> svm.predict(data).shape == (data.n_documents,)
    True
    """

    default_grid: ClassVar[DefaultGrid] = {"strength": decades(-5, 0, 4)}

    def __init__(
        self,
        penalty: str | Penalty = "l1",
        strength: float | str | None = None,
        *,
        n_features_to_select: NumberOfFeatures = None,
        loss: str | PairLoss = "squared-hinge",
        measure: str | Measure = "ndcg@10",
        n_folds: int = 5,
        rule: str = "best",
        n_strengths: int = 50,
        solver: str | Solver = "proximal-newton",
        tol: float = 1e-6,
        max_iter: int = 200,
        random_state: int = 0,
    ) -> None:
        self.penalty = penalty
        self.strength = strength
        self.n_features_to_select = n_features_to_select
        self.loss = loss
        self.measure = measure
        self.n_folds = n_folds
        self.rule = rule
        self.n_strengths = n_strengths
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _penalty(self, data: RankingData) -> Penalty:
        return as_penalty(self.penalty)
