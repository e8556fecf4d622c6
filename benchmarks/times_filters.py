"""Figures 4 and 5 of the RankFilter paper: seconds of filters over features, and over points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.times_embedded import Row
from benchmarks.timing import best_of
from ranksieve import GAS, RankFilter, RankingData, ReliefF
from ranksieve.sources import RBFPoints

# The paper's sizes, and then larger ones, where what is fixed no longer hides the growth.
FEATURES = (*range(10, 101, 10), 200, 400, 800, 1600)
POINTS = (*range(10, 101, 10), 200, 400, 800, 1600, 3200)
FIXED = 100
LEVELS = 5
CALLS = 7
METHODS: dict[str, Callable[[], Any]] = {
    "RankFilter": RankFilter,
    "ReliefF": ReliefF,
    "GAS": lambda: GAS(importance="ndcg@10", unproven="published"),
}


def filter_times(
    features: tuple[int, ...] = FEATURES, points: tuple[int, ...] = POINTS
) -> list[Row]:
    """One row per method and size: the least seconds of several fits."""
    sizes = [("features", FIXED, p) for p in features] + [("points", n, FIXED) for n in points]
    rows = []
    for axis, n_points, n_features in sizes:
        data = generated(n_points, n_features)
        for name, make in METHODS.items():
            seconds, _ = best_of(CALLS, lambda make=make, data=data: make().fit(data))
            rows.append(
                {
                    "axis": axis,
                    "method": name,
                    "points": n_points,
                    "features": n_features,
                    "seconds": seconds,
                }
            )
    return rows


def generated(n_points: int, n_features: int) -> RankingData:
    """Points in five grades of a random RBF function: one query, as in the paper."""
    source = RBFPoints(n_points=n_points, n_features=n_features, levels=LEVELS)
    return source.run(1).query(np.ones(n_points, dtype=bool), "points")


def growth(rows: list[Row], axis: str, method: str) -> float:
    """The power with which seconds grow, from the two largest sizes."""
    matching = [row for row in rows if (row["axis"], row["method"]) == (axis, method)]
    small, large = sorted(matching, key=lambda row: row[axis])[-2:]
    return float(np.log(large["seconds"] / small["seconds"]) / np.log(large[axis] / small[axis]))
