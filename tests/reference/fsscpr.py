"""FS-SCPR step by step: loops and iterations, as the paper writes them."""

from __future__ import annotations

import numpy as np


def edges(similarity, threshold):
    """Equation (4)."""
    p = len(similarity)
    weights = np.zeros((p, p))
    for i in range(p):
        for j in range(p):
            if i != j and similarity[i, j] >= threshold:
                weights[i, j] = similarity[i, j]
    return weights


def power_iteration(weights, preference, damping, n_iter=5000):
    """Equation (6), each feature asking those that link to it, again and again."""
    p = len(weights)
    scores = np.full(p, 1.0 / p)
    for _ in range(n_iter):
        asked = np.zeros(p)
        for i in range(p):
            for j in range(p):
                if weights[i, j] > 0:
                    asked[i] += weights[i, j] / weights[j].sum() * scores[j]
        new = (1 - damping) * preference + damping * asked
        if np.abs(new - scores).max() < 1e-15:
            return new
        scores = new
    return scores


def embedding(weights, k):
    """Steps 1 to 3 of Algorithm 1, with all eigenvectors of a general solver."""
    root = np.sqrt(weights.sum(axis=1))
    matrix = np.eye(len(weights)) - weights / root[:, None] / root[None, :]
    values, vectors = np.linalg.eigh(matrix)
    X = vectors[:, np.argsort(values)[:k]]
    return X / np.sqrt((X**2).sum(axis=1, keepdims=True))


def representative(members, rows, scores, relevance_weight=0.5):
    """Steps 2.1 and 2.2 of Algorithm 2."""
    best, best_value = None, -np.inf
    for f in members:
        ssim = sum(rows[f] @ rows[g] for g in members if g != f)
        value = relevance_weight * scores[f]
        value += (1 - relevance_weight) * (ssim / (len(members) - 1) if len(members) > 1 else 0)
        if value > best_value + 1e-12:
            best, best_value = f, value
    return best


def sum_of_squares(rows, labels):
    """Squared distances of rows to the mean of their cluster."""
    total = 0.0
    for label in set(labels.tolist()):
        own = [row for row, other in zip(rows, labels, strict=True) if other == label]
        total += sum(((row - np.mean(own, axis=0)) ** 2).sum() for row in own)
    return total
