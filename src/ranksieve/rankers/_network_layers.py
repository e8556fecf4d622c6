"""Networks that score documents, and their gradients by hand.

A network is a function of flat weights: `forward` gives scores and what `backward` wants to
see again, `backward` turns slopes by score into slopes by weight.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.linear.products import gradient_of_weights, scores_of_rows


class Network(Protocol):
    """What training needs of a network.

    Attributes
    ----------
    charged : (n_weights,) array of bool: the weights that are penalised
    """

    charged: NDArray[np.bool_]

    def start(self, seed: int, used: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return weights to start from; those of features that are not used are 0."""
        ...

    def forward(
        self, weights: NDArray[np.float64], Z: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Any]:
        """Return the scores of rows of Z, column-major, and what `backward` needs."""
        ...

    def backward(
        self,
        weights: NDArray[np.float64],
        Z: NDArray[np.float64],
        hidden: Any,
        by_score: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the slopes by weight of a function with these slopes by score."""
        ...

    def slopes(self, weights: NDArray[np.float64], Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over rows of |slope of the score| by each feature."""
        ...


class LinearNetwork:
    """s = w . z."""

    def __init__(self, n_features: int) -> None:
        self.charged = np.ones(n_features, dtype=np.bool_)

    def start(self, seed: int, used: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return zeros: the problem is convex."""
        return np.zeros(len(used))

    def forward(
        self, weights: NDArray[np.float64], Z: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Any]:
        """Return the scores."""
        return _product(Z, weights), None

    def backward(
        self,
        weights: NDArray[np.float64],
        Z: NDArray[np.float64],
        hidden: Any,
        by_score: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return Z' by_score."""
        return _transposed_product(Z, by_score)

    def slopes(self, weights: NDArray[np.float64], Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return |w|, once a row."""
        return len(Z) * np.abs(weights)


class HiddenNetwork:
    """s = u . tanh(V z + b), with weights V (units x features), b, u one after the other.

    A constant added to all scores changes no ranking, so there is none.
    """

    def __init__(self, n_features: int, n_hidden: int) -> None:
        self._shape = n_hidden, n_features
        size = n_hidden * n_features
        self._places = slice(0, size), slice(size, size + n_hidden), slice(size + n_hidden, None)
        self.charged = np.ones(size + 2 * n_hidden, dtype=np.bool_)
        self.charged[self._places[1]] = False

    def parts(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return views of V, b and u."""
        first, biases, output = (weights[part] for part in self._places)
        return first.reshape(self._shape), biases, output

    def start(self, seed: int, used: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return V and u at random, so that sums into a unit have deviation about 1."""
        rng = np.random.default_rng(seed)
        weights = np.zeros(len(self.charged))
        first, _, output = self.parts(weights)
        first[:] = rng.normal(size=self._shape) / np.sqrt(max(used.sum(), 1)) * used
        output[:] = rng.normal(size=len(output)) / np.sqrt(len(output))
        return weights

    def forward(
        self, weights: NDArray[np.float64], Z: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Any]:
        """Return the scores, and the units' values."""
        first, biases, output = self.parts(weights)
        units = hidden_units(Z, 0, len(Z), first, biases)
        return _product(units, output), units

    def backward(
        self,
        weights: NDArray[np.float64],
        Z: NDArray[np.float64],
        hidden: Any,
        by_score: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the slopes by V, b and u."""
        gradient = np.empty_like(weights)
        first, biases, output = self.parts(gradient)
        output[:] = _transposed_product(hidden, by_score)
        by_unit = self._by_unit(weights, hidden) * by_score[:, None]
        biases[:] = by_unit.sum(axis=0)
        for unit in range(len(first)):
            gradient_of_weights(Z, 0, len(Z), by_unit[:, unit], first[unit])
        return gradient

    def slopes(self, weights: NDArray[np.float64], Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over rows of |u . (1 - tanh^2) V|."""
        first, biases, _ = self.parts(weights)
        by_unit = self._by_unit(weights, hidden_units(Z, 0, len(Z), first, biases))
        columns = np.ascontiguousarray(first.T)
        return np.array([np.abs(_product(by_unit, column)).sum() for column in columns])

    def _by_unit(
        self, weights: NDArray[np.float64], units: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the slopes of the scores by what goes into the units."""
        slopes: NDArray[np.float64] = (1.0 - units**2) * self.parts(weights)[2]
        return slopes


def hidden_units(
    Z: NDArray[Any],
    start: int,
    stop: int,
    first: NDArray[np.float64],
    biases: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return tanh(V z + b) for the rows start:stop, one column a unit."""
    units = np.empty((stop - start, len(first)), order="F")
    for unit in range(len(first)):
        scores_of_rows(Z, start, stop, first[unit], units[:, unit])
    units += biases
    np.tanh(units, out=units)
    return units


def _product(Z: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.float64]:
    scores = np.empty(len(Z))
    scores_of_rows(Z, 0, len(Z), w, scores)
    return scores


def _transposed_product(
    Z: NDArray[np.float64], by_score: NDArray[np.float64]
) -> NDArray[np.float64]:
    gradient = np.empty(Z.shape[1])
    gradient_of_weights(Z, 0, len(Z), by_score, gradient)
    return gradient
