"""Multi-task sparse RankSVM on explicit pairs, by an outside solver on a smooth form."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from ranksieve.testing.references import pair_differences


def optimum(tasks, strength, own=np.inf):
    """Return the least objective: rows' sizes smoothed, with less and less of it.

    sqrt(|r|^2 + e^2) lies above |r| by at most e, so that the value of the plain objective at its
    minimum is above the optimum by at most (features * strength + weights * own) * e.
    """
    pairs = [pair_differences(task.X, task.y, task.query_ptr) for task in tasks]
    n_tasks, n_features = len(tasks), tasks[0].n_features
    with_own = np.isfinite(own)

    def split(v):
        parts = v.reshape(-1, n_tasks, n_features)
        return parts[0], parts[1] if with_own else np.zeros_like(parts[0])

    def objective(v, e):
        shared, apart = split(v)
        value, slopes = 0.0, np.zeros_like(shared)
        for task, differences in enumerate(pairs):
            slack = np.maximum(0.0, 1.0 - differences @ (shared + apart)[task])
            value += float(np.mean(slack**2))
            slopes[task] = -2.0 * differences.T @ slack / len(differences)
        sizes = np.sqrt((shared**2).sum(axis=0) + e**2)
        value += strength * sizes.sum()
        gradient = [slopes + strength * shared / sizes]
        if with_own:
            magnitudes = np.sqrt(apart**2 + e**2)
            value += own * magnitudes.sum()
            gradient.append(slopes + own * apart / magnitudes)
        return value, np.concatenate([part.ravel() for part in gradient])

    v = np.zeros((2 if with_own else 1) * n_tasks * n_features)
    for e in (1e-1, 1e-3, 1e-5, 1e-7):
        v = minimize(
            objective,
            v,
            args=(e,),
            jac=True,
            method="L-BFGS-B",
            options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 400},
        ).x
    return objective(v, 1e-150)[0]
