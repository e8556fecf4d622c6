"""What the selectors of the Relief family share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import suggestion
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.estimator import check_number
from ranksieve.selectors.base import Selection, Selector, by_score
from ranksieve.selectors.relief._ranges import Ranges
from ranksieve.selectors.relief._rules import Rule
from ranksieve.selectors.relief._sums import Sums, Task, sums_in_queries, sums_over_all

Scope = Literal["query", "all"]
Metric = Literal["manhattan", "euclidean"]


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
        self._check_parameters()
        visited = draw_documents(self.n_samples, data.n_documents, self.random_state)
        in_query = self.scope == "query"
        reach = int(np.diff(data.query_ptr).max()) if in_query else data.n_documents
        rule = self._rule(data, max(1, min(self.n_neighbors, reach - 1)))
        task = Task(rule, visited, Ranges.of(data), self.metric == "euclidean")
        sums = sums_in_queries(task, data) if in_query else sums_over_all(task, data)
        weights = self._weights(sums, len(visited))
        return Selection(by_score(weights), weights)

    def _check_parameters(self) -> None:
        check_number("n_neighbors", self.n_neighbors, least=1, whole=True)
        check_number("random_state", self.random_state, least=0, whole=True)
        _check_name("scope", self.scope, ("query", "all"))
        _check_name("metric", self.metric, ("manhattan", "euclidean"))


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


def _check_name(parameter: str, value: Any, known: tuple[str, str]) -> None:
    if value not in known:
        raise ParameterError(
            f"unknown {parameter} {value!r}{suggestion(value, known)} "
            f"It is {known[0]!r} or {known[1]!r}."
        )
