"""The number of features that ranks validation queries best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from ranksieve import catalog
from ranksieve.choices._curve import ValidationCurve, curve, grid
from ranksieve.choices.base import Choice, FeatureSets
from ranksieve.data import RankingData, set_aside
from ranksieve.data.check import check_seed
from ranksieve.errors import DataError, ParameterError
from ranksieve.measures import Measure, parse_measure
from ranksieve.progress import step
from ranksieve.rankers import Ranker

RULES = ("best", "one-standard-error")


@dataclass(frozen=True, repr=False)
class Validation(Choice):
    """The number of features with which a ranker does best on queries kept aside.

    The selector orders the features on the training part; for each number k of a grid (all
    up to 12, then growing by a quarter, up to all features that are not constant) the
    ranker is trained there on the k features that the selector would keep, and measured on the
    validation part. `FSSCPR` begins at 2, as one cluster is no clustering; others at 1. The final
    selection is then made on all data given to `fit`, with the chosen number.

    Parameters
    ----------
    ranker : str or Ranker
        A name such as "RankSVM", a call such as "RankSVM(C=0.01)", or a ranker: it is cloned.
        What it chooses by folds, such as the C of RankSVM(), is chosen once, on the training part
        with all features, and is then the same for all numbers: what differs between them is
        the features alone. Parameters that are numbers stay as they are.
    measure : str or Measure
    share : float
        Share of the queries, between 0 and 1, that are kept aside, by `random_state`; one query
        at least on either side.
    data : RankingData or None
        Validation queries of your own: the selector then trains on all data given to `fit`.
    rule : {"best", "one-standard-error"}
        "best" takes the best mean over queries, and the smallest number among equals.
        "one-standard-error" takes the smallest number whose mean is below the best one by no
        more than one standard error of the differences between the two, query by query.
    random_state : int

    Notes
    -----
    The best of many means on the same queries is optimistic: measure what is chosen on
    queries that took no part. Cost: one selection, and one training for each number tried
    (12 for 12 features, 18 for 46, 23 for 136), and the final selection; with RankSVM() the
    choice of its C before that, about as long as nine trainings with all features.

    Examples
    --------
    >>> from ranksieve import GAS, make_ranking
    >>> from ranksieve.choices import Validation
    >>> data, truth = make_ranking(80, n_relevant=3, n_redundant=2, n_irrelevant=5)
    >>> gas = GAS(Validation(measure="map", rule="one-standard-error")).fit(data)
    >>> gas.validation_.chosen == gas.n_features_
    True
    """

    ranker: str | Ranker = "RankSVM"
    measure: str | Measure = "ndcg@10"
    share: float = 0.2
    data: RankingData | None = None
    rule: Literal["best", "one-standard-error"] = "best"
    random_state: int = 0

    def split(self, data: RankingData) -> tuple[RankingData, RankingData]:
        """Return training and validation queries: parts of the data, or all of it and `data`."""
        self._check()
        if self.data is not None:
            return data, self.data
        if data.n_queries < 2:
            raise DataError(
                "choosing the number of features on validation queries needs at least two "
                f"queries, but there is {data.n_queries}. Give n_features_to_select a number, or "
                "validation queries of your own: Validation(data=...)."
            )
        return set_aside(data, self.share, random_state=self.random_state)

    def choose(
        self, sets: FeatureSets, training: RankingData, validation: RankingData
    ) -> ValidationCurve:
        """Train and measure with each number of the grid, and take one by the rule."""
        measure = parse_measure(self.measure)
        measure.check_grades(validation.y)
        validation = _renamed(validation, training.feature_names)
        numbers = grid(sets.largest)
        numbers = numbers[numbers >= sets.least]
        ranker = self._new_ranker().tuned(training)
        values = np.empty((len(numbers), validation.n_queries))
        for row, number in enumerate(numbers):
            with step("validation", row, len(numbers)):
                features = sets.of_size(int(number))
                fitted = clone(ranker).fit(training.features(features))
                scores = fitted.predict(validation.features(features))
                values[row] = measure.values(validation.y, scores, validation.query_ptr)
        measure.mean(values[0])  # raises where no query counts
        return curve(numbers, values[:, ~np.isnan(values[0])], str(measure), self.rule)

    def _new_ranker(self) -> Any:
        if isinstance(self.ranker, Ranker):
            return clone(self.ranker)
        return catalog.parse(self.ranker, "rankers")

    def _check(self) -> None:
        check_seed(self.random_state)
        if not isinstance(self.ranker, str | Ranker):
            raise ParameterError(
                "Validation's ranker must be a ranker or its name, such as 'RankSVM', but is "
                f"{self.ranker!r}"
            )
        share = self.share
        if isinstance(share, bool) or not isinstance(share, float | int) or not 0.0 < share < 1.0:
            raise ParameterError(
                f"Validation's share of the queries must be between 0 and 1, but is {share!r}"
            )
        if self.data is not None and not isinstance(self.data, RankingData):
            raise ParameterError(
                "Validation's data must be RankingData (see ranksieve.load) or None, but is of "
                f"type {type(self.data).__name__}"
            )
        catalog.check_choice("Validation's rule", self.rule, RULES)


def _renamed(data: RankingData, names: tuple[str, ...]) -> RankingData:
    """Return data whose features, already in the right order, have the names of the training."""
    if data.feature_names == names:
        return data
    return RankingData(list(data.blocks()), names, data.scaling, data.tasks)
