"""Rankers that are networks: linear, or with one hidden layer; subclasses give the loss."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ranksieve.data import RankingData
from ranksieve.errors import DataError, warn_caller
from ranksieve.estimator import DefaultGrid, check_number, decades
from ranksieve.kernels.linear.products import scores_of_rows
from ranksieve.measures import Measure
from ranksieve.progress import report
from ranksieve.rankers._description import (
    Description,
    LayerDescription,
    LinearDescription,
    NetworkDescription,
)
from ranksieve.rankers._fitted_values import fitted_array
from ranksieve.rankers._linear import linear_scores
from ranksieve.rankers._network_layers import HiddenNetwork, LinearNetwork, hidden_units
from ranksieve.rankers._network_risk import NetworkRisk, ScoreLoss
from ranksieve.rankers._row_order import in_one_own_order
from ranksieve.rankers._standard import Standard
from ranksieve.rankers._stopping import StoppingRanker, Watch

# Rounds over which the fall of an objective that is not convex is averaged.
_LOOK_BACK = 10
# Past rounds from which L-BFGS learns the curvature, and evaluations a round at most.
_MEMORY, _EVALUATIONS = 10, 20
_SCORED_TOGETHER = 4096


class NetworkRanker(StoppingRanker):
    """A ranker that is a network, trained by L-BFGS; subclasses write `_loss()`.

    `coef_` is there without hidden units only; `hidden_weights_`, `hidden_biases_` and
    `output_weights_` with them. All are in the units of the features as given.
    """

    rounds_parameter: ClassVar[str] = "max_iter"

    coef_: NDArray[np.float64]
    hidden_weights_: NDArray[np.float64]
    hidden_biases_: NDArray[np.float64]
    output_weights_: NDArray[np.float64]

    default_grid: ClassVar[DefaultGrid] = {"strength": decades(-3, 0, 2)}

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
    ) -> None:
        self.n_hidden = n_hidden
        self.strength = strength
        self.tol = tol
        self.max_iter = max_iter
        self.measure = measure
        self.validation_share = validation_share
        self.patience = patience
        self.random_state = random_state

    @abstractmethod
    def _loss(self) -> ScoreLoss:
        """Return the loss of scores, and what it needs of grades."""

    def _fit_rounds(self, data: RankingData, watch: Watch | None) -> None:
        self.check_parameters()
        data = in_one_own_order(data) if self.n_hidden else data.gathered()
        standard = Standard.of(data)
        network: Any = LinearNetwork(data.n_features)
        if self.n_hidden:
            network = HiddenNetwork(data.n_features, self.n_hidden)
        risk = NetworkRisk(data, self._loss(), network, standard, self.strength)
        rounds = _Rounds(self, risk, network, standard, watch)
        last = rounds.train(network.start(self.random_state, standard.inverse > 0.0))
        self._set_weights(last.weights, network, standard)
        self.feature_importances_ = risk.slopes(last.weights)
        self.objective_, self.n_iter_, self.converged_ = last.value, last.n_iter, last.converged
        if not self.n_hidden:
            self.gap_ = last.bound
        if watch is None and not last.converged:
            self._warn(last)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("n_hidden", self.n_hidden, least=0, integer=True)
        check_number("strength", self.strength, above=0)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, least=1, integer=True)

    def _set_weights(self, weights: NDArray[np.float64], network: Any, standard: Standard) -> None:
        """Set what `predict` reads from weights on standardised features."""
        if not self.n_hidden:
            self.coef_ = standard.weights_of_features(weights)
            return
        first, biases, output = network.parts(weights)
        self.hidden_weights_ = standard.weights_of_features(first)
        self.hidden_biases_ = biases + standard.offsets(first)
        self.output_weights_ = output.copy()

    def _scores(self, X: NDArray[Any]) -> NDArray[np.float64]:
        scores = np.empty(len(X))
        if hasattr(self, "coef_"):
            scores_of_rows(X, 0, len(X), self.coef_, scores)
            return scores
        for start in range(0, len(X), _SCORED_TOGETHER):
            stop = min(start + _SCORED_TOGETHER, len(X))
            units = hidden_units(X, start, stop, self.hidden_weights_, self.hidden_biases_)
            scores_of_rows(units, 0, len(units), self.output_weights_, scores[start:stop])
        return scores

    def _description(self, names: tuple[str, ...]) -> Description:
        if hasattr(self, "coef_"):
            return LinearDescription(names, self.coef_.copy())
        hidden = LayerDescription(self.hidden_weights_, self.hidden_biases_, "tanh")
        output = LayerDescription(self.output_weights_[None, :], np.zeros(1), "identity")
        return NetworkDescription(names, (hidden, output))

    def _data_scores(self, data: RankingData) -> NDArray[np.float64]:
        if hasattr(self, "coef_"):
            return linear_scores(data, self.coef_)
        return super()._data_scores(data)

    def _set_payload(self, payload: bytes) -> None:
        super()._set_payload(payload)
        n_hidden, n_features = self.n_hidden, self.n_features_in_
        # Kernels take shapes on trust.
        if not n_hidden:
            self.coef_ = fitted_array("coef_", self.coef_, (n_features,))
            return
        shapes = {
            "hidden_weights_": (n_hidden, n_features),
            "hidden_biases_": (n_hidden,),
            "output_weights_": (n_hidden,),
        }
        for name, shape in shapes.items():
            setattr(self, name, fitted_array(name, getattr(self, name), shape))
        if hasattr(self, "coef_"):
            raise DataError("it has weights both with and without hidden units")

    def _warn(self, last: _Round) -> None:
        name = type(self).__name__
        missed = "a relative gap of" if not self.n_hidden else "its objective falling a round by"
        warn_caller(
            f"{name} ended after {last.n_iter} rounds with {missed} {last.bound:.2g}, above "
            f"tol={self.tol:g}. Raise max_iter or strength, or stop on validation queries: "
            "validation_share=0.2, or fit(..., validation=...)."
        )


class _Round(NamedTuple):
    """Weights after a round; `bound` is what `tol` is compared with."""

    weights: NDArray[np.float64]
    value: float
    n_iter: int
    bound: float
    converged: bool


class _Rounds:
    """L-BFGS, with a look at each round: whether it is the best, and whether to go on."""

    def __init__(
        self,
        ranker: NetworkRanker,
        risk: NetworkRisk,
        network: Any,
        standard: Standard,
        watch: Watch | None,
    ) -> None:
        self._ranker, self._risk, self._watch = ranker, risk, watch
        self._network, self._standard = network, standard
        self._values: list[float] = []

    def train(self, start: NDArray[np.float64]) -> _Round:
        """Return the last round, or the one that is best on the validation queries."""
        value, gradient = self._value_and_grad(start)
        self._values.append(value)
        self._first_square = float(gradient @ gradient)
        self._last = self._best = self._round(start)
        if self._first_square > 0.0:
            # Its own tolerances are 0: rounds end where ours are met, or the value stays.
            options = {"maxiter": self._ranker.max_iter, "ftol": 0.0, "gtol": 0.0}
            options |= {"maxcor": _MEMORY, "maxls": _EVALUATIONS}
            options["maxfun"] = (_EVALUATIONS + 1) * self._ranker.max_iter
            ended = minimize(
                self._value_and_grad,
                start,
                jac=True,
                method="L-BFGS-B",
                callback=self._after_round,
                options=options,
            )
            self._end(bool(ended.success))
        return self._best if self._watch is not None and self._watch.values else self._last

    def _end(self, itself: bool) -> None:
        """Where L-BFGS ended by itself, the gradient is 0 or the value cannot fall any more."""
        if self._ranker.n_hidden and itself:
            last = self._last._replace(bound=0.0, converged=True)
            self._best = last if self._best is self._last else self._best
            self._last = last

    def _value_and_grad(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = self._risk.value_and_grad(weights)
        self._seen = weights.copy(), float(gradient @ gradient)
        return value, gradient

    def _after_round(self, intermediate_result: Any) -> None:
        self._values.append(float(intermediate_result.fun))
        self._last = self._round(intermediate_result.x.copy())
        report("training", self._last.n_iter, None)
        if self._watch is not None:
            # By the way of `predict`, so that the model has the value it was chosen for.
            self._ranker._set_weights(self._last.weights, self._network, self._standard)
            if self._watch.add(self._ranker._data_scores(self._watch.data)):
                self._best = self._last
        if self._last.converged or (self._watch is not None and self._watch.over):
            raise StopIteration

    def _round(self, weights: NDArray[np.float64]) -> _Round:
        n_iter, value, tol = len(self._values) - 1, self._values[-1], self._ranker.tol
        if self._ranker.n_hidden:
            back = min(n_iter, _LOOK_BACK)
            fallen = (self._values[-1 - back] - value) / max(back, 1)
            bound = fallen / value if value > 0.0 else 0.0
            return _Round(weights, value, n_iter, bound, back == _LOOK_BACK and bound <= tol)
        if not np.array_equal(weights, self._seen[0]):
            self._value_and_grad(weights)
        square = self._seen[1]
        # The objective is strongly convex with constant `strength`, and not negative.
        bound = min(square / (2.0 * self._ranker.strength * value), 1.0) if value > 0.0 else 0.0
        # Without the second, weights of 0 would pass where the strength is large.
        small = square <= tol * self._first_square
        return _Round(weights, value, n_iter, bound, bool(bound <= tol and small))
