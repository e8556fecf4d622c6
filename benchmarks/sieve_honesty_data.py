"""Generated data with a known truth, on which the promises of the sieve are checked.

A world says which features decide the grades, and draws as many queries as are wanted: those that
train, those that certify, and those that tell what is true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ranksieve.data import RankingData
from ranksieve.data.block import Block

N_FEATURES = 20
N_DOCUMENTS = 10
# Shares of the documents with grades 0, 1 and 2.
GRADE_SHARES = (0.6, 0.25, 0.15)
NOISE = 0.5
COPY_NOISE = 0.5
# In the rare queries this feature decides alone; in all others it is 0.
RARE_SHARE, RARE_FEATURE, RARE_SIZE = 0.05, 4, 3.0
N_TREES, TREE_DEPTH, N_TREE_FEATURES = 12, 3, 7

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class World:
    """What decides the grades.

    Attributes
    ----------
    utility : from features to the utility of documents, which has a variance of about 1
    copies : feature -> the feature of which it is a noisy copy
    rare : whether a few queries need a feature that the others do not
    """

    utility: Callable[[Values], Values]
    copies: dict[int, int]
    rare: bool = False

    def draw(self, n_queries: int, rng: np.random.Generator) -> RankingData:
        """Return fresh queries."""
        X = rng.standard_normal((n_queries * N_DOCUMENTS, N_FEATURES), dtype=np.float32)
        for copy, original in self.copies.items():
            X[:, copy] = (X[:, original] + COPY_NOISE * X[:, copy]) / np.hypot(1, COPY_NOISE)
        utility = self.utility(X)
        if self.rare:
            in_rare = np.repeat(rng.random(n_queries) < RARE_SHARE, N_DOCUMENTS)
            utility = np.where(in_rare, X[:, RARE_FEATURE], utility)
            X[:, RARE_FEATURE] *= RARE_SIZE * in_rare
        utility = utility + NOISE * rng.standard_normal(len(utility))
        grades = np.searchsorted(_thresholds(), utility, side="right").astype(np.float64)
        query_ptr = np.arange(0, len(utility) + 1, N_DOCUMENTS, dtype=np.int64)
        block = Block(np.asfortranarray(X), grades, query_ptr, np.arange(n_queries))
        return RankingData([block], [f"feature {feature}" for feature in range(N_FEATURES)])


@dataclass(frozen=True)
class Case:
    """A kind of truth, with a ranker that suits it.

    Attributes
    ----------
    name, description : str
    plant : gives a world, drawn at random
    ranker : text form of what the sieve and its final models are trained with
    margin : the largest loss that counts as none, a share of the measure with all features
    """

    name: str
    description: str
    plant: Callable[[np.random.Generator], World]
    ranker: str
    margin: float = 0.01


def _thresholds() -> Values:
    """Utilities between grades, for a normal utility."""
    thresholds: Values = stats.norm.ppf(np.cumsum(GRADE_SHARES)[:-1]) * np.hypot(1, NOISE)
    return thresholds


def _weighted(sizes: Values, rng: np.random.Generator) -> Callable[[Values], Values]:
    """Utility that is linear in the features: weights of these sizes, and random signs."""
    weights = np.zeros(N_FEATURES)
    weights[: len(sizes)] = sizes * rng.choice([-1.0, 1.0], len(sizes))
    weights /= np.linalg.norm(weights)
    return lambda X: np.asarray(X @ weights, dtype=np.float64)


def _linear(rng: np.random.Generator) -> World:
    return World(_weighted(rng.uniform(0.7, 1.3, 4), rng), {4: 0, 5: 1, 6: 2, 7: 3})


def _dense(rng: np.random.Generator) -> World:
    return World(_weighted(rng.uniform(0.7, 1.3, 16), rng), {})


def _gentle(rng: np.random.Generator) -> World:
    return World(_weighted(0.8 ** np.arange(N_FEATURES), rng), {})


def _rare(rng: np.random.Generator) -> World:
    return World(_weighted(rng.uniform(0.7, 1.3, 4), rng), {}, rare=True)


def _trees(rng: np.random.Generator) -> World:
    """Trees whose nodes of a level ask the same question: is a feature above a threshold?"""
    features = np.array(
        [rng.choice(N_TREE_FEATURES, TREE_DEPTH, replace=False) for _ in range(N_TREES)]
    )
    thresholds = rng.normal(0.0, 0.5, (N_TREES, TREE_DEPTH))
    leaves = rng.standard_normal((N_TREES, 2**TREE_DEPTH))

    def total(X: Values) -> Values:
        result = np.zeros(len(X))
        for questioned, limits, values in zip(features, thresholds, leaves, strict=True):
            leaf = (X[:, questioned] > limits) @ (1 << np.arange(TREE_DEPTH))
            result += values[leaf]
        return result

    pilot = total(rng.standard_normal((4000, N_FEATURES)))
    mean, deviation = pilot.mean(), pilot.std()
    return World(lambda X: (total(X) - mean) / deviation, {})


LINEAR_RANKER = "RankSVM(C=0.01)"
TREE_RANKER = (
    "LightGBMRanker(30, 0.15, num_leaves=8, min_leaf_documents=10, params={'max_bin': 63}, "
    "n_jobs=1)"
)
CASES = {
    case.name: case
    for case in (
        Case(
            "linear",
            "4 strong features, a noisy copy of each, 12 of noise",
            _linear,
            LINEAR_RANKER,
        ),
        Case("dense", "16 features of about the same weight, 4 of noise", _dense, LINEAR_RANKER),
        Case(
            "gentle", "weights that fall by a fifth from feature to feature", _gentle, LINEAR_RANKER
        ),
        Case(
            "trees",
            f"{N_TREES} trees of depth {TREE_DEPTH} over {N_TREE_FEATURES} features, 13 of noise",
            _trees,
            TREE_RANKER,
            margin=0.02,
        ),
        Case(
            "rare",
            f"4 strong features; one more decides alone in {100 * RARE_SHARE:g} % of the queries "
            "and is 0 in the others; 15 of noise",
            _rare,
            LINEAR_RANKER,
        ),
    )
}
