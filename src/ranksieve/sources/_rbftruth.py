"""A ranking function that is a sum of bumps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class RBFTruth:
    """A ranking function: a sum of bumps, in whose distance each feature has a weight.

        F(x) = sum over m of heights_m exp(-sum over j of weights_j (x_j - centres_mj)^2)

    Attributes
    ----------
    centres : (n_centres, n_features) array
    heights : (n_centres,) array
    weights : (n_features,) array, 0 for features that do not matter
    """

    centres: NDArray[np.float64]
    heights: NDArray[np.float64]
    weights: NDArray[np.float64]

    def values(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return F of each row."""
        apart = (X[:, None, :] - self.centres[None, :, :]) ** 2
        values: NDArray[np.float64] = np.exp(-(apart @ self.weights)) @ self.heights
        return values
