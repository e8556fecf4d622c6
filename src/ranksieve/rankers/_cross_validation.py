"""Which strength, or pair of strengths, ranks held-out queries best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData, k_folds
from ranksieve.errors import DataError
from ranksieve.measures import Measure, best_mean
from ranksieve.measures.best import EQUAL
from ranksieve.progress import step
from ranksieve.rankers._linear import linear_scores

if TYPE_CHECKING:
    from ranksieve.solvers import Solution


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """How each strength (radius, C) did on held-out queries, from simple models to rich ones.

    Attributes
    ----------
    numbers : (numbers,) array, the strengths, radii or values of C
    means : (numbers,) array, the mean of the measure over queries, each held out once
    standard_errors : (numbers,) array, of these means
    n_features : (numbers,) array, mean number of features over the folds
    chosen : float, the number taken
    best : float, the number with the best mean
    measure, rule : str
    n_folds : int
    similarity_strengths : (numbers,) array or None
        FSMRank's lambda1 beside each number, where that was chosen too; all pairs of the two.
    chosen_similarity_strength, best_similarity_strength : float or None
        lambda1 of the pair taken, and of the pair with the best mean.
    chosen_mean : float, the mean of what was taken
    """

    numbers: NDArray[np.float64]
    means: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    n_features: NDArray[np.float64]
    chosen: float
    best: float
    measure: str
    rule: str
    n_folds: int
    similarity_strengths: NDArray[np.float64] | None = None
    chosen_similarity_strength: float | None = None
    best_similarity_strength: float | None = None

    @property
    def chosen_mean(self) -> float:
        """Return the mean over queries of what was taken."""
        rows = self.numbers == self.chosen
        if self.similarity_strengths is not None:
            rows &= self.similarity_strengths == self.chosen_similarity_strength
        return float(self.means[rows][0])


def cross_validated(
    data: RankingData,
    numbers: NDArray[np.float64],
    models_of: Callable[[RankingData], Iterable[Solution]],
    *,
    measure: Measure,
    n_folds: int,
    rule: str,
    random_state: int,
    eligible: NDArray[np.bool_] | None = None,
    similarity_strengths: NDArray[np.float64] | None = None,
    scores_of: Callable[[RankingData, Any], NDArray[np.float64]] | None = None,
) -> CrossValidation:
    """Return how each number does on queries that took no part in its fits, and which is taken.

    `models_of(train)` are the models by number, or by number and similarity strength. Queries
    are dealt into folds at random. "best" takes the best mean, and the simplest model among
    equals; "one-standard-error" the simplest whose mean is below the best one by no more than
    one standard error of the differences, query by query. Simpler is the earlier number; of
    pairs of strengths the one with fewer features, as a mean over folds, then the larger
    similarity strength, then the larger number. Only `eligible` numbers are taken (None for
    all), and only those that give every fold a feature. `scores_of(data, model)` are the scores of
    a model, where they are more than those of its weights.
    """
    if data.n_queries < 2:
        raise DataError(
            f"choosing by query folds needs at least two queries, but there is {data.n_queries}. "
            "Give the strength (or radius) as a number, or n_features_to_select."
        )
    measure.check_grades(data.y)
    folds = k_folds(data, min(n_folds, data.n_queries), random_state=random_state)
    parts, sizes = [], []
    for done, (train, held_out) in enumerate(folds):
        with step("folds", done, len(folds)):
            values, counts = _values(
                models_of(train.gathered()), held_out.gathered(), measure, scores_of
            )
        parts.append(values)
        sizes.append(counts)
    values = np.hstack(parts)
    measure.mean(values[0])  # raises where no query counts
    values = values[:, ~np.isnan(values[0])]
    n_features = np.mean(sizes, axis=0)
    allowed = _allowed(np.array(sizes), True if eligible is None else eligible)
    if similarity_strengths is not None:
        simplest_first = np.lexsort((-numbers, -similarity_strengths, n_features))
        allowed = simplest_first[np.isin(simplest_first, allowed)]
    best, chosen = allowed[list(picked(values[allowed], rule))]
    curve = CrossValidation(
        numbers,
        values.mean(axis=1),
        standard_errors(values),
        n_features,
        float(numbers[chosen]),
        float(numbers[best]),
        str(measure),
        rule,
        len(folds),
    )
    if similarity_strengths is None:
        return curve
    return replace(
        curve,
        similarity_strengths=similarity_strengths,
        chosen_similarity_strength=float(similarity_strengths[chosen]),
        best_similarity_strength=float(similarity_strengths[best]),
    )


def _values(
    models: Iterable[Solution],
    held_out: RankingData,
    measure: Measure,
    scores_of: Callable[[RankingData, Any], NDArray[np.float64]] | None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rows, counts = [], []
    for model in models:
        if scores_of is None:
            scores = linear_scores(held_out, model.weights)
        else:
            scores = scores_of(held_out, model)
        rows.append(measure.values(held_out.y, scores, held_out.query_ptr))
        counts.append(np.count_nonzero(model.weights))
    return np.array(rows), np.array(counts, dtype=np.int64)


def _allowed(sizes: NDArray[np.int64], eligible: NDArray[np.bool_] | bool) -> NDArray[np.int64]:
    """Return the numbers that may be taken, from the sizes of models by fold and number.

    A model without features ranks by the order of the file, which may be that of the grades, so
    each fold must have one; a fold whose queries are all of one grade never has.
    """
    has_features = sizes > 0
    voting = has_features.any(axis=1)
    allowed = np.flatnonzero(has_features[voting].all(axis=0) & eligible)
    return allowed if len(allowed) else np.arange(sizes.shape[1])


def picked(values: NDArray[np.float64], rule: str) -> tuple[int, int]:
    """Return which row has the best mean over queries, and which one the rule takes.

    Rows go from the simplest model to the richest, and the first among equals is taken: the
    best mean, or with "one-standard-error" the first whose mean is below the best one by no more
    than one standard error of the differences between the two, query by query.

    Examples
    --------
    >>> picked(np.array([[0.1, 0.2, 0.3], [0.5, 0.1, 0.6], [0.5, 0.3, 0.5]]), "best")
    (2, 2)
    >>> picked(np.array([[0.1, 0.2, 0.3], [0.5, 0.1, 0.6], [0.5, 0.3, 0.5]]), "one-standard-error")
    (2, 1)
    """
    means = values.mean(axis=1)
    best = best_mean(means)
    if rule != "one-standard-error":
        return best, best
    if values.shape[1] < 2:
        raise DataError(
            "the rule 'one-standard-error' needs at least two validation queries, but "
            f"{values.shape[1]} counts. Take a larger share, or rule='best'."
        )
    differences = values - values[best]
    within_error = -differences.mean(axis=1) <= standard_errors(differences) + EQUAL
    return best, int(np.flatnonzero(within_error)[0])


def standard_errors(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard error of each row's mean over queries; NaN with one query."""
    n_queries = values.shape[1]
    if n_queries < 2:
        return np.full(len(values), np.nan)
    errors: NDArray[np.float64] = values.std(axis=1, ddof=1) / np.sqrt(n_queries)
    return errors
