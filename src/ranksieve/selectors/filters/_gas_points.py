"""Points of total importance and total similarity, and which of them dominate others."""

from __future__ import annotations

from dataclasses import dataclass

from ranksieve.selectors.filters._gas_problem import Indices, Problem


@dataclass(frozen=True, eq=False)
class Point:
    """A set of features with its totals, and whether it is proven to be Pareto-optimal."""

    chosen: Indices
    importance: float
    similarity: float
    proven: bool = False

    @classmethod
    def of(cls, problem: Problem, chosen: Indices, *, proven: bool = False) -> Point:
        """Return the point of a set."""
        return cls(chosen, *problem.totals(chosen), proven)


def not_dominated(points: list[Point]) -> list[Point]:
    """Return the points that no other one dominates, by rising importance.

    Of points with equal totals one stays: a proven one, or else the first.
    """
    kept: list[Point] = []
    ranked = sorted(points, key=lambda point: (-point.importance, point.similarity, -point.proven))
    for point in ranked:
        if not kept or point.similarity < kept[-1].similarity:
            kept.append(point)
    return kept[::-1]


def balance_between(
    low_importance: float, low_similarity: float, high_importance: float, high_similarity: float
) -> float:
    """Return the importance that one unit of similarity buys between two points; 0 if they meet."""
    rise = high_similarity - low_similarity
    return (high_importance - low_importance) / rise if rise > 0.0 else 0.0
