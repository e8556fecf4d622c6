"""Orders that cost one fit each: they steady what permuting features says."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData, scale
from ranksieve.data.sampling import enough_queries
from ranksieve.progress import report, silent
from ranksieve.selectors import FSMRank
from ranksieve.sieve.search.folds import Folds
from ranksieve.threads import side_by_side, threads

Mask = NDArray[np.bool_]
Values = NDArray[np.float64]
# From data with values in [0, 1] and a seed to its features, the best first.
Orderer = Callable[[RankingData, int], NDArray[np.int64]]

# The share of the order in the average with what permuting costs. Not a half: two features that
# change places would come out equal, and rounding would decide.
_WEIGHT = 0.4
# Documents that are enough for an order.
_ENOUGH_DOCUMENTS = 20_000


@dataclass(frozen=True, eq=False)
class Guide:
    """Orders of the features: one from all queries, and one for each fold from the other folds.

    FSMRank weighs features together, linearly and without a seed, where permuting asks each model
    and each fold again and may see more. docs/sieve-search.md has the search with and without it.

    Attributes
    ----------
    full_rank : (n_features,) array, the position of each feature in the order from all queries
    fold_ranks : (n_folds, n_features) array, the same from all queries but those of a fold
    """

    full_rank: NDArray[np.int64]
    fold_ranks: NDArray[np.int64]

    def blended(self, worth: Values, selected: Mask, fold: int | None = None) -> Values:
        """Return the average of what features are worth and of the same numbers in the order.

        The first of the selected features in the order gets the largest of their numbers, the
        second the second largest, and so on: so the two are of one scale, whatever that is.

        Examples
        --------
        >>> guide = Guide(np.array([2, 0, 1]), np.empty((0, 3), dtype=np.int64))
        >>> guide.blended(np.array([6.0, 4.0, 0.0]), np.ones(3, dtype=bool))
        array([3.6, 4.8, 1.6])
        """
        rank = self.full_rank if fold is None else self.fold_ranks[fold]
        features = np.flatnonzero(selected)
        in_order = features[np.argsort(rank[features], kind="stable")]
        blended = worth.copy()
        blended[in_order] *= 1 - _WEIGHT
        blended[in_order] += _WEIGHT * np.sort(worth[features])[::-1]
        return blended


def fsmrank_order(data: RankingData, random_state: int) -> NDArray[np.int64]:
    """Return FSMRank's order, with a coarse choice of its strength: only the order is wanted."""
    selector = FSMRank(n_folds=3, n_strengths=6, random_state=random_state)
    order: NDArray[np.int64] = selector.fit(data).order_
    return order


def guide_for(
    data: RankingData,
    folds: Folds,
    start: Mask,
    random_state: int,
    order_of: Orderer = fsmrank_order,
) -> Guide:
    """Return orders of the features that `start` selects; the others come last.

    Values outside of [0, 1] are scaled inside queries. Of many documents a sample of queries is
    enough.

    Cost: a fit for each fold, and one more.
    """
    n_folds = folds.n_folds
    scaled = _between_0_and_1(data.features(np.flatnonzero(start)).gathered())

    def rank(fold: int) -> NDArray[np.int64]:
        part = scaled if fold == n_folds else scaled.queries(~folds.members(fold)).gathered()
        part = enough_queries(part, _ENOUGH_DOCUMENTS, [random_state, 4])
        with silent(), threads(1):
            return _inverse(order_of(part, random_state))

    ranks = np.full((n_folds + 1, len(start)), len(start), dtype=np.int64)
    with warnings.catch_warnings():
        # An order does not need the last digits of the weights.
        warnings.simplefilter("ignore")
        for fold, positions in enumerate(side_by_side(rank, range(n_folds + 1))):
            report("ordering features", fold + 1, n_folds + 1)
            ranks[fold, start] = positions
    return Guide(ranks[-1], ranks[:-1])


def _inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    positions = np.empty(len(order), dtype=np.int64)
    positions[order] = np.arange(len(order))
    return positions


def _between_0_and_1(data: RankingData) -> RankingData:
    inside = all(block.X.min() >= 0 and block.X.max() <= 1 for block in data.blocks())
    return data if inside else scale(data)
