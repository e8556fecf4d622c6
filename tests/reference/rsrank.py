"""RSRank's problem with every pair written out, and its optimum by an outside solver."""

from __future__ import annotations

import itertools

import cvxpy as cp
import numpy as np

_TIGHT = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12)


def importances(y, query_ptr, *, exponential=True):
    """Pairs (i, j) with y_i > y_j, and (gain_i - gain_j) over the ideal DCG of their query."""
    pairs, weights = [], []
    gains = 2.0**y - 1 if exponential else y
    for start, stop in itertools.pairwise(query_ptr):
        best_first = sorted(gains[start:stop], reverse=True)
        ideal = sum(gain / np.log2(position + 2) for position, gain in enumerate(best_first))
        for i, j in itertools.permutations(range(start, stop), 2):
            if y[i] > y[j]:
                pairs.append((i, j))
                weights.append((gains[i] - gains[j]) / ideal)
    return pairs, np.array(weights)


def risk(X, y, query_ptr, w, *, exponential=True):
    """The weighted mean over pairs of max(0, 1 - margin)^2, and its gradient."""
    pairs, weights = importances(y, query_ptr, exponential=exponential)
    differences = np.array([X[i] - X[j] for i, j in pairs])
    short = np.maximum(0, 1 - differences @ w)
    weights = weights / weights.sum()
    return weights @ short**2, -2 * (weights * short) @ differences


def optimum(X, y, query_ptr, strength):
    """The least value of the risk plus strength times the sum of |w|."""
    pairs, weights = importances(y, query_ptr)
    differences = np.array([X[i] - X[j] for i, j in pairs])
    w = cp.Variable(X.shape[1])
    roots = np.sqrt(weights / weights.sum())
    loss = cp.sum_squares(cp.multiply(roots, cp.pos(1 - differences @ w)))
    problem = cp.Problem(cp.Minimize(loss + strength * cp.norm1(w)))
    return problem.solve(solver="CLARABEL", **_TIGHT)
