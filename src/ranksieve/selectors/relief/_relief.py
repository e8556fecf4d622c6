"""What the selectors of the Relief family share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.catalog import parse, suggestion
from ranksieve.data import RankingData
from ranksieve.data.check import check_levels
from ranksieve.errors import DataError, ParameterError, warn_caller
from ranksieve.estimator import check_number
from ranksieve.rankers.base import Ranker, has_pairs
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector, by_score
from ranksieve.selectors.relief._scaling import Ranges
from ranksieve.selectors.relief._sums import Sums, Task, sums_in_queries, sums_over_all
from ranksieve.selectors.relief._weights import LevelRule, Rule
from ranksieve.threads import n_threads

Scope = Literal["query", "all"]
Metric = Literal["manhattan", "euclidean"]
# Neighbours are kept for each level, and weights for each two of them.
_MOST_LEVELS = 256
# Values that a thread compares in a second, about; and minutes that are said before they begin.
_VALUES_PER_SECOND, _LONG = 3e9, 2.0


class Relief(Selector):
    """A selector that compares documents with their nearest neighbours.

    Subclasses write `_rule(data, k)`, what a neighbour adds, and may write `_weights(sums, n)`.
    """

    n_neighbors: int
    scope: Scope
    n_samples: int | float | None
    metric: Metric
    random_state: Any

    @abstractmethod
    def _rule(self, data: RankingData, k: int) -> Rule:
        """Return what the k nearest neighbours add to the weights."""

    def _weights(self, sums: Sums, n_visited: int) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = sums.features[0] / n_visited
        return weights

    def _select(self, data: RankingData) -> Selection:
        self.check_parameters()
        visited = draw_documents(self.n_samples, data.n_documents, self.random_state)
        in_query = self.scope == "query"
        reach = int(np.diff(data.query_ptr).max()) if in_query else data.n_documents
        rule = self._rule(data, max(1, min(self.n_neighbors, reach - 1)))
        self._warn_of_time(data, visited, in_query)
        task = Task(rule, visited, Ranges.of(data), self.metric == "euclidean")
        sums = sums_in_queries(task, data) if in_query else sums_over_all(task, data)
        weights = self._weights(sums, len(visited))
        return Selection(by_score(weights), weights)

    def _warn_of_time(self, data: RankingData, visited: NDArray[np.int64], in_query: bool) -> None:
        """Say what it takes to compare each visited document with all others of its query."""
        sizes = np.diff(data.query_ptr)
        n_compared = len(visited) * data.n_documents
        if in_query:
            of_document = np.searchsorted(data.query_ptr, visited, side="right") - 1
            n_compared = int(sizes[of_document].sum())
        minutes = n_compared * data.n_features / _VALUES_PER_SECOND / n_threads() / 60
        if minutes > _LONG:
            warn_caller(
                f"{type(self).__name__} compares {len(visited):,} documents with "
                f"{n_compared / len(visited):,.0f} others each in {data.n_features:,} features: "
                f"about {minutes:,.0f} minutes. n_samples=1000 visits fewer, drawn at random.",
                UserWarning,
            )

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("n_neighbors", self.n_neighbors, least=1, integer=True)
        check_number("random_state", self.random_state, least=0, integer=True)
        _check_name("scope", self.scope, ("query", "all"))
        _check_name("metric", self.metric, ("manhattan", "euclidean"))


class LevelRelief(Relief):
    """A Relief selector for grades that are levels; subclasses weigh the misses."""

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        n_neighbors: int = 5,
        scope: Scope = "query",
        n_samples: int | float | None = None,
        metric: Metric = "manhattan",
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.scope = scope
        self.n_samples = n_samples
        self.metric = metric
        self.random_state = random_state

    @abstractmethod
    def _significance(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much a miss counts, from the sizes of grade differences."""

    def _rule(self, data: RankingData, k: int) -> LevelRule:
        check_levels(data.y, type(self).__name__)
        grades, levels, counts = np.unique(data.y, return_inverse=True, return_counts=True)
        if len(grades) > _MOST_LEVELS:
            raise DataError(
                f"{type(self).__name__} compares every two levels, and {len(grades):,} "
                f"different grades are too many (at most {_MOST_LEVELS:,}). Bin the grades, or use "
                "RReliefF(ranker=None) or RankWrapper(ranker=None), which take them as numbers."
            )
        # P(C) / (1 - P(own)) as documents of C by documents of other grades than one's own.
        shares = counts / np.maximum(counts.sum() - counts, 1)[:, None]
        significance = self._significance(np.abs(grades[:, None] - grades))
        gains = -np.eye(len(grades))
        other = ~np.eye(len(grades), dtype=bool)
        gains[other] = (shares * significance)[other]
        return LevelRule(levels.astype(np.int64), len(grades), np.ones(k), gains)


