"""Bins, information gain and chi-square, written from their definitions.

Cuts are values: a bin ends with its cut. Slow, and exact where two cuts are compared.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import log2


def entropy(grades):
    n = len(grades)
    return -sum(count / n * log2(count / n) for count in Counter(grades).values())


def disorder(grades):
    """2^(n times the entropy), as a fraction."""
    result = Fraction(len(grades) ** len(grades))
    for count in Counter(grades).values():
        result /= count**count
    return result


def mdl_cuts(values, grades):
    """The cut with the least entropy if it passes the rule, and those of both sides."""
    best = None
    for cut in sorted(set(values))[:-1]:
        low = [grade for value, grade in zip(values, grades, strict=True) if value <= cut]
        high = [grade for value, grade in zip(values, grades, strict=True) if value > cut]
        total = disorder(low) * disorder(high)
        if best is None or total < best[0]:
            best = total, cut, low, high
    if best is None or not passes(list(grades), best[2], best[3]):
        return []
    cut = best[1]
    pairs = list(zip(values, grades, strict=True))
    below = mdl_cuts(*split(pairs, lambda value: value <= cut))
    above = mdl_cuts(*split(pairs, lambda value: value > cut))
    return [*below, cut, *above]


def passes(whole, low, high):
    n, k = len(whole), len(set(whole))
    gain = entropy(whole) - len(low) / n * entropy(low) - len(high) / n * entropy(high)
    delta = log2(3**k - 2) - (
        k * entropy(whole) - len(set(low)) * entropy(low) - len(set(high)) * entropy(high)
    )
    return gain > log2(n - 1) / n + delta / n


def split(pairs, belongs):
    kept = [(value, grade) for value, grade in pairs if belongs(value)]
    return [value for value, _ in kept], [grade for _, grade in kept]


def equal_frequency_cuts(values, n_bins):
    n, cuts = len(values), set()
    for share in range(1, n_bins):
        for value in sorted(set(values)):
            if sum(other <= value for other in values) * n_bins >= share * n:
                cuts.add(value)
                break
    return sorted(cuts - {max(values)})


def bins_of(values, cuts):
    return [sum(value > cut for cut in cuts) for value in values]


def information_gain(values, grades, cuts):
    n, rest = len(values), 0.0
    where = bins_of(values, cuts)
    for each in set(where):
        inside = [grade for place, grade in zip(where, grades, strict=True) if place == each]
        rest += len(inside) / n * entropy(inside)
    return entropy(grades) - rest


def chi_square(values, grades, cuts):
    where = bins_of(values, cuts)
    seen = Counter(zip(where, grades, strict=True))
    n, in_bin, of_level = len(values), Counter(where), Counter(grades)
    total = 0.0
    for each, level in product(in_bin, of_level):
        expected = in_bin[each] * of_level[level] / n
        total += (seen[each, level] - expected) ** 2 / expected
    return total
