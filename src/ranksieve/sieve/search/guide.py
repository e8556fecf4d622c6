"""Orders that cost one fit each: they steady what permuting features says."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData, scale
from ranksieve.data.sampling import enough_queries
from ranksieve.passes.cluster import active_cluster
from ranksieve.progress import report, silent
from ranksieve.selectors import FSMRank
from ranksieve.sieve.search.folds import Folds
from ranksieve.threads import side_by_side, threads

Mask = NDArray[np.bool_]
Values = NDArray[np.float64]
# From data with values in [0, 1] and a seed to its features, the best first.
Orderer = Callable[[RankingData, int], NDArray[np.int64]]

# The share of the order in the average with what permuting costs: the first for features that are
# clearly worth something, the second for those that are not told from noise.
_LEAST_WEIGHT, _MOST_WEIGHT = 0.2, 0.8
# The order's numbers count by half: what is not told from noise, but early in the order, must not
# pass for as good as what is clearly needed.
_TRUST = 0.5
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

    def blended(
        self, worth: Values, noise: Values, selected: Mask, fold: int | None = None
    ) -> Values:
        """Return the average of what features are worth and of half these numbers in the order.

        The first of the selected features in the order gets half the largest of their numbers,
        the second half the second largest, and so on: so the two are of one scale, whatever that
        is. The order counts more where permuting says little, see `weights`.

        Parameters
        ----------
        worth : (n_features,) array, what permuting each feature costs
        noise : (n_features,) array, the variance of that
        selected : (n_features,) mask, the features to compare
        fold : int, or None for the order from all queries

        Examples
        --------
        Clear numbers, then numbers that say nothing:

        >>> guide = Guide(np.array([2, 0, 1]), np.empty((0, 3), dtype=np.int64))
        >>> worth, everything = np.array([6.0, 4.0, 0.0]), np.ones(3, dtype=bool)
        >>> guide.blended(worth, np.zeros(3), everything).round(1)
        array([4.8, 3.8, 1.6])
        >>> guide.blended(worth, np.full(3, 1e9), everything).round(1)
        array([1.2, 3.2, 1.6])
        """
        rank = self.full_rank if fold is None else self.fold_ranks[fold]
        features = np.flatnonzero(selected)
        in_order = features[np.argsort(rank[features], kind="stable")]
        share = self.weights(worth, noise)[in_order]
        blended = worth.copy()
        blended[in_order] *= 1 - share
        blended[in_order] += share * _TRUST * np.sort(worth[features])[::-1]
        return blended

    def weights(self, worth: Values, noise: Values) -> Values:
        """Return the share of the order for each feature, from 0.2 to 0.8.

            1 - worth² / (worth² + noise), and 1 where permuting a feature costs nothing

        A feature that only trees can use comes late in a linear order. Where permuting shows
        clearly that it is needed, the order has little say.
        """
        signal = np.maximum(worth, 0.0) ** 2
        reliability = np.zeros(len(worth))
        np.divide(signal, signal + noise, out=reliability, where=signal > 0)
        weights: Values = np.clip(1 - reliability, _LEAST_WEIGHT, _MOST_WEIGHT)
        return weights


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
    scaled = _between_0_and_1(data.features(np.flatnonzero(start)).gathered())
    orders = _Orders(scaled, folds, random_state, order_of)
    n_orders = folds.n_folds + 1
    ranks = np.full((n_orders, len(start)), len(start), dtype=np.int64)
    with warnings.catch_warnings():
        # An order does not need the last digits of the weights.
        warnings.simplefilter("ignore")
        for fold, positions in enumerate(orders.ranks()):
            report("ordering features", fold + 1, n_orders)
            ranks[fold, start] = positions
    return Guide(ranks[-1], ranks[:-1])


@dataclass(frozen=True, eq=False)
class _Orders:
    """Orders of the features of scaled data: without each fold, and of all queries."""

    scaled: RankingData
    folds: Folds
    random_state: int
    order_of: Orderer

    def ranks(self) -> Iterator[NDArray[np.int64]]:
        """Yield the positions of the features without each fold, then of all queries."""
        folds, cluster = range(self.folds.n_folds + 1), active_cluster()
        if cluster is None:
            return side_by_side(self.rank, folds)
        return cluster.map(_Orders.rank, folds, shared=self, label="orders of the features")

    def rank(self, fold: int) -> NDArray[np.int64]:
        """Return the position of each feature in the order of a fold's training queries."""
        part = self.scaled
        if fold < self.folds.n_folds:
            part = part.queries(~self.folds.members(fold)).gathered()
        part = enough_queries(part, _ENOUGH_DOCUMENTS, [self.random_state, 4])
        with silent(), threads(1):
            return _inverse(self.order_of(part, self.random_state))


def _inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    positions = np.empty(len(order), dtype=np.int64)
    positions[order] = np.arange(len(order))
    return positions


def _between_0_and_1(data: RankingData) -> RankingData:
    inside = all(block.X.min() >= 0 and block.X.max() <= 1 for block in data.blocks())
    return data if inside else scale(data)
