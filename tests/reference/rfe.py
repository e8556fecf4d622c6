"""Recursive elimination as a plain loop over lists of columns."""

from __future__ import annotations

import numpy as np

from ranksieve import RankSVM


def ranksvm_sizes(X, y, qid, **parameters):
    """|w| of a RankSVM trained on these columns alone."""
    return np.abs(RankSVM(**parameters).fit(X, y, qid=qid).coef_)


def eliminate(X, y, qid, drops, sizes):
    """The order, best first, when drops[0], drops[1], ... columns go; no constant ones in X."""
    left, worst_first = list(range(X.shape[1])), []
    for n_drop in drops:
        values = sizes(X[:, left], y, qid)
        by_size = sorted(zip(values, [-feature for feature in left], strict=True))
        going = [-feature for _, feature in by_size[:n_drop]]
        worst_first += going
        left = [feature for feature in left if feature not in going]
    assert len(left) == 1
    return [*left, *reversed(worst_first)]
