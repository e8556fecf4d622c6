"""Greedy orders and eliminations as plain loops."""

from __future__ import annotations


def greedy(importance, similarity, weight, discount):
    """Features as chosen: weight * importance - discount * mean similarity to those chosen."""
    left, chosen, values = list(range(len(importance))), [], []
    while left:
        worths = []
        for f in left:
            alike = [similarity[f][g] for g in chosen]
            mean = sum(alike) / len(alike) if alike else 0.0
            worths.append(round(weight * importance[f] - discount * mean, 9))
        best = max(range(len(left)), key=lambda i: (worths[i], importance[left[i]], -left[i]))
        values.append(worths[best])
        chosen.append(left.pop(best))
    return chosen, values


def eliminated(start, judge, n_dropped):
    """The order, the last to go first, and size and value of each set, from a set of features."""
    left, worst_first, values = sorted(start), [], []
    while left:
        importances, value = judge(left)
        values.append((len(left), value))
        ranked = sorted(left, key=lambda f: (importances[left.index(f)], -f))
        going = ranked[: n_dropped(len(left))] if len(left) > 1 else ranked
        worst_first += going
        left = [f for f in left if f not in going]
    return worst_first[::-1], values
