"""ListNet: the cross entropy of who comes first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block
from ranksieve.kernels.rankers.list_cross_entropy import add_list_cross_entropy, top_one_shares
from ranksieve.rankers._network import NetworkRanker
from ranksieve.rankers._network_risk import ScoreLoss


class ListNet(NetworkRanker):
    """Ranking by the cross entropy of who comes first, with a linear model or one hidden layer.

        minimise  mean over queries of  - sum over documents of P_y(i) log P_s(i)
                  + strength / 2 * (sum of squared weights)

        P_y(i) = exp(y_i) / sum over j of exp(y_j)      the chance of i to be first, by grade
        P_s(i) = exp(s_i) / sum over j of exp(s_j)      and by score

        s(x) = w . x   or, with hidden units,   s(x) = u . tanh(V x + b)

    Documents of equal grade have equal chances. Queries with one grade do not count: they would
    only pull scores together. Biases are not penalised.

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
    units; no pairs. Memory: a few numbers per document; standardised features are kept up to
    32 MB, and computed again in each pass beyond. Hidden units need the documents in an order of
    their own: a copy of the data.

    References
    ----------
    Cao et al., Learning to rank: from pairwise approach to listwise approach, ICML 2007.

    Examples
    --------
    >>> from ranksieve import ListNet, make_ranking
    >>> data, _ = make_ranking(60, random_state=0)
    >>> model = ListNet().fit(data)
    >>> model.converged_, model.gap_ <= 1e-6
    (True, True)
    >>> ListNet(10, validation_share=0.2).fit(data).hidden_weights_.shape
    (10, 20)
    """

    def _loss(self) -> ScoreLoss:
        return ScoreLoss(_top_one_targets, _top_one_cross_entropy)


class _TopOne(NamedTuple):
    shares: NDArray[np.float64]
    query_ptr: NDArray[np.int64]


def _top_one_targets(piece: Block) -> tuple[_TopOne, int]:
    query_ptr = piece.query_ptr - piece.query_ptr[0]
    shares = np.empty(piece.n_documents)
    n_queries = top_one_shares(piece.y[piece.rows], query_ptr, shares)
    return _TopOne(shares, query_ptr), int(n_queries)


def _top_one_cross_entropy(
    scores: NDArray[np.float64], targets: _TopOne
) -> tuple[float, NDArray[np.float64]]:
    gradient = np.zeros(len(scores))
    value = add_list_cross_entropy(scores, targets.shares, targets.query_ptr, gradient)
    return float(value), gradient
