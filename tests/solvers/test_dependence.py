"""Weights of features that are linear in each other go to as few of them as carry the margins."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import catalog
from ranksieve.losses import SquaredHingeLoss
from ranksieve.penalties import MCPPenalty
from ranksieve.problems import PairRisk
from ranksieve.solvers import _dependence
from ranksieve.solvers._dependence import Dependence
from tests.reference.cases import in_blocks
from tests.reference.pairs import pair_differences

CONCAVE = [
    *(entry.load()() for entry in catalog.entries("penalties") if not entry.load().convex),
    MCPPenalty(0.1),
]


def dependent(seed, n_own=4, n_mixed=3, n_queries=12):
    """Features of which the last ones are combinations of the first, in a random order."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(8 * n_queries, n_own))
    mixture = rng.integers(-2, 3, size=(n_own, n_mixed)) * rng.choice([1.0, 0.3], size=n_mixed)
    mixture[0] = 1.0  # none is a column of zeros
    X = np.c_[own, own @ mixture][:, rng.permutation(n_own + n_mixed)]
    y = rng.integers(0, 3, size=len(X)).astype(np.float64)
    return np.asfortranarray(X), y, np.arange(0, len(X) + 1, 8)


def risk_of(arrays):
    return PairRisk(in_blocks(*arrays, [4]), SquaredHingeLoss())


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("penalty", CONCAVE, ids=repr)
def test_margins_stay_the_penalty_never_rises_and_the_rest_is_independent(penalty, seed):
    arrays = dependent(seed)
    differences = pair_differences(*arrays)
    rng = np.random.default_rng(seed + 100)
    for size in (0.1, 1.0, 1e3):
        w = size * rng.normal(size=7)

        def cost(w):
            return penalty.value(w, 0.2)

        fewest = Dependence(risk_of(arrays)).fewest(w, cost)
        np.testing.assert_allclose(differences @ fewest, differences @ w, atol=1e-9 * size)
        assert cost(fewest) <= cost(w) * (1 + 1e-6)
        used = differences[:, fewest != 0]
        assert np.linalg.matrix_rank(used) == used.shape[1] <= 4


@pytest.mark.parametrize("seed", range(8))
def test_of_one_combination_the_least_weights_that_cost_no_more_are_taken(seed):
    arrays = dependent(seed, n_own=3, n_mixed=1)
    differences, penalty = pair_differences(*arrays), MCPPenalty()
    w = np.random.default_rng(seed).normal(size=4)
    way = np.linalg.svd(differences)[2][-1]
    ends = [w - w[j] / way[j] * way for j in np.flatnonzero(np.abs(way) > 1e-9)]
    affordable = [e for e in ends if penalty.value(e, 0.3) <= penalty.value(w, 0.3) + 1e-12]
    best = min(affordable, key=lambda end: (round(np.abs(end).sum(), 9), -np.abs(end).argmin()))
    fewest = Dependence(risk_of(arrays)).fewest(w, lambda w: penalty.value(w, 0.3))
    np.testing.assert_allclose(fewest, best, atol=1e-9)


def test_a_weight_on_a_later_copy_goes_to_the_first():
    X, y, query_ptr = dependent(0)
    X = np.asfortranarray(np.c_[X[:, :2], 5 - X[:, :2]])
    found = Dependence(risk_of((X, y, query_ptr))).fewest(
        np.array([0.0, 1.0, -2.0, 0.0]), lambda w: float(np.abs(w).sum())
    )
    np.testing.assert_allclose(found, [2.0, 1.0, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("few", [0, 512])
@pytest.mark.parametrize("sampling", [1, 3, 50])
def test_neither_a_sample_nor_the_number_of_features_changes_what_depends(
    monkeypatch, few, sampling
):
    monkeypatch.setattr(_dependence, "_FEW_FEATURES", few)
    for seed in range(4):
        arrays = dependent(seed)
        expected, risk = risk_of(arrays), risk_of(arrays)
        risk.sampling = sampling
        dependence = Dependence(risk)
        rng = np.random.default_rng(seed)
        for n_used in (2, 3, 7, 5):
            w = np.where(rng.permutation(7) < n_used, rng.normal(size=7), 0.0)
            np.testing.assert_allclose(
                dependence.fewest(w, _sum_of_roots),
                Dependence(expected).fewest(w, _sum_of_roots),
                atol=1e-9,
            )


def _sum_of_roots(w):
    return float(np.sqrt(np.abs(w)).sum())


def test_independent_features_keep_their_weights():
    X, y, query_ptr = dependent(1, n_mixed=0)
    w = np.array([1.0, 0.0, -2.0, 3.0])
    assert Dependence(risk_of((X, y, query_ptr))).fewest(w, _sum_of_roots) is w
    assert not Dependence(risk_of((0 * X, y, query_ptr))).fewest(0 * w, _sum_of_roots).any()
