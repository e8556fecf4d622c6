"""FSMRank's bound on the loss of unseen pairs (its Theorem 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class GeneralisationBound:
    """What loss plus redundancy on unseen pairs is at most, with probability 1 - theta.

    With C = sum |w_i| / s_i, d features, p pairs and L0 = (4 + 2 lambda1) d,

        training
        + 2 L0 (2 C sqrt(2 d / p) + C^2 (1 + lambda1 / 2) sqrt(2 log(4 d^2) / p))
        + ((1 + C)^2 + lambda1 C^2 / 2 - 1) sqrt(log(1 / theta) / (2 p))

    These are the constants of the proof; the theorem as printed has C^2 + lambda1 / 2 and
    log(4 d) instead. It takes features and similarities from [0, 1], importances of at most 1,
    and pairs that are drawn independently, which those of one query are not.

    The bound is loose, usually by orders of magnitude: it shows what the difference to training
    grows with, and is no estimate of it.

    Attributes
    ----------
    training : mean loss plus redundancy on the training pairs
    complexity : the second summand
    confidence : the third summand
    theta : with what probability the bound may fail
    """

    training: float
    complexity: float
    confidence: float
    theta: float

    @property
    def total(self) -> float:
        """Return the bound itself."""
        return self.training + self.complexity + self.confidence


def generalisation_bound(
    training: float,
    size: float,
    similarity_strength: float,
    *,
    n_features: int,
    n_pairs: int,
    theta: float,
) -> GeneralisationBound:
    """Return the bound for a model with sum |w_i| / s_i = `size`.

    Examples
    --------
    A model of weights 0 is bounded by its training loss alone:

    >>> generalisation_bound(1.0, 0.0, 0.1, n_features=5, n_pairs=100, theta=0.05).total
    1.0
    """
    pairs, features = max(n_pairs, 1), n_features
    lipschitz = (4.0 + 2.0 * similarity_strength) * features
    linear = 2.0 * size * np.sqrt(2.0 * features / pairs)
    quadratic = size**2 * (1.0 + 0.5 * similarity_strength)
    quadratic *= np.sqrt(2.0 * np.log(4.0 * features**2) / pairs)
    largest = (1.0 + size) ** 2 + 0.5 * similarity_strength * size**2 - 1.0
    return GeneralisationBound(
        training=float(training),
        complexity=float(2.0 * lipschitz * (linear + quadratic)),
        confidence=float(largest * np.sqrt(np.log(1.0 / theta) / (2.0 * pairs))),
        theta=theta,
    )
