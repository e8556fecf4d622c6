"""What a study found: the tables that statistics, reports and pages are made from.

Frozen, unrounded, and without any reference to where they were stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class DataFacts:
    """A data set of a study.

    Attributes
    ----------
    name : str
    folds : names of its folds, in order
    fingerprints : of each fold: train, vali and test together
    feature_names : (n_features,) names
    used : (n_features,) bool, features that are not 0 in every training document of every fold
    n_documents, n_queries : of train, vali and test, for each fold
    """

    name: str
    folds: tuple[str, ...]
    fingerprints: tuple[str, ...]
    feature_names: tuple[str, ...]
    used: NDArray[np.bool_]
    n_documents: tuple[tuple[int, int, int], ...]
    n_queries: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, eq=False)
class Chosen:
    """The trial of one fold that validation chose.

    Attributes
    ----------
    trial : int, its row in the store
    fold : str
    selector, ranker : str
        The components' text. `ranker` is "" where the selector's own weights rank, `selector`
        is "" where all features are used.
    wanted : int or None, the number of features that was asked for; None for all
    features : indices of those used, in the order in which they were chosen
    weights : one per feature of `features`, or None where the model has none
    validation : measure to mean on the validation part; empty where there is none
    seconds : of training; `selection_seconds` of the selection before it
    peak_memory : bytes, of the process while it trained; None where it cannot be told
    ending : how the fit ended: converged, n_iter, objective, gap, warnings, where they exist
    """

    trial: int
    fold: str
    selector: str
    ranker: str
    wanted: int | None
    features: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    validation: Mapping[str, float]
    seconds: float
    selection_seconds: float
    peak_memory: int | None
    ending: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Outcome:
    """How a method with a ranker did on a data set, over all its folds.

    Attributes
    ----------
    data : str
    method : str, the label of the selection method; "all features" for none
    variant : str
        "" for selectors in front of a ranker; for embedded methods "weights", the model's own
        weights without another fit, or "refit", a ranker trained on the features.
    ranker : str, the label of the ranker; "" where the method's own weights rank
    number : int or None
        Features asked for; None where validation chose the number too. All features that the
        method keeps are spelled by `ALL`.
    folds : the chosen trial of each fold
    values : measure to (n_queries,) array: the test queries of all folds, in order
    query_ids : (n_queries,) text, the query of each value, as "Fold1:10032"
        Equal ones are one query that several folds test, as "Part1:10032"; see `by_query`.
    fold_of : (n_queries,) int, the position in `folds` of each value
    """

    data: str
    method: str
    variant: str
    ranker: str
    number: int | None
    folds: tuple[Chosen, ...]
    values: Mapping[str, NDArray[np.float64]]
    query_ids: NDArray[np.str_]
    fold_of: NDArray[np.int64]

    @property
    def name(self) -> str:
        """The method, its variant and its ranker, for tables.

        A method that ranks with its own weights needs no ranker's name.
        """
        method = self.method if self.variant != "refit" else f"{self.method}, refit"
        return f"{method} + {self.ranker}" if self.ranker else method

    @property
    def n_features(self) -> NDArray[np.int64]:
        """Features used in each fold."""
        return np.array([len(chosen.features) for chosen in self.folds], dtype=np.int64)

    def by_query(self, measure: str) -> NDArray[np.float64]:
        """Return one value for each different query, in the order of `different_queries`.

        A query that several folds test has its mean over them: such values are not independent,
        and a test or an interval that counted them one by one would promise too much.
        """
        values = self.values[measure]
        ids, index = self._different
        if len(ids) == len(values):
            return values
        means: NDArray[np.float64] = np.bincount(index, values) / np.bincount(index)
        return means

    @property
    def different_queries(self) -> NDArray[np.str_]:
        """The queries of `by_query`: those of `query_ids`, each once, where it first stands."""
        return self._different[0]

    @cached_property
    def _different(self) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
        """Each query once, and the index there of every value."""
        ids, first, index = np.unique(self.query_ids, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return ids[order], np.argsort(order)[index]

    def mean(self, measure: str) -> float:
        """Return the mean over the folds of the mean over each fold's queries, as LETOR does.

        Queries that do not count (NaN) are left out, and so are folds without any that does; NaN
        where no fold has one.
        """
        positions = range(len(self.folds))
        of_folds = [self.values[measure][self.fold_of == position] for position in positions]
        means = [np.nanmean(values) for values in of_folds if not np.isnan(values).all()]
        return float(np.mean(means)) if means else float("nan")


@dataclass(frozen=True, eq=False)
class Trace:
    """How an iterative fit went: the objective and, where there is one, the gap, by step."""

    data: str
    fold: str
    component: str
    seconds: NDArray[np.float64]
    objectives: NDArray[np.float64]
    gaps: NDArray[np.float64]


@dataclass(frozen=True)
class Failure:
    """A trial that ended with an error, which was recorded while the others went on."""

    data: str
    fold: str
    method: str
    ranker: str
    number: int | None
    error: str


@dataclass(frozen=True, eq=False)
class Results:
    """All that a report shows.

    Attributes
    ----------
    title : str
    command : the command line that made the runs, as text
    versions : name to version: ranksieve, Python, numpy, ...
    conventions : sentences on the protocol: what chose, what was measured, how ties go
    measures : text forms; the first one is the one that validation chose by
    data : facts, a data set
    chosen : an Outcome with number None for each data set, method, variant and ranker
    curves : an Outcome for each of these and each number of features
    importance : data name to component text to (n_folds, n_features) array
    random_orders : data name to importance's text to what a random order scores, mean over folds;
        without those that the store does not hold
    similarity : data name to component text to (n_features, n_features), the mean over folds
    traces, failures
    n_trials : rows that the results were made from
    """

    title: str
    command: str
    versions: Mapping[str, str]
    conventions: tuple[str, ...]
    measures: tuple[str, ...]
    data: tuple[DataFacts, ...]
    chosen: tuple[Outcome, ...]
    curves: tuple[Outcome, ...]
    importance: Mapping[str, Mapping[str, NDArray[np.float64]]] = field(default_factory=dict)
    similarity: Mapping[str, Mapping[str, NDArray[np.float64]]] = field(default_factory=dict)
    traces: tuple[Trace, ...] = ()
    failures: tuple[Failure, ...] = ()
    n_trials: int = 0
    random_orders: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
