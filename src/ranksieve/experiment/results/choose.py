"""Which trial of a fold the validation part chooses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.experiment.store.packing import unpacked

# Means this close are equal: rounding must not decide for more features.
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Candidate:
    """A finished trial of one fold: its row, its number of features, its validation means."""

    row: dict[str, Any]
    number: int
    n_features: int
    means: NDArray[np.float64] | None


def candidate(row: dict[str, Any], number: int) -> Candidate:
    """Return the candidate that a row of the store makes, with the number it was asked for."""
    stored = row["validation"]
    with np.errstate(all="ignore"):
        means = None if stored is None else _means(unpacked(stored))
    return Candidate(row, number, len(unpacked(row["chosen"])), means)


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each measure over the queries that count; NaN where none does."""
    counted = ~np.isnan(values)
    means: NDArray[np.float64] = np.where(counted, values, 0.0).sum(axis=1) / counted.sum(axis=1)
    return means


def best(candidates: Iterable[Candidate]) -> Candidate | None:
    """Return the candidate with the best mean of the first measure on validation.

    Among equals the one with fewer features, then the first. One without features is never
    taken. Without a validation part the only candidate is taken, and none where there are more.
    """
    usable = [one for one in candidates if one.n_features > 0]
    if not usable or any(one.means is None for one in usable):
        return usable[0] if len(usable) == 1 else None
    means = np.array([one.means[0] for one in usable])  # type: ignore[index]
    means[np.isnan(means)] = -np.inf  # no query counts: worse than any that one counts for
    top = [usable[place] for place in np.flatnonzero(means >= means.max() - EQUAL)]
    return min(top, key=lambda one: one.n_features)
