"""RankNet: the cross entropy of pairs."""

from __future__ import annotations

from ranksieve.data import Block
from ranksieve.losses import LogisticLoss, Targets
from ranksieve.measures import Measure
from ranksieve.rankers._network import NetworkRanker
from ranksieve.rankers._network_risk import ScoreLoss


class RankNet(NetworkRanker):
    """Ranking by the cross entropy of pairs, with a linear model or one hidden layer.

        minimise  mean over pairs i above j of log(1 + exp(-(s_i - s_j)))
                  + strength / 2 * (sum of squared weights)

        s(x) = w . x   or, with hidden units,   s(x) = u . tanh(V x + b)

    Pairs are documents of one query with different grades, each taken as certain; documents of
    equal grade make no pair, and biases are not penalised.

    Parameters
    ----------
    n_hidden : int
        Hidden units; 0 for a linear model.
    strength : float
        Weight of the penalty. The loss is a mean, so a strength means the same on more data.
    tol : float
        Without hidden units, the relative gap at which to stop, see `gap_`. With them, the
        relative fall of the objective a round, mean over the last ten, at which to stop.
    max_iter : int
        Rounds at most; a round is an iteration of L-BFGS.
    measure : str or Measure
        What chooses the round where there are validation queries.
    validation_share : float or None
        Share of the training queries to choose the round on; see also `fit`.
    patience : int
        Rounds without a better value after which training ends, with validation queries.
    random_state : int
        Chooses the hidden units' first weights, and the validation queries.
    weighting : {"pairs", "queries"}
        With "queries" the loss is the mean over queries of the mean over a query's pairs, so that
        queries with many pairs do not count more.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights; without hidden units only
    hidden_weights_, hidden_biases_, output_weights_ : arrays V, b and u; with hidden units only
    feature_importances_ : (n_features,) array
        Mean over the training documents of how steeply the score changes with a feature, for
        a change by the feature's standard deviation: mean of |ds / dx_j| * deviation_j.
    objective_ : float, the objective of the model
    gap_ : float
        Without hidden units only: a proven bound of (objective - optimum) / objective. The
        objective is then strongly convex, so objective - optimum <= |gradient|^2 / (2 strength).
    n_iter_ : int, the rounds of the model
    converged_ : bool, whether the model met `tol`
    validation_values_ : array of `measure` after each round, or None without validation queries
    n_features_in_ : int

    Notes
    -----
    Training is by L-BFGS on all queries, where the paper goes by stochastic gradient: the same
    objective to a known accuracy, without a learning rate, and the same model whatever the
    order of the rows. The penalty, which the paper does not have, makes the optimum of the
    linear model unique; stopping on validation queries is the paper's way, and open here too.

    Features are standardised inside (a constant one counts as 0), so the penalty does not
    depend on their units; the fitted weights are those of the features as given.

    Cost: a round is about one pass over the data: O(n p) without and O(n p h) with h hidden
    units, and O(m^2) for the pairs of a query of m documents, of which none is kept. Memory: a
    few numbers per document; standardised features are kept up to 32 MB, and computed again in each
    pass beyond. Hidden units need the documents in an order of their own: a copy of the data.

    References
    ----------
    Burges et al., Learning to rank using gradient descent, ICML 2005.

    Examples
    --------
    >>> from ranksieve import RankNet, make_ranking
    >>> data, _ = make_ranking(60, random_state=0)
    >>> model = RankNet().fit(data)
    >>> model.converged_, model.gap_ <= 1e-6
    (True, True)
    >>> RankNet(10, validation_share=0.2).fit(data).hidden_weights_.shape
    (10, 20)
    """

    def __init__(
        self,
        n_hidden: int = 0,
        *,
        strength: float = 0.03,
        tol: float = 1e-6,
        max_iter: int = 500,
        measure: str | Measure = "ndcg@10",
        validation_share: float | None = None,
        patience: int = 20,
        random_state: int = 0,
        weighting: str = "pairs",
    ) -> None:
        super().__init__(
            n_hidden,
            strength=strength,
            tol=tol,
            max_iter=max_iter,
            measure=measure,
            validation_share=validation_share,
            patience=patience,
            random_state=random_state,
        )
        self.weighting = weighting

    def _loss(self) -> ScoreLoss:
        loss = LogisticLoss(self.weighting)
        return ScoreLoss(_pair_targets, loss.value_and_grad, loss.parts_of_one)


def _pair_targets(piece: Block) -> tuple[Targets, int]:
    targets = Targets.from_grades(piece.y[piece.rows], piece.query_ptr - piece.query_ptr[0])
    return targets, targets.n_pairs
