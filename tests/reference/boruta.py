"""Boruta's decisions from a table of hits, by plain counting."""

from __future__ import annotations

from math import comb


def two_sided(hits, rounds):
    """Twice the smaller tail of the binomial distribution with probability one half."""
    low = sum(comb(rounds, k) for k in range(hits + 1)) / 2**rounds
    high = sum(comb(rounds, k) for k in range(hits, rounds + 1)) / 2**rounds
    return min(1.0, 2 * min(low, high))


def adjusted(p_values, correction):
    """P-values times what Bonferroni or Holm multiply them by."""
    m = len(p_values)
    if correction == "bonferroni":
        return [min(1.0, m * p) for p in p_values]
    order = sorted(range(m), key=lambda index: p_values[index])
    result, largest = [0.0] * m, 0.0
    for position, index in enumerate(order):
        largest = max(largest, min(1.0, (m - position) * p_values[index]))
        result[index] = largest
    return result


def decisions(table, level, correction):
    """What becomes of each feature: 1 confirmed, -1 rejected, 0 undecided; rejected ones leave."""
    n_features = len(table[0])
    decided, hits, rounds = [0] * n_features, [0] * n_features, [0] * n_features
    for row in table:
        if all(decided):
            break
        for feature in range(n_features):
            if decided[feature] != -1:
                hits[feature] += row[feature]
                rounds[feature] += 1
        p_values = adjusted(
            [two_sided(h, n) for h, n in zip(hits, rounds, strict=True)], correction
        )
        for feature in range(n_features):
            if decided[feature] == 0 and p_values[feature] <= level:
                decided[feature] = 1 if 2 * hits[feature] > rounds[feature] else -1
    return decided, hits, rounds
