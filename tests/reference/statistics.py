"""Statistics by their definitions: every arrangement, every subset, every resample."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np


def randomisation_p(differences, alternative):
    """Share of all arrangements of signs that are at least as extreme, in whole numbers."""
    observed = sum(differences)
    extreme = 0
    for signs in product((1, -1), repeat=len(differences)):
        total = sum(sign * difference for sign, difference in zip(signs, differences, strict=True))
        extreme += {
            "greater": total >= observed,
            "less": total <= observed,
            "two-sided": abs(total) >= abs(observed),
        }[alternative]
    return extreme / 2 ** len(differences)


def signed_rank_sum(differences):
    """W+ and the ranks: each rank is 1 + those below + half the others that are equal."""
    sizes = [abs(difference) for difference in differences if difference]
    ranks = [
        Fraction(1 + 2 * sum(other < size for other in sizes) + sum(o == size for o in sizes), 2)
        for size in sizes
    ]
    kept = [difference for difference in differences if difference]
    return sum(rank for rank, d in zip(ranks, kept, strict=True) if d > 0), ranks


def wilcoxon_p(differences, alternative):
    """Share of all subsets of the ranks whose sum is at least as extreme."""
    observed, ranks = signed_rank_sum(differences)
    middle = sum(ranks, Fraction(0)) / 2
    extreme = 0
    for taken in product((0, 1), repeat=len(ranks)):
        total = sum(rank for rank, chosen in zip(ranks, taken, strict=True) if chosen)
        extreme += {
            "greater": total >= observed,
            "less": total <= observed,
            "two-sided": abs(total - middle) >= abs(observed - middle),
        }[alternative]
    return extreme / 2 ** len(ranks)


def closed_testing(p_values):
    """Closed testing with Bonferroni: the largest p-value of all sets that hold a hypothesis."""
    everyone = range(len(p_values))
    adjusted = []
    for hypothesis in everyone:
        tested = [
            min(1.0, size * min(p_values[member] for member in members))
            for size in range(1, len(p_values) + 1)
            for members in combinations(everyone, size)
            if hypothesis in members
        ]
        adjusted.append(max(tested))
    return adjusted


def all_resampled_means(values):
    """The mean of every one of the n^n resamples."""
    return np.array([np.mean(drawn) for drawn in product(values, repeat=len(values))])


def nogueira(selected):
    """Stability as one minus observed over expected variance, in fractions."""
    runs, features = len(selected), len(selected[0])
    total = Fraction(0)
    for feature in range(features):
        column = [int(run[feature]) for run in selected]
        mean = Fraction(sum(column), runs)
        total += sum((value - mean) ** 2 for value in column) / (runs - 1)
    q = Fraction(sum(int(value) for run in selected for value in run), runs * features)
    return float(1 - total / features / (q * (1 - q)))


def jaccard(selected):
    """Mean over pairs of sets."""
    sets = [{place for place, value in enumerate(run) if value} for run in selected]
    pairs = list(combinations(sets, 2))
    return sum(len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs) / len(pairs)
