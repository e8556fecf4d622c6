"""Development data for the sieve's search: a part that is searched, and a part that judges.

The test parts of LETOR data, with which docs/sieve-peers.md compares methods, are not used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.published import data_folder
from benchmarks.sieve_peer_data import GENERATED_DOCUMENTS, LETOR, PLANTED
from ranksieve import RankingData, make_ranking
from ranksieve.data import letor_folds
from ranksieve.data.block import Block

LINEAR, CURVED = "linear", "not linear"
NAMES = (*LETOR, LINEAR, CURVED)
N_LETOR_FOLDS = 2
# Another seed than that of docs/sieve-peers.md.
LINEAR_SEED, CURVED_SEED = 11, 1
LINEAR_QUERIES = {"search": 300, "judge": 200}
CURVED_QUERIES = {"search": 120, "judge": 180}
CURVED_DOCUMENTS, CURVED_FEATURES = 20, 24
# Of the documents of a query, from the best down.
BEST_GRADES = (2, 2, 1, 1, 1, 1)


@dataclass(frozen=True, eq=False)
class Development:
    """What is searched, and what judges the sets of features that come out."""

    data: str
    fold: int
    search: RankingData
    judge: RankingData


def n_folds(name: str) -> int:
    return N_LETOR_FOLDS if name in LETOR else 1


def development(name: str, fold: int) -> Development | None:
    """Load or generate some data; None where its files are absent."""
    if name == LINEAR:
        return linear()
    if name == CURVED:
        return curved()
    folder = data_folder()
    if folder is None or not (folder / name).is_dir():
        return None
    parts = letor_folds(folder / name)[fold - 1]
    return Development(name, fold, parts.train, parts.vali)


def linear(sizes: dict[str, int] = LINEAR_QUERIES, **changed: int) -> Development:
    """Features that make the grades by a weighted sum, noisy copies of them, and noise."""
    data, _ = make_ranking(
        sum(sizes.values()), GENERATED_DOCUMENTS, **(PLANTED | changed), random_state=LINEAR_SEED
    )
    return _split(LINEAR, data, sizes["search"])


def curved(sizes: dict[str, int] = CURVED_QUERIES) -> Development:
    """Grades by a product, thresholds, a distance and a wave of seven features; 17 are noise."""
    rng = np.random.default_rng(CURVED_SEED)
    n_queries = sum(sizes.values())
    X = rng.random((n_queries * CURVED_DOCUMENTS, CURVED_FEATURES))
    utility = (
        3 * X[:, 0] * X[:, 1]
        + 2 * np.abs(X[:, 2] - 0.5)
        + ((X[:, 3] > 0.6) & (X[:, 4] > 0.3))
        + 0.7 * np.sin(6 * X[:, 5])
        + 0.5 * X[:, 6]
        + rng.normal(0, 0.5, len(X))
    )
    order = np.argsort(-utility.reshape(n_queries, CURVED_DOCUMENTS), axis=1)
    grades = np.zeros(order.shape)
    np.put_along_axis(grades, order[:, : len(BEST_GRADES)], np.array([BEST_GRADES]), axis=1)
    query_ptr = np.arange(0, len(X) + 1, CURVED_DOCUMENTS, dtype=np.int64)
    block = Block(np.asfortranarray(X), grades.ravel(), query_ptr, np.arange(n_queries))
    data = RankingData([block], [f"feature {feature}" for feature in range(CURVED_FEATURES)])
    return _split(CURVED, data, sizes["search"])


def _split(name: str, data: RankingData, n_search: int) -> Development:
    first, second = np.split(np.arange(data.n_queries), [n_search])
    return Development(name, 1, data.queries(first).gathered(), data.queries(second).gathered())
