"""The Relief family in plain loops over documents, neighbours and features."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import exp, log2


def scaled(X):
    """Rows as lists, each feature on [0, 1] over all documents; a constant is 0."""
    columns = []
    for column in zip(*X.tolist(), strict=True):
        low, high = min(column), max(column)
        columns.append([(v - low) / (high - low) if high > low else 0.0 for v in column])
    return [list(row) for row in zip(*columns, strict=True)]


def distance(a, b, metric):
    """Sum of differences, or of squared ones (whose root has the same order)."""
    total = 0.0
    for left, right in zip(a, b, strict=True):
        difference = abs(left - right)
        total += difference if metric == "manhattan" else difference * difference
    return total


def in_reach(document, query_ptr, scope, n):
    """All other documents of the query, or of the data."""
    if scope == "all":
        return [other for other in range(n) if other != document]
    for start, stop in pairwise(query_ptr):
        if start <= document < stop:
            return [other for other in range(start, stop) if other != document]
    raise AssertionError(document)


def weighted_neighbours(rows, x, candidates, k, position_weight, metric):
    """(document, weight) for all that are among the k nearest, or tie with the last of them."""
    if not candidates:
        return []
    ranked = sorted((distance(rows[x], rows[other], metric), other) for other in candidates)
    n_positions = min(k, len(ranked))
    weights = [position_weight(i) for i in range(1, n_positions + 1)]
    total = sum(weights)
    positions = [w / total for w in weights] + [0] * (len(ranked) - n_positions)
    found = []
    for away, other in ranked:
        spanned = [positions[i] for i in range(len(ranked)) if ranked[i][0] == away]
        if any(spanned):
            found.append((other, sum(spanned) / len(spanned)))
    return found


def level_weights(X, y, query_ptr, *, k, significance, scope="query", metric="manhattan", visited):
    """RankFilter's and ReliefF's weights; `significance` is a function of |grade difference|."""
    rows, n, n_features = scaled(X), len(y), X.shape[1]
    grades = sorted(set(y.tolist()))
    share = {grade: y.tolist().count(grade) / n for grade in grades}
    weights = [0.0] * n_features
    for x in visited:
        reach = in_reach(x, query_ptr, scope, n)
        for grade in grades:
            same = [other for other in reach if y[other] == grade]
            if grade == y[x]:
                factor = -1.0
            else:
                factor = share[grade] / (1 - share[y[x]]) * significance(abs(grade - y[x]))
            for other, weight in weighted_neighbours(rows, x, same, k, lambda i: 1.0, metric):
                for j in range(n_features):
                    weights[j] += factor * weight * abs(rows[x][j] - rows[other][j])
    return [weight / len(visited) for weight in weights]


def rank_filter(X, y, query_ptr, **options):
    return level_weights(X, y, query_ptr, significance=lambda d: log2(1 + d), **options)


def relief_f(X, y, query_ptr, **options):
    return level_weights(X, y, query_ptr, significance=lambda d: 1.0, **options)


def weighted_median(pairs):
    """Of (value, exact weight): least value that reaches half; the middle if exactly half."""
    pairs = sorted(pairs)
    total = sum(weight for _, weight in pairs)
    running = Fraction(0)
    for place, (value, weight) in enumerate(pairs):
        running += weight
        if 2 * running == total:
            return (value + pairs[place + 1][0]) / 2
        if 2 * running > total:
            return value
    raise AssertionError(pairs)


def rank_wrapper(
    X, scores, query_ptr, *, k, sigma=20.0, scope="query", metric="manhattan", visited
):
    rows, n, n_features = scaled(X), len(scores), X.shape[1]
    weights = [0.0] * n_features
    for x in visited:
        reach = in_reach(x, query_ptr, scope, n)
        even = weighted_neighbours(rows, x, reach, k, lambda i: Fraction(1), metric)
        similar = weighted_neighbours(rows, x, reach, k, lambda i: exp(-((i / sigma) ** 2)), metric)
        if not even:
            continue
        median = weighted_median([(abs(scores[x] - scores[o]), weight) for o, weight in even])
        for other, weight in similar:
            significance = abs(scores[x] - scores[other]) - median
            for j in range(n_features):
                weights[j] += significance * weight * abs(rows[x][j] - rows[other][j])
    return [weight / len(visited) for weight in weights]


def r_relief_f(X, scores, query_ptr, *, k, sigma=20.0, scope="query", metric="manhattan", visited):
    rows, n, n_features = scaled(X), len(scores), X.shape[1]
    width = max(scores) - min(scores)
    count, far = 0.0, 0.0
    differences, far_differences = [0.0] * n_features, [0.0] * n_features
    for x in visited:
        reach = in_reach(x, query_ptr, scope, n)
        for other, weight in weighted_neighbours(
            rows, x, reach, k, lambda i: exp(-((i / sigma) ** 2)), metric
        ):
            apart = abs(scores[x] - scores[other]) / width if width else 0.0
            count += weight
            far += weight * apart
            for j in range(n_features):
                size = abs(rows[x][j] - rows[other][j])
                differences[j] += weight * size
                far_differences[j] += weight * apart * size
    return [
        (d / far if far else 0.0) - ((a - d) / (count - far) if count - far else 0.0)
        for a, d in zip(differences, far_differences, strict=True)
    ]
