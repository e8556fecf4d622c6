"""Selectors that keep one feature of each cluster: a delegate."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.catalog import check_choice
from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import Selection, Selector, by_score, constant_features
from ranksieve.selectors.filters._clusters import (
    LINKAGES,
    MEDOIDS,
    by_mean_silhouette,
    clusterings,
    distances_of,
    representatives,
)
from ranksieve.similarity import Similarity, as_similarity

_AUTO = "auto"


class DelegateSelector(Selector):
    """One feature of each cluster of features that rank alike; subclasses write `_rate(data)`.

    Features that are constant in every query are in no cluster. Those that `_rate` puts later are
    in clusters only where the others are fewer than the number asked for; each of the others is a
    cluster of its own then.
    """

    default_grid: ClassVar[DefaultGrid] = {"clustering": (MEDOIDS, "average")}

    n_features_to_select: Any
    similarity: str | Similarity
    clustering: str

    @abstractmethod
    def _rate(self, data: RankingData) -> Rates:
        """Return what each feature is worth, and which come later."""

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return the similarity."""
        return (SharedComponent.similarity("similarity", self.similarity),)

    def _fit(self, data: RankingData) -> None:
        if not _is_auto(self.n_features_to_select):
            super()._fit(data)
            return
        selection = self._select(data)
        self.order_, self.scores_ = selection.order, selection.scores

    def _select(self, data: RankingData) -> Selection:
        features = self._cluster(data)
        if _is_auto(self.n_features_to_select):
            choice = by_mean_silhouette(features.distances, features.labels_for)
            self.auto_candidates_, self.auto_criterion_ = choice.candidates, choice.criterion
            self.n_features_ = max(choice.number, 1)
        self.labels_, chosen = features.delegates(self.n_features_)
        return Selection(features.order(chosen), features.worth)

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: clusters of their own for each."""
        twin: DelegateSelector = clone(self)
        features = twin._cluster(data)

        def of_size(number: int) -> NDArray[np.int64]:
            return features.order(features.delegates(number)[1])[:number]

        largest = int(features.varying.sum())
        return FeatureSets(largest, of_size, least=min(2, max(largest, 1)))

    def _cluster(self, data: RankingData) -> _Features:
        self.check_parameters()
        self.similarity_ = as_similarity(self.similarity).matrix(data)
        rates, varying = self._rate(data), ~constant_features(data)
        return _Features(self.similarity_, self.clustering, rates.worth, rates.later, varying)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_choice("clustering", self.clustering, (MEDOIDS, *LINKAGES))


@dataclass(frozen=True, eq=False)
class Rates:
    """What features are worth, and which of them come after the others."""

    worth: NDArray[np.float64]
    later: NDArray[np.bool_]


class _Features:
    """Features with their distances, clusters and worth: those that come later apart."""

    def __init__(
        self,
        similarity: NDArray[np.float64],
        method: str,
        worth: NDArray[np.float64],
        later: NDArray[np.bool_],
        varying: NDArray[np.bool_],
    ) -> None:
        self.worth, self.varying, self._later = worth, varying, later
        self._early = np.flatnonzero(varying & ~later)
        self._late = np.flatnonzero(varying & later)
        self.distances = distances_of(similarity[np.ix_(self._early, self._early)])
        self.labels_for = clusterings(self.distances, method)
        late = distances_of(similarity[np.ix_(self._late, self._late)])
        self._late_labels_for = clusterings(late, method)

    def delegates(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cluster of each feature, and the best features of the clusters, in order.

        Cluster i is that of the i-th of them; -1 is a feature in none.
        """
        labels = np.full(len(self.worth), -1, dtype=np.int64)
        heads: list[NDArray[np.int64]] = []
        for members, labels_for in (
            (self._early, self.labels_for),
            (self._late, self._late_labels_for),
        ):
            n_before = sum(map(len, heads))
            n_clusters = min(number - n_before, len(members))
            if n_clusters > 0:
                heads.append(_headed(labels, members, labels_for(n_clusters), self.worth, n_before))
        return labels, np.concatenate(heads) if heads else np.empty(0, dtype=np.int64)

    def order(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the chosen features, then the others by falling worth, those that come later last.

        Constant features come after all.
        """
        others = by_score(np.where(np.isin(np.arange(len(self.worth)), chosen), np.inf, self.worth))
        others = others[len(chosen) :]
        groups = np.where(self.varying, self._later.astype(np.int64), 2)[others]
        return np.concatenate([chosen, others[np.argsort(groups, kind="stable")]])


def _headed(
    labels: NDArray[np.int64],
    members: NDArray[np.int64],
    clusters: NDArray[np.int64],
    worth: NDArray[np.float64],
    first: int,
) -> NDArray[np.int64]:
    """Write the labels of some features, counted from `first` by their heads; return the heads."""
    heads = representatives(clusters, worth[members])
    position = np.empty(len(heads), dtype=np.int64)
    position[clusters[heads]] = first + np.arange(len(heads))
    labels[members] = position[clusters]
    return members[heads]


def _is_auto(number: Any) -> bool:
    return isinstance(number, str) and number == _AUTO
