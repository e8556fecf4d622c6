"""The optimum of risk plus charge by an outside solver, with every pair written out."""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from tests.reference.pairs import pair_differences

_TIGHT = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


def objective(X, y, query_ptr, charge, w):
    """Mean over pairs of max(0, 1 - difference . w)^2, plus the charge on w."""
    differences = pair_differences(X, y, query_ptr)
    sizes = np.abs(w)
    used = sizes > 0
    total = np.mean(np.maximum(0, 1 - differences @ w) ** 2) + charge.linear[used] @ sizes[used]
    if charge.signed is not None:
        total += 0.5 * w @ charge.signed @ w
    return total if charge.matrix is None else total + 0.5 * sizes @ charge.matrix @ sizes


def optimum(X, y, query_ptr, charge, tol=1e-12):
    """The weights of the optimum, solved as w = plus - minus with the charge on plus + minus."""
    differences = pair_differences(X, y, query_ptr)
    plus, minus = (cp.Variable(X.shape[1], nonneg=True) for _ in range(2))
    finite = np.isfinite(charge.linear)
    loss = cp.sum_squares(cp.pos(1 - differences @ (plus - minus))) / len(differences)
    total = loss + np.where(finite, charge.linear, 0.0) @ (plus + minus)
    if charge.matrix is not None:
        total += 0.5 * cp.quad_form(plus + minus, cp.psd_wrap(charge.matrix))
    if charge.signed is not None:
        total += 0.5 * cp.quad_form(plus - minus, cp.psd_wrap(charge.signed))
    kept = [] if finite.all() else [(plus + minus)[~finite] == 0]
    tight = dict.fromkeys(_TIGHT, tol)
    cp.Problem(cp.Minimize(total), kept).solve(solver="CLARABEL", **tight)
    w = plus.value - minus.value
    return np.where(finite, w, 0.0)


def least_doubled(X, y, query_ptr, doubled_similarity, importance, lambda1, lambda2):
    """The least value of FSMRank's form (2), and the 2 d nonnegative weights that have it.

    Feature d + i is the negative of feature i, `doubled_similarity` is 2 d by 2 d, and features of
    importance 0 are left out.
    """
    doubled = np.hstack([X, -X])
    differences = pair_differences(doubled, y, query_ptr)
    u = cp.Variable(doubled.shape[1], nonneg=True)
    s = np.tile(importance, 2)
    loss = cp.sum_squares(cp.pos(1 - differences @ u)) / len(differences)
    redundancy = 0.5 * lambda1 * cp.quad_form(u, cp.psd_wrap(doubled_similarity))
    total = loss + redundancy + lambda2 * (u @ np.where(s > 0, 1 / np.where(s > 0, s, 1), 0))
    kept = [u[np.flatnonzero(s == 0)] == 0] if (s == 0).any() else []
    least = cp.Problem(cp.Minimize(total), kept).solve(solver="CLARABEL", **_TIGHT)
    return least, u.value


def optimum_in_ball(X, y, query_ptr, radius):
    """The least mean squared hinge over |w|_1 <= radius."""
    differences = pair_differences(X, y, query_ptr)
    w = cp.Variable(X.shape[1])
    loss = cp.sum_squares(cp.pos(1 - differences @ w)) / len(differences)
    return cp.Problem(cp.Minimize(loss), [cp.norm1(w) <= radius]).solve(solver="CLARABEL", **_TIGHT)
