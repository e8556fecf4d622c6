"""FSMRank's bound on the loss of unseen pairs (its Theorem 3), and where it holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.losses import PairLoss, SquaredHingeLoss
from ranksieve.passes import run


@dataclass(frozen=True)
class GeneralisationBound:
    """What loss plus redundancy on unseen pairs is at most, with probability 1 - theta.

    With C = sum |w_i| / s_i, d features, p pairs and L0 = (4 + 2 lambda1) d,

        training
        + 2 L0 (2 C sqrt(2 d / p) + C^2 (1 + lambda1 / 2) sqrt(2 log(4 d^2) / p))
        + ((1 + C)^2 + lambda1 C^2 / 2 - 1) sqrt(log(1 / theta) / (2 p))

    after Theorem 3 of the paper. C^2 (1 + lambda1 / 2) is that of its proof, where the theorem
    as printed has C^2 + lambda1 / 2. log(4 d^2) is our own correction: the paper prints
    log(4 d), whether d counts the doubled features or not.

    It assumes features and similarities in [0, 1], importances of at most 1, the squared hinge,
    and pairs that are drawn independently, which those of one query are not. It takes C from
    the fitted model, where a bound should fix it before, and L0, the Lipschitz constant of the
    gradient, where its Lemma 1 needs that of the loss.

    The bound is on loss plus redundancy, and loose, usually by orders of magnitude: it shows
    what the difference to training grows with, and is no estimate of it.

    Attributes
    ----------
    training : mean loss plus redundancy on the training pairs
    complexity : the second summand; NaN where a premise fails
    confidence : the third summand; NaN where a premise fails
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


def failing_premise(data: RankingData, loss: PairLoss) -> str | None:
    """Return why Theorems 2 and 3 do not hold for a loss on data; None where they may.

    Similarities and importances above 1 are no reason: with lambda1 times the largest similarity
    and C times the largest importance it is the same problem with both in [0, 1].
    """
    if not isinstance(loss, SquaredHingeLoss):
        return f"its proof is for the squared hinge, but the loss is {type(loss).__name__}"
    if data.scaling == "minmax":
        return None
    least, largest = run(_RangePass(), data, label="ranges")
    outside = np.flatnonzero((least < 0.0) | (largest > 1.0))
    if not len(outside):
        return None
    first = outside[0]
    return (
        f"its proof takes features in [0, 1], but {len(outside)} of {data.n_features} features "
        f"are not (first: {data.feature_names[first]!r}, from {least[first]:.3g} to "
        f"{largest[first]:.3g}). Scale them first, with ranksieve.data.scale(data)"
    )


class _RangePass:
    """Least and largest value of each feature."""

    def partial(self, piece: Block) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        X = piece.X[piece.rows]
        return X.min(axis=0), X.max(axis=0)

    def combine(
        self,
        left: tuple[NDArray[np.float64], NDArray[np.float64]],
        right: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.minimum(left[0], right[0]), np.maximum(left[1], right[1])