class ScoreRelief(Relief):
    """A Relief selector for real-valued scores; subclasses write `_rule` with `_scores`.

    Attributes
    ----------
    ranker_ : the fitted ranker, or None where the scores are the grades
    """

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        n_neighbors: int = 5,
        scope: Scope = "query",
        n_samples: int | float | None = None,
        metric: Metric = "manhattan",
        ranker: str | Ranker | None = "RankSVM",
        sigma: float = 20.0,
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.scope = scope
        self.n_samples = n_samples
        self.metric = metric
        self.ranker = ranker
        self.sigma = sigma
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        check_number("sigma", self.sigma, above=0)

    def _profile(self, k: int) -> NDArray[np.float64]:
        """Return exp(-(i / sigma)^2) for the positions i = 1, ..., k."""
        # Relative to the first position, which a small sigma would else bring to 0 with the rest;
        # the limit is far below any sigma that leaves the second one a weight.
        positions = np.arange(1, k + 1) / max(self.sigma, 1e-100)
        profile: NDArray[np.float64] = np.exp(positions[0] ** 2 - positions**2)
        return profile

    def _scores(self, data: RankingData) -> NDArray[np.float64]:
        """Fit the ranker and return its scores; without one, the grades."""
        self.ranker_ = as_ranker(self.ranker)
        if self.ranker_ is None:
            return data.y
        if not has_pairs(data):
            self.ranker_ = None
            return np.zeros(data.n_documents)
        scores: NDArray[np.float64] = self.ranker_.fit(data).predict(data)
        if not np.isfinite(scores).all():
            raise DataError(
                f"{self.ranker_!r} gave scores that are not finite, and score distances need "
                "finite ones. Scale the features, or choose another ranker."
            )
        return scores


def draw_documents(
    n_samples: int | float | None, n_documents: int, random_state: Any
) -> NDArray[np.int64]:
    """Return the places of the documents to visit, in rising order.

    Examples
    --------
    >>> draw_documents(None, 3, 0)
    array([0, 1, 2])
    >>> len(draw_documents(0.25, 100, 0)), len(draw_documents(7, 100, 0))
    (25, 7)
    """
    if n_samples is None:
        return np.arange(n_documents)
    rng = np.random.default_rng(random_state)
    chosen = rng.choice(n_documents, _number_to_visit(n_samples, n_documents), replace=False)
    return np.sort(chosen).astype(np.int64)


def _number_to_visit(n_samples: Any, n_documents: int) -> int:
    if isinstance(n_samples, int | np.integer) and not isinstance(n_samples, bool):
        if 1 <= n_samples <= n_documents:
            return int(n_samples)
        raise ParameterError(
            f"n_samples={n_samples} must be between 1 and the number of documents, "
            f"{n_documents}; None visits all"
        )
    if isinstance(n_samples, float | np.floating) and 0.0 < n_samples < 1.0:
        # A share such as 0.07 is not exact: 0.07 * 100 is a little more than 7.
        return max(1, int(np.ceil(n_samples * n_documents - 1e-9)))
    raise ParameterError(
        "n_samples must be a whole number of documents, a share between 0 and 1, or None for "
        f"all documents, but is {n_samples!r}"
    )


def as_ranker(ranker: Any) -> Ranker | None:
    """Return a new ranker that text spells or that is like an object; None stays None.

    Examples
    --------
    >>> as_ranker("RankSVM(C=0.1)")
    RankSVM(C=0.1)
    """
    if ranker is None:
        return None
    if isinstance(ranker, str):
        parsed: Ranker = parse(ranker, "rankers")
        return parsed
    if isinstance(ranker, Ranker):
        copy: Ranker = clone(ranker)
        return copy
    raise ParameterError(
        "ranker must be text such as 'RankSVM(C=0.1)', a ranker, or None for the grades "
        f"themselves, but is {ranker!r}"
    )


def _check_name(parameter: str, value: Any, allowed: tuple[str, str]) -> None:
    if value not in allowed:
        raise ParameterError(
            f"unknown {parameter} {value!r}{suggestion(value, allowed)} "
            f"It is {allowed[0]!r} or {allowed[1]!r}."
        )
