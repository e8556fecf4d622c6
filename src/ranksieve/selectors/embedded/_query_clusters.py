"""Tasks that are found by clustering queries: by their length, or by their features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.data.queries import order_by_id
from ranksieve.passes import run

KINDS = ("length", "features")
_STARTS = 10
# Clusters are of points with spreads of about 1.
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class QueryClusters:
    """Centres of clusters of queries: a query belongs to the nearest, the first among equals.

    Attributes
    ----------
    kind : "length" for the logarithm of a query's number of documents, "features" for the means
        of its features
    centres : (clusters, coordinates) array
    shift, spread : (coordinates,) arrays, by which queries are standardised first
    """

    kind: str
    centres: NDArray[np.float64]
    shift: NDArray[np.float64]
    spread: NDArray[np.float64]

    @classmethod
    def found_in(
        cls, data: RankingData, kind: str, n_clusters: int, random_state: int
    ) -> QueryClusters:
        """Return the clusters of the data's queries, by k-means of ten starts.

        Clusters of lengths are in the order of lengths, others by falling number of queries. The
        order of queries in the data does not matter: they are taken by their ids. There are no
        more clusters than queries that differ.
        """
        # Here, as it takes a tenth of a second to import.
        from sklearn.cluster import KMeans

        points = _described(data, kind)[order_by_id(data.query_ids)]
        shift, spread = points.mean(axis=0), points.std(axis=0)
        spread[spread <= _CLOSE * np.abs(shift)] = np.inf  # no coordinate without a spread counts
        points = (points - shift) / spread
        n_clusters = min(n_clusters, len(np.unique(np.round(points / _CLOSE), axis=0)))
        means = KMeans(n_clusters, n_init=_STARTS, random_state=random_state % 2**32).fit(points)
        centres = means.cluster_centers_.astype(np.float64)
        keys = centres[:, 0] if kind == "length" else -np.bincount(means.labels_).astype(np.float64)
        first = np.unique(means.labels_, return_index=True)[1]
        return cls(kind, centres[np.lexsort((first, keys))], shift, spread)

    def of_queries(self, data: RankingData) -> NDArray[np.int64]:
        """Return the cluster of each query."""
        points = (_described(data, self.kind) - self.shift) / self.spread
        distances = ((points[:, None, :] - self.centres) ** 2).sum(axis=2)
        nearest: NDArray[np.int64] = np.argmin(distances, axis=1).astype(np.int64)
        return nearest


def _described(data: RankingData, kind: str) -> NDArray[np.float64]:
    if kind == "length":
        lengths: NDArray[np.float64] = np.log(np.diff(data.query_ptr))[:, None]
        return lengths
    means: list[NDArray[np.float64]] = run(_QueryMeans(), data, label="queries")
    return np.vstack(means)


class _QueryMeans:
    """Means of the features over the documents of each query of a piece."""

    def partial(self, piece: Block) -> list[NDArray[np.float64]]:
        X = piece.X[piece.rows].astype(np.float64)
        sums = np.add.reduceat(X, piece.query_ptr[:-1] - piece.query_ptr[0], axis=0)
        return [sums / np.diff(piece.query_ptr)[:, None]]

    def combine(self, left: list[Any], right: list[Any]) -> list[Any]:
        return left + right
