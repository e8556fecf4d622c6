"""Products of a piece's features with weights, and with slopes by score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block
from ranksieve.kernels.linear.products import gradient_of_weights, scores_of_rows


def piece_scores(piece: Block, w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return w . x for each document."""
    scores = np.empty(piece.n_documents)
    scores_of_rows(piece.X, piece.rows.start, piece.rows.stop, w, scores)
    return scores


def piece_gradient(piece: Block, by_score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over documents of their slopes by score times their features."""
    gradient = np.empty(piece.n_features)
    gradient_of_weights(piece.X, piece.rows.start, piece.rows.stop, by_score, gradient)
    return gradient
