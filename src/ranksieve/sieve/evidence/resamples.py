"""How often a feature would have been chosen, had other queries of the same kind judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ranksieve.sieve.search.elimination import Rung, RunningWorth
from ranksieve.sieve.search.ladder import shrink
from ranksieve.sieve.search.search import Search

N_RESAMPLES = 200


def resample_shares(found: Search, choice: int) -> NDArray[np.float64]:
    """Return the share of resamples of the queries in which each feature is in the chosen rung.

    The queries are drawn again, with replacement, and the ladder is gone down again by what
    the features are worth on those that were drawn. The models stay as they were trained, so that
    this costs no training; trained again, sets would differ a little more.

    Examples
    --------
    A feature that is worth more than another in every query is chosen in every resample; see
    `tests/sieve/test_evidence.py`.
    """
    rng = np.random.default_rng([found.question.random_state, 2])
    n_queries = int(found.counting.sum())
    weights = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=N_RESAMPLES)
    worth = [_fold_worth(weights, rung, found) for rung in found.rungs[:choice]]
    targets = [rung.price for rung in found.rungs[1 : choice + 1]]
    counts = np.zeros(len(found.rungs[0].selected))
    for resample in range(N_RESAMPLES):
        path = [per_resample[:, resample] for per_resample in worth]
        counts += _gone_down(found, path, targets)
    return counts / N_RESAMPLES


def _fold_worth(weights: NDArray[np.int64], rung: Rung, found: Search) -> NDArray[np.float64]:
    """Return what features are worth: folds × resamples × features."""
    losses = np.nan_to_num(rung.repeat_losses[:, found.counting])
    members = [found.folds.members(fold)[found.counting] for fold in range(found.folds.n_folds)]
    return np.array(
        [
            weights[:, inside] @ losses[found.folds.repeat(fold), inside]
            for fold, inside in enumerate(members)
        ]
    )


def _gone_down(
    found: Search, path: Sequence[NDArray[np.float64]], targets: Sequence[float]
) -> NDArray[np.bool_]:
    """Return the set that is left at the last target, as `eliminate` would leave it."""
    selected = found.rungs[0].selected.copy()
    worth = RunningWorth(found.folds, len(selected))
    for rung, per_fold, target in zip(found.rungs, path, targets, strict=False):
        worth.learn(rung.fold_selected, per_fold)
        guided = worth.guided(found.guide, selected)
        selected = shrink(selected, guided, found.question.costs, target)
    return selected
