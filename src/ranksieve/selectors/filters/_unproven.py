"""Features that are not shown to be better than a random order, and where they come."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.importance import Importance, MeasureImportance

Unproven = Literal["last", "published"]


def check_unproven(unproven: object) -> None:
    """Raise unless the parameter is one of its two names."""
    check_choice("unproven", unproven, ("last", "published"))


def rated(
    importance: Importance, data: RankingData, unproven: Unproven, *, falling: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """Return scores, and which features are better than a random order if that is asked for.

    With `falling`, a measure counts for ranking by falling values only.
    """
    if unproven == "last":
        rating = importance.rating(data)
        by_falling = falling and isinstance(importance, MeasureImportance)
        return (rating.falling if by_falling else rating.scores), rating.better_than_random
    if falling and isinstance(importance, MeasureImportance):
        return importance.both_directions(data)[0], None
    return importance.scores(data), None


def comes_later(better: NDArray[np.bool_] | None, offered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which offered features come after the others: none where no feature is better.

    Examples
    --------
    >>> comes_later(np.array([True, False, False]), np.array([True, True, False])).tolist()
    [False, True, False]
    >>> comes_later(np.array([False, False, False]), np.array([True, True, False])).tolist()
    [False, False, False]
    """
    if better is None or not (better & offered).any():
        return np.zeros(len(offered), dtype=bool)
    return offered & ~better


def better_first(order: NDArray[np.int64], better: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Move features that are not better to the end, keeping the order otherwise.

    Examples
    --------
    >>> better_first(np.array([2, 0, 1]), np.array([False, True, True]))
    array([2, 1, 0])
    """
    is_better = better[order]
    return np.concatenate([order[is_better], order[~is_better]])
