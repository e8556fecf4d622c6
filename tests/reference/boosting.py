"""Slow, obvious versions of RankBoost, AdaRank and the committee perceptron's steps."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.reference.pairs import preference_pairs


def pair_weights(scores, y, query_ptr, counted):
    """D_1 exp(H_j - H_i) of every pair, not normalised, as a dictionary."""
    weights = {}
    queries = list(itertools.pairwise(query_ptr))
    every = [preference_pairs(y, query) for query in queries]
    n_all, n_queries = sum(map(len, every)), sum(1 for pairs in every if pairs)
    for pairs in every:
        for i, j in pairs:
            first = 1 / n_all if counted == "pairs" else 1 / (len(pairs) * n_queries)
            weights[i, j] = first * math.exp(scores[j] - scores[i])
    return weights


def rankboost(X, y, query_ptr, n_rounds, counted):
    """Rounds of (feature, threshold, alpha, loss) over explicit pairs; first of equals."""
    scores, rounds = np.zeros(len(y)), []
    used = sorted({d for pair in pair_weights(scores, y, query_ptr, counted) for d in pair})
    stumps = [
        (feature, (low + high) / 2)
        for feature in range(X.shape[1])
        for low, high in itertools.pairwise(np.unique(X[query_rows(used, query_ptr), feature]))
    ]
    for _ in range(n_rounds):
        weights = pair_weights(scores, y, query_ptr, counted)
        total = math.fsum(weights.values())
        rs = []
        for feature, threshold in stumps:
            above = (X[:, feature] > threshold).astype(float)
            rs.append(math.fsum(d * (above[i] - above[j]) for (i, j), d in weights.items()) / total)
        best = next(k for k, r in enumerate(rs) if abs(r) >= max(map(abs, rs)) * (1 - 1e-9))
        alpha = 0.5 * math.log((1 + rs[best]) / (1 - rs[best]))
        feature, threshold = stumps[best]
        scores = scores + alpha * (X[:, feature] > threshold)
        loss = math.fsum(pair_weights(scores, y, query_ptr, counted).values())
        rounds.append((feature, threshold, alpha, loss))
    return rounds


def query_rows(documents, query_ptr):
    """All rows of the queries that have one of the documents."""
    return [
        row
        for start, stop in itertools.pairwise(query_ptr)
        if any(start <= document < stop for document in documents)
        for row in range(start, stop)
    ]


def adarank(X, y, qid, measure, n_rounds, max_uses, *, both=False):
    """Rounds of (feature, alpha, mean measure), over the queries that the measure can tell."""
    queries = [np.flatnonzero(qid == query) for query in dict.fromkeys(qid)]

    def measured(scores, rows):
        return measure(y[rows], scores[rows], qid=np.zeros(len(rows), dtype=int))

    queries = [rows for rows in queries if measured(y, rows) > measured(-y, rows)]
    weights = [1 / len(queries)] * len(queries)
    w, rounds, uses = np.zeros(X.shape[1]), [], [0] * X.shape[1]
    for _ in range(n_rounds):
        worths = {
            (direction, feature): sum(
                weight * measured(direction * X[:, feature], rows)
                for weight, rows in zip(weights, queries, strict=True)
            )
            for direction in ((1, -1) if both else (1,))
            for feature in range(X.shape[1])
            if max_uses is None or uses[feature] < max_uses
        }
        if not worths:
            break
        best = next(key for key, worth in worths.items() if worth >= max(worths.values()) - 1e-12)
        direction, feature = best
        uses[feature] += 1
        # The paper's form, with P (1 + E) over P (1 - E).
        alpha = direction * 0.5 * math.log((1 + worths[best]) / (1 - worths[best]))
        w[feature] += alpha
        # Column by column: equal documents stay equal, which BLAS does not promise.
        scores = sum(weight * column for weight, column in zip(w, X.T, strict=True))
        reached = [measured(scores, rows) for rows in queries]
        weights = [math.exp(-value) for value in reached]
        weights = [weight / sum(weights) for weight in weights]
        rounds.append((feature, alpha, np.mean(reached)))
    return rounds


def perceptron(X, y, query_ptr, visits, draws, rates, w):
    """The steps of `kernels.perceptron`, one document and one opponent at a time."""
    w, mistakes = w.copy(), 0
    for query in visits:
        documents = range(query_ptr[query], query_ptr[query + 1])
        for document in documents:
            # By rising grade, and by row among equals.
            others = sorted((d for d in documents if y[d] != y[document]), key=lambda d: (y[d], d))
            if not others:
                continue
            other = others[int(draws[document] * len(others))]
            better, worse = (document, other) if y[document] > y[other] else (other, document)
            difference = X[better].astype(np.float64) - X[worse]
            if sum(w * difference) <= 0:
                mistakes += 1
                w += rates * difference
    return w, mistakes
