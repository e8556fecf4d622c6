"""Random points whose order is that of a smooth nonlinear function."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData, load
from ranksieve.data.check import check_count, check_seed
from ranksieve.errors import ParameterError
from ranksieve.sources._rbftruth import RBFTruth
from ranksieve.sources.base import Source, StudyFold

# Mean of sum_j w_j (x_j - c_j)^2 over points and centres, for any number of relevant features.
_MEAN_EXPONENT = 2.0
_LEAST_WEIGHT = 0.2
# The mean of (u - v)^2 where u and v are uniform on [0, 1].
_MEAN_SQUARE = 1 / 6


@dataclass(frozen=True, repr=False)
class RBFPoints(Source):
    """Random points, ordered by a random function of an RBF kernel that few features rule.

    A run draws points uniformly from the unit cube and a function (`RBFTruth`) whose centres are
    drawn likewise and whose heights are standard normal. Of the features `n_relevant`, drawn at
    random, have a weight in the kernel: uniform from 0.2 to 1, then scaled so that the exponent
    is 2 in the mean; the others have none. The points are dealt at random into `n_folds` groups.
    A fold is tested on one group and trains on all others; the training points are one ordering,
    so one query, and so are the test points. There is no validation part.

    Parameters
    ----------
    n_points : int
    n_features : int
    n_relevant : int
    n_centres : int
    n_runs : int
        How often points and function are drawn again.
    levels : int or None
        Into how many grades the order of all points of a run is cut, equally; the best have
        levels - 1. None: the grade is the number of points below, from 0 to n_points - 1.
    n_folds : int
    random_state : int

    Notes
    -----
    Folds are named run01-1, run01-2, ...: a run, and the group that it is tested on. Runs
    share nothing: run r is the same whatever `n_runs` is.

    The synthetic data of Yu, Oh and Han, Efficient feature weighting methods for ranking (2009),
    section 5.2, has 100 points, 30 runs, three groups and five levels. The text that we have does
    not give the number of features, the range of the points, or how the function was drawn:
    30 features, 6 of which matter, 10 centres and all else above are ours.

    Examples
    --------
    >>> source = RBFPoints(n_points=30, n_runs=2, levels=5)
    >>> fold = source.folds()[0]
    >>> fold.name, fold.train.n_documents, fold.test.n_documents, fold.vali
    ('run01-1', 20, 10, None)
    >>> sorted(set(fold.train.y.tolist()))
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """

    n_points: int = 100
    n_features: int = 30
    n_relevant: int = 6
    n_centres: int = 10
    n_runs: int = 30
    levels: int | None = None
    n_folds: int = 3
    random_state: int = 0

    @property
    def name(self) -> str:
        """What was made."""
        kind = "in order" if self.levels is None else f"in {self.levels} grades"
        return f"{self.n_points} points {kind}, {self.n_runs} runs"

    def folds(self) -> list[StudyFold]:
        """Return the folds of the first run, the second, ...; nothing is drawn yet."""
        self._check()
        width = max(2, len(str(self.n_runs)))
        runs = [
            (f"run{number:0{width}d}", self.run(number)) for number in range(1, self.n_runs + 1)
        ]
        return [
            _RBFFold(f"{name}-{group + 1}", run, group)
            for name, run in runs
            for group in range(self.n_folds)
        ]

    def run(self, number: int) -> RBFRun:
        """Return a run, from 1 on."""
        return RBFRun(self, number)

    def _check(self) -> None:
        check_seed(self.random_state)
        for name, least in (("n_relevant", 1), ("n_centres", 1), ("n_runs", 1), ("n_folds", 2)):
            check_count(name, getattr(self, name), least)
        check_count("n_features", self.n_features, self.n_relevant)
        check_count("n_points", self.n_points, 2 * self.n_folds)
        if self.levels is not None:
            check_count("levels", self.levels, 2)
            if self.levels > self.n_points:
                raise ParameterError(
                    f"levels must be at most n_points, {self.n_points}, but is {self.levels}"
                )


@dataclass(frozen=True, eq=False)
class RBFRun:
    """The points of one run, their true order, and how they are dealt out.

    Attributes
    ----------
    X : (n_points, n_features) array
    truth : RBFTruth
    positions : (n_points,) int array, for each point the number of points below it
    grades : (n_points,) array
    groups : (n_points,) int array, the group of each point
    """

    source: RBFPoints
    number: int

    @cached_property
    def X(self) -> NDArray[np.float64]:  # noqa: N802 - the literature's name for a matrix
        """Points, uniform in the unit cube."""
        return self._random(0).random((self.source.n_points, self.source.n_features))

    @cached_property
    def truth(self) -> RBFTruth:
        """The function that orders the points."""
        source, random = self.source, self._random(1)
        weights = np.zeros(source.n_features)
        relevant = random.choice(source.n_features, source.n_relevant, replace=False)
        weights[relevant] = random.uniform(_LEAST_WEIGHT, 1.0, source.n_relevant)
        weights *= _MEAN_EXPONENT / (_MEAN_SQUARE * weights.sum())
        centres = random.random((source.n_centres, source.n_features))
        return RBFTruth(centres, random.standard_normal(source.n_centres), weights)

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """For each point the number of points below it."""
        positions = np.empty(self.source.n_points, dtype=np.int64)
        positions[np.argsort(self.truth.values(self.X), kind="stable")] = np.arange(len(positions))
        return positions

    @cached_property
    def grades(self) -> NDArray[np.float64]:
        """Positions, or levels of equal size."""
        levels = self.source.levels
        if levels is None:
            return self.positions.astype(np.float64)
        return (self.positions * levels // self.source.n_points).astype(np.float64)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The group of each point."""
        groups = np.empty(self.source.n_points, dtype=np.int64)
        order = self._random(2).permutation(self.source.n_points)
        for group, points in enumerate(np.array_split(order, self.source.n_folds)):
            groups[points] = group
        return groups

    def query(self, points: NDArray[np.bool_], name: str) -> RankingData:
        """Return some points as one query."""
        return load((self.X[points], self.grades[points], [name] * int(points.sum())))

    def _random(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.source.random_state, self.number, purpose])


@dataclass(frozen=True, eq=False)
class _RBFFold:
    """The groups of a run, one of them to test on."""

    name: str
    run: RBFRun = field(repr=False)
    group: int = field(repr=False)
    vali: None = None

    @cached_property
    def train(self) -> RankingData:
        return self.run.query(self.run.groups != self.group, "train")

    @cached_property
    def test(self) -> RankingData:
        return self.run.query(self.run.groups == self.group, "test")
