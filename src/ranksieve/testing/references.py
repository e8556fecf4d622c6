"""Slow, obvious versions that suites compare with: every pair of documents is written out."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ranksieve.penalties import Charge

# A value and its gradient at a point.
_Smooth = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]


def preference_pairs(y: NDArray[np.float64], query_ptr: Any) -> list[tuple[int, int]]:
    """Return all (i, j) of one query with y_i > y_j."""
    return [
        (i, j)
        for start, stop in itertools.pairwise(query_ptr)
        for i in range(start, stop)
        for j in range(start, stop)
        if y[i] > y[j]
    ]


def pair_differences(
    X: NDArray[Any], y: NDArray[np.float64], query_ptr: Any
) -> NDArray[np.float64]:
    """Return the matrix with a row x_i - x_j per pair."""
    pairs = preference_pairs(y, query_ptr)
    return np.array([X[i] - X[j] for i, j in pairs]).reshape(len(pairs), X.shape[1])


def penalised_objective(
    differences: NDArray[np.float64], charge: Charge, w: NDArray[np.float64]
) -> float:
    """Return the mean over pairs of max(0, 1 - difference . w)^2, plus the charge on w."""
    sizes = np.abs(w)
    used = sizes > 0
    total = np.mean(np.maximum(0, 1 - differences @ w) ** 2) + charge.linear[used] @ sizes[used]
    if charge.signed is not None:
        total += 0.5 * w @ charge.signed @ w
    return float(total if charge.matrix is None else total + 0.5 * sizes @ charge.matrix @ sizes)


def penalised_optimum(differences: NDArray[np.float64], charge: Charge) -> NDArray[np.float64]:
    """Return the weights with the least objective, solved as plus - minus, both not negative.

    There the charge is on plus + minus, so that the objective has no kinks, and a quasi-Newton
    method with bounds reaches it to about ten digits.
    """
    finite = np.isfinite(charge.linear)
    D, linear = differences[:, finite], charge.linear[finite]
    n, within = len(linear), np.ix_(finite, finite)
    matrix = np.zeros((n, n)) if charge.matrix is None else charge.matrix[within]
    signed = np.zeros((n, n)) if charge.signed is None else charge.signed[within]

    def smooth(parts: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        plus, minus = parts[:n], parts[n:]
        w, sizes = plus - minus, plus + minus
        slack = np.maximum(0, 1 - D @ w)
        slopes = linear + matrix @ sizes
        value = slack @ slack / len(D) + 0.5 * (linear + slopes) @ sizes + 0.5 * w @ signed @ w
        by_weight = signed @ w - 2 * D.T @ slack / len(D)
        return float(value), np.concatenate([slopes + by_weight, slopes - by_weight])

    parts = bounded_minimum(smooth, 2 * n)
    w = np.zeros(len(finite))
    w[finite] = parts[:n] - parts[n:]
    return w


def bounded_minimum(smooth: _Smooth, n: int) -> NDArray[np.float64]:
    """Return the point without negative entries at which a convex function is least."""
    options = {"ftol": 1e-16, "gtol": 1e-12, "maxiter": 50_000, "maxfun": 100_000, "maxcor": 30}
    point = np.zeros(n)
    for _ in range(3):  # from where it ended, with a new model of the curvature
        point = minimize(
            smooth, point, jac=True, method="L-BFGS-B", bounds=[(0, None)] * n, options=options
        ).x
    return point
