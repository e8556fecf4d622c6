"""Best-first search over sets of features by plain scans of lists."""

from __future__ import annotations


def search(value_of, left, patience, tol, max_size=None):
    """The best set of features, where value_of gives the value of a tuple in rising order."""
    known = [(feature,) for feature in sorted(left)]
    expanded = []

    def worst_to_best(node):
        return (value_of(node), -len(node), tuple(-feature for feature in node))

    best = max(known, key=worst_to_best)
    reached, stale = value_of(best), 0
    while stale < patience and len(expanded) < len(known):
        node = max((each for each in known if each not in expanded), key=worst_to_best)
        expanded.append(node)
        reachable = [node]
        for feature in sorted(left):
            if feature in node:
                other = tuple(each for each in node if each != feature)
            elif max_size is None or len(node) < max_size:
                other = tuple(sorted((*node, feature)))
            else:
                continue
            if other and other not in known:
                known.append(other)
                reachable.append(other)
        top = max(reachable, key=worst_to_best)
        stale += 1
        if value_of(top) > reached + tol:
            best, reached, stale = top, value_of(top), 0
    return best
