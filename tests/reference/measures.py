"""Measures written as their definitions read: every order of tied documents is enumerated.

Nothing is shared with the package. "worst" takes the least value over all orders of tied
documents, which shows that rising grade, as the package orders them, is the worst order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product
from typing import Any


def reference_value(measure: Any, y: list[float], scores: list[float]) -> float:
    """Value of one query; feasible up to about 7 tied documents."""
    ranked, has_relevant = REFERENCES[type(measure).__name__]
    if not has_relevant(measure, y):
        return math.nan if measure.no_relevant == "skip" else measure.no_relevant
    if measure.parameters.get("variant") == "b" and measure.ties == "average":
        return tau_b(y, scores)
    if measure.ties == "input":
        order = sorted(range(len(y)), key=lambda row: -scores[row])
        return ranked(measure, [y[row] for row in order])
    values = [ranked(measure, [y[row] for row in order]) for order in orders(scores)]
    return min(values) if measure.ties == "worst" else math.fsum(values) / len(values)


def orders(scores: list[float]) -> Iterator[list[int]]:
    """All orders by falling score: every permutation inside each group of equal scores."""
    groups = [
        [row for row, score in enumerate(scores) if score == level]
        for level in sorted(set(scores), reverse=True)
    ]
    for chosen in product(*(permutations(group) for group in groups)):
        yield [row for group in chosen for row in group]


def _first(measure: Any, grades: list[float]) -> list[float]:
    return grades if measure.k is None else grades[: measure.k]


def ndcg(measure: Any, ranked: list[float]) -> float:
    if measure.convention == "letor" and measure.k is not None and len(ranked) < measure.k:
        return 0.0

    def gain(grade: float) -> float:
        return 2.0**grade - 1 if measure.gain == "exponential" else grade

    def divisor(position: int) -> float:
        if measure.discount == "log2":
            return math.log2(position + 1)
        return 1.0 if position <= 2 else math.log2(position)

    def dcg(grades: list[float]) -> float:
        return sum(gain(g) / divisor(j) for j, g in enumerate(_first(measure, grades), 1))

    return dcg(ranked) / dcg(sorted(ranked, reverse=True))


def average_precision(measure: Any, ranked: list[float]) -> float:
    relevant = [grade >= measure.threshold for grade in ranked]
    precisions = [
        sum(relevant[:position]) / position
        for position in range(1, len(_first(measure, ranked)) + 1)
        if relevant[position - 1]
    ]
    return sum(precisions) / sum(relevant)


def precision(measure: Any, ranked: list[float]) -> float:
    return sum(grade >= measure.threshold for grade in _first(measure, ranked)) / measure.k


def reciprocal_rank(measure: Any, ranked: list[float]) -> float:
    for position, grade in enumerate(_first(measure, ranked), 1):
        if grade >= measure.threshold:
            return 1 / position
    return 0.0


def err(measure: Any, ranked: list[float]) -> float:
    total, still_reading = 0.0, 1.0
    for position, grade in enumerate(_first(measure, ranked), 1):
        satisfied = (2.0**grade - 1) / 2.0**measure.max_grade
        total += still_reading * satisfied / position
        still_reading *= 1 - satisfied
    return total


def kendall_tau(measure: Any, ranked: list[float]) -> float:
    pairs = [(first, second) for first, second in combinations(ranked, 2) if first != second]
    alike = sum(first > second for first, second in pairs)
    if measure.variant == "share":
        return alike / len(pairs)
    all_pairs = len(ranked) * (len(ranked) - 1) // 2
    return (2 * alike - len(pairs)) / math.sqrt(all_pairs * len(pairs))


def tau_b(y: list[float], scores: list[float]) -> float:
    rows = list(combinations(range(len(y)), 2))
    signs = [
        ((y[a] > y[b]) - (y[a] < y[b]), (scores[a] > scores[b]) - (scores[a] < scores[b]))
        for a, b in rows
    ]
    untied = sum(g != 0 for g, _ in signs) * sum(s != 0 for _, s in signs)
    return sum(g * s for g, s in signs) / math.sqrt(untied) if untied else 0.0


def _reaches_threshold(measure: Any, y: list[float]) -> bool:
    return any(grade >= measure.threshold for grade in y)


def _gains(measure: Any, y: list[float]) -> bool:
    return any(grade > 0 for grade in y)


def _grades_differ(measure: Any, y: list[float]) -> bool:
    return len(set(y)) > 1


# Class name to (value of a ranked list of grades, whether a query has relevant documents).
REFERENCES: dict[str, tuple[Callable[..., float], Callable[..., bool]]] = {
    "NDCG": (ndcg, _gains),
    "MAP": (average_precision, _reaches_threshold),
    "Precision": (precision, _reaches_threshold),
    "ReciprocalRank": (reciprocal_rank, _reaches_threshold),
    "ERR": (err, _gains),
    "KendallTau": (kendall_tau, _grades_differ),
}


def ndcg_with_ties(grades: Any, scores: Any, k: int) -> float:
    """NDCG of one query by a loop, with documents of equal scores averaged over their orders."""
    discount = [1 / math.log2(place + 2) if place < k else 0.0 for place in range(len(grades))]
    by_score = sorted(range(len(grades)), key=lambda document: -scores[document])
    total, place = 0.0, 0
    while place < len(by_score):
        tied = [document for document in by_score if scores[document] == scores[by_score[place]]]
        gain = sum(2 ** grades[document] - 1 for document in tied) / len(tied)
        total += gain * sum(discount[place : place + len(tied)])
        place += len(tied)
    best = sum(
        (2**grade - 1) * weight
        for grade, weight in zip(sorted(grades, reverse=True), discount, strict=True)
    )
    return total / best if best else 0.0
