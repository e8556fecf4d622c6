"""What two features together tell about the grade, for all pairs, from tables of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.data.check import check_levels
from ranksieve.data.memory import memory_limit, size_text
from ranksieve.errors import DataError
from ranksieve.importance import cut_points
from ranksieve.kernels.importance.joint_counts import add_joint_counts
from ranksieve.passes import run
from ranksieve.threads import n_threads

# Equal information must compare equal after sums in another order: ties go to the lower index.
_DECIMALS = 12
# Pairs whose logarithms are taken at a time.
_PAIRS = 4096


def joint_information(data: RankingData, *, n_bins: int, caller: str) -> NDArray[np.float64]:
    """Return I(X_i, X_j; Y) in bits of all pairs, and I(X_i; Y) on the diagonal.

    X are features in bins of about equal frequency over all documents, Y is the grade.

    Notes
    -----
    Cost: a sort of each column, and n p^2 / 2 counts. Memory: p^2 / 2 tables of bins x bins x
    grades for each piece of the data that a thread works on.

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> joint_information(load((X, [0, 1, 1, 0], [1] * 4)), n_bins=2, caller="an example")
    array([[0., 1.],
           [1., 0.]])
    """
    check_levels(data.y, caller)
    grades = np.unique(data.y)
    cuts = cut_points(data, bins="equal-frequency", n_bins=n_bins)
    most_bins = max((len(cut) for cut in cuts), default=0) + 1
    _check_size(data.n_features, most_bins, len(grades))
    counts = run(_JointPass(tuple(cuts), most_bins, grades), data, label="information")
    upper = np.zeros((data.n_features, data.n_features))
    upper[np.triu_indices(data.n_features)] = _information(counts)
    full: NDArray[np.float64] = np.triu(upper) + np.triu(upper, 1).T
    return full.round(_DECIMALS)


@dataclass(frozen=True, eq=False)
class _JointPass:
    cuts: tuple[NDArray[Any], ...]
    n_bins: int
    grades: NDArray[np.float64]

    def partial(self, piece: Block) -> NDArray[np.int64]:
        rows, p = piece.rows, piece.n_features
        bins = np.empty((p, piece.n_documents), dtype=np.int32)
        for feature, cuts in enumerate(self.cuts):
            bins[feature] = np.searchsorted(cuts, piece.X[rows, feature])
        levels = np.searchsorted(self.grades, piece.y[rows]).astype(np.int32)
        shape = (p * (p + 1) // 2, self.n_bins, self.n_bins, len(self.grades))
        counts = np.zeros(shape, dtype=np.int64)
        add_joint_counts(bins, levels, counts)
        return counts

    def combine(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        left += right
        return left


def _information(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return bits about the last axis from the two before it, for each table."""
    parts = [
        _information_of_some(counts[low : low + _PAIRS]) for low in range(0, len(counts), _PAIRS)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _information_of_some(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    n_pairs, n_bins, _, n_levels = counts.shape
    shares = counts.reshape(n_pairs, n_bins * n_bins, n_levels) / max(counts[0].sum(), 1)
    bits = _entropy(shares.sum(axis=2)) + _entropy(shares.sum(axis=1)) - _entropy(shares)
    return np.maximum(bits, 0.0)


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each table in bits."""
    logarithms = np.log2(shares, where=shares > 0.0, out=np.zeros_like(shares))
    entropies: NDArray[np.float64] = -(shares * logarithms).reshape(len(shares), -1).sum(axis=1)
    return entropies


def _check_size(n_features: int, n_bins: int, n_levels: int) -> None:
    """Raise where the tables do not fit into memory: one set per thread, and some that wait."""
    n_sets = n_threads() + 3
    needed = n_sets * n_features * (n_features + 1) // 2 * n_bins * n_bins * n_levels * 8
    limit = memory_limit()
    if needed > limit:
        raise DataError(
            f"counts of all pairs of {n_features:,} features by {n_bins} x {n_bins} bins and "
            f"{n_levels} grades need {size_text(needed)} ({n_sets} sets while they are added up), "
            f"and {size_text(limit)} are allowed. Take fewer bins, keep the most important "
            "features first, such as TopK(n_features_to_select=500), use fewer threads "
            "(RANKSIEVE_THREADS=1), or allow more: --memory, or RANKSIEVE_MEMORY."
        )
