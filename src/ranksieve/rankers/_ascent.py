"""The mean of a measure over queries as a function of weights, raised one weight at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.data.canonical import in_content_order
from ranksieve.errors import DataError
from ranksieve.measures import Measure, counting_queries

# Means of a measure that differ by less are equal: the first is taken.
EQUAL = 1e-12
# Scores that are measured together: one call for many steps of small data.
_MEASURED_TOGETHER = 1 << 18


@dataclass(frozen=True, eq=False)
class Ascent:
    """The mean of a measure as a function of weights, and steps that raise it.

    For `CoordinateAscent`, and for searches that would train it on many sets of features.

    Attributes
    ----------
    Z : (features, documents) array, centred inside queries and in units of the mean distance
    directions : (features,) array of 1 and -1, which way a feature ranks better alone
    alone : (features,) array, the mean measure of each in its better direction, largest first
    columns, units : where the features are in the data, and their mean distances
    steps : sizes of the steps along a weight
    """

    Z: NDArray[np.float64]
    y: NDArray[np.float64]
    query_ptr: NDArray[np.int64]
    measure: Measure
    directions: NDArray[np.float64]
    alone: NDArray[np.float64]
    columns: NDArray[np.int64]
    units: NDArray[np.float64]
    n_features: int
    steps: NDArray[np.float64]

    @classmethod
    def of(cls, data: RankingData, measure: Measure, n_steps: int) -> Ascent:
        """Take the queries that count and the features that vary in them, the best alone first."""
        measure.check_grades(data.y)
        data.check_memory(3 * data.n_features, 8)
        own, columns = in_content_order(data)
        counting = counting_queries(own, measure)
        if not counting.any():
            raise DataError(
                f"{measure} is the same for every order of each of the {data.n_queries} queries, "
                "so there is nothing to learn. Check the grades, or choose another measure."
            )
        own = own.queries(counting).gathered()
        Z, units = _in_units(own)
        used = np.flatnonzero(units > 0)
        signed = (np.stack([Z[f], -Z[f]]) for f in used)
        means = [_means(measure, own.y, scores, own.query_ptr) for scores in signed]
        alone = np.array(means).reshape(-1, 2)
        # To 12 digits: queries in another order have another rounding of the mean.
        best_first = np.argsort(-alone.max(axis=1).round(12), kind="stable")
        directions = np.where(alone[:, 0] >= alone[:, 1] - EQUAL, 1.0, -1.0)[best_first]
        used = used[best_first]
        return cls(
            np.ascontiguousarray(Z[used]),
            own.y,
            own.query_ptr,
            measure,
            directions,
            alone.max(axis=1)[best_first],
            columns[used],
            units[used],
            data.n_features,
            0.001 * (np.exp2(np.arange(1.0, n_steps + 1)) - 1.0),
        )

    def means(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean measure of each row of scores."""
        return _means(self.measure, self.y, scores, self.query_ptr)

    def mean(self, scores: NDArray[np.float64]) -> float:
        return float(self.means(scores[None, :])[0])

    def start(self, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return equal weights, each in its better direction, or those given in own units."""
        if weights is None or not weights[self.columns].any():
            return self.directions / max(len(self.directions), 1)
        return _normalised(weights[self.columns] * self.units)

    def random_start(self, rng: np.random.Generator) -> NDArray[np.float64]:
        return _normalised(self.directions * rng.exponential(size=len(self.directions)))

    def weights(self, w: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return weights for features as they are; 0 for those that do not vary."""
        weights = np.zeros(self.n_features)
        with np.errstate(over="ignore"):
            weights[self.columns] = w / self.units
        if not np.isfinite(weights).all():
            raise DataError(
                "weights must be finite, but values of a feature are too small for that. "
                "Scale the features first."
            )
        return weights

    def round(
        self,
        w: NDArray[np.float64],
        value: float,
        rng: np.random.Generator,
        features: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.float64], float]:
        """Return the weights after each was moved once, and their mean measure.

        Weights of some `features` alone, where they are given; the others must be 0.
        """
        order = rng.permutation(len(w) if features is None else features)
        if len(order) == 1:
            return w, value  # any weight of its direction ranks alike
        scores = w @ self.Z if features is None else w[features] @ self.Z[features]
        for f in order:
            w, scores, value = self.step(w, scores, f, value)
        return w, value

    def step(
        self, w: NDArray[np.float64], scores: NDArray[np.float64], f: int, value: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Return weights, scores and mean measure after the best step along one weight."""
        t, value = self._best_step(scores, w, f, value)
        if t == 0.0:
            return w, scores, value
        moved = w.copy()
        moved[f] = 0.0 if t == -w[f] else w[f] + t
        size = np.abs(moved).sum()
        return moved / size, (scores + t * self.Z[f]) / size, value

    def _best_step(
        self, scores: NDArray[np.float64], w: NDArray[np.float64], f: int, value: float
    ) -> tuple[float, float]:
        """Return the step along a feature that is best, and its mean; 0 where none is better."""
        steps = self.directions[f] * self.steps
        # Without its only weight a model would rank nothing.
        drop = [-w[f]] if w[f] != 0.0 and np.count_nonzero(w) > 1 else []
        for t in (steps, np.append(-steps, drop)):
            means = self.means(scores + t[:, None] * self.Z[f])
            j = int(np.argmax(means >= means.max() - EQUAL))
            if means[j] > value + EQUAL:
                return float(t[j]), float(means[j])
        return 0.0, value


def _means(
    measure: Measure,
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the mean measure of each row of scores."""
    n, means = len(y), np.empty(len(scores))
    together = max(1, _MEASURED_TOGETHER // n)
    for first in range(0, len(scores), together):
        part = scores[first : first + together]
        shifts = n * np.arange(len(part))[:, None]
        ptr = np.append((query_ptr[:-1] + shifts).ravel(), n * len(part))
        values = measure.values(np.tile(y, len(part)), part.ravel(), ptr)
        means[first : first + together] = values.reshape(len(part), -1).mean(axis=1)
    return means


def _in_units(data: RankingData) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return features by documents, less the query's mean and in units of its mean size."""
    starts, sizes = data.query_ptr[:-1], np.diff(data.query_ptr)
    Z, units = np.empty((data.n_features, data.n_documents)), np.zeros(data.n_features)
    with np.errstate(over="ignore", invalid="ignore"):
        for f in range(data.n_features):
            values = data.X[:, f].astype(np.float64)
            # From the first document on: what is constant in a query is exactly 0.
            values -= np.repeat(values[starts], sizes)
            values -= np.repeat(np.add.reduceat(values, starts) / sizes, sizes)
            units[f] = np.abs(values).mean()
            Z[f] = values / units[f] if units[f] > 0 else 0.0
    if not (np.isfinite(units).all() and np.isfinite(Z).all()):
        raise DataError("sums of features must be finite. Scale the features first.")
    return Z, units


def _normalised(w: NDArray[np.float64]) -> NDArray[np.float64]:
    return w / max(float(np.abs(w).sum()), np.finfo(np.float64).tiny)
