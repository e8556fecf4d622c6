"""Curves over the number of features: a table a measure, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from benchmarks.results_markdown import listed, short, table
from benchmarks.results_stores import ALL_FEATURES
from ranksieve.evaluate import paired_t
from ranksieve.experiment import ALL, Outcome

# Number of features to the outcome with that number.
Curve = Mapping[int, Outcome]


def curve_table(
    curves: Mapping[str, Curve], baseline: Outcome | None, measure: str, title: str
) -> list[str]:
    """One row per method, one column per number of features; then which is highest, by chance?"""
    if not curves:
        return []
    numbers = sorted({n for curve in curves.values() for n in curve}, key=lambda n: (n == ALL, n))
    rows = [
        [method, *(f"{curve[n].mean(measure):.4f}" if n in curve else "" for n in numbers)]
        for method, curve in curves.items()
    ]
    if baseline is not None:
        cells = [""] * (len(numbers) - 1) if numbers[-1] == ALL else [""] * len(numbers)
        rows.append([ALL_FEATURES, *cells, f"{baseline.mean(measure):.4f}"][: len(numbers) + 1])
    head = ["*method", *("all" if n == ALL else str(n) for n in numbers)]
    return [
        f"{short(measure)} of {title}, by number of features:",
        "",
        *table(head, rows),
        *listed(list(_sentences(curves, measure, [n for n in numbers if n != ALL]))),
    ]


def _sentences(curves: Mapping[str, Curve], measure: str, numbers: list[int]) -> Iterator[str]:
    """Who is highest how often, and whether the first method is above the others on average."""
    shared = shared_numbers(curves, numbers)
    if not shared:
        return
    wins = dict.fromkeys(curves, 0)
    for n in shared:
        wins[max(curves, key=lambda method: curves[method][n].mean(measure))] += 1
    means = {m: mean_over(curves[m], measure, shared) for m in curves}
    win_text = ", ".join(f"{m} {wins[m]} ({means[m]:.4f})" for m in curves)
    yield (
        f"Numbers of features, of {len(shared)}, at which each is highest (and its mean over all "
        f"of them): {win_text}."
    )
    first, *remaining = curves
    tests = [
        f"{m} {p_over(curves[first], curves[m], measure, shared, 'two-sided'):.2g}"
        for m in remaining
    ]
    if tests:
        yield (
            f"p of {first} against each by a two-sided paired t-test over queries, of the mean "
            f"over these numbers: {', '.join(tests)}."
        )


def shared_numbers(curves: Mapping[str, Curve], numbers: list[int]) -> list[int]:
    """Those numbers of features that every curve has."""
    return [n for n in numbers if all(n in curve for curve in curves.values())]


def mean_over(curve: Curve, measure: str, numbers: list[int]) -> float:
    """The mean over numbers of features."""
    return float(np.mean([curve[n].mean(measure) for n in numbers]))


def p_over(ours: Curve, theirs: Curve, measure: str, numbers: list[int], side: str) -> float:
    """p of a paired t-test over queries, of each query's mean over numbers of features."""
    a, b = (np.mean([of[n].by_query(measure) for n in numbers], axis=0) for of in (ours, theirs))
    return paired_t(a, b, alternative=side).p_value


def by_query(outcome: Outcome, measure: str) -> tuple[np.ndarray, np.ndarray]:
    """Ids of queries, rising, and the value of each.

    A query that several folds test counts once, with its mean: its values are not independent.
    Queries that are all called the same, as those of generated points, are told apart by fold.
    """
    ids = np.array([text.partition(":")[2] for text in outcome.query_ids])
    if len(set(ids.tolist())) == 1:
        ids = outcome.query_ids
    names, positions = np.unique(ids, return_inverse=True)
    return names, np.bincount(positions, weights=outcome.values[measure]) / np.bincount(positions)
