"""Biased PageRank on a graph of features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve


def biased_pagerank(
    weights: NDArray[np.float64], preference: NDArray[np.float64], *, damping: float
) -> NDArray[np.float64]:
    """Return the scores that features hand to each other along the edges of their graph.

        s_i = (1 - damping) p_i + damping * sum over j of  w_ij / (sum over k of w_jk)  s_j

    Feature j gives its score away in shares of its own edges, so the columns of the
    transition sum to 1, not the rows. A feature without edges gives nothing away. The
    equation is linear and is solved directly: no tolerance, no iterations.

    Parameters
    ----------
    weights : (p, p) array, symmetric, not negative, with a zero diagonal
    preference : (p,) array, not negative, with sum 1
    damping : float, at least 0 and below 1

    Notes
    -----
    Cost: O(p^3). The sum of damping * transition over a column is at most the damping, so
    the system has one solution, and it is not negative.

    Examples
    --------
    >>> path = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    >>> biased_pagerank(path, np.ones(3) / 3, damping=0.5)
    array([0.27777778, 0.44444444, 0.27777778])
    """
    degrees = weights.sum(axis=1)
    transition = weights / np.where(degrees > 0, degrees, 1.0)
    system = np.eye(len(weights)) - damping * transition
    scores: NDArray[np.float64] = solve(system, (1.0 - damping) * preference)
    return scores
