"""The ranker itself, trained on a set of features: what the user deploys, and what certifies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.rankers import Ranker
from ranksieve.sieve.search.folds import Folds
from ranksieve.sieve.search.sample import needs_sample
from ranksieve.sieve.search.search import Question


@dataclass(frozen=True, eq=False)
class Final:
    """Trains the user's ranker on sets of features.

    A ranker that chooses its number of rounds does so on the validation queries, where there are
    some. Else the folds of the search fix it: a few queries that are kept aside stop after any
    round, and the set would be blamed. On large data those kept aside are many enough.

    Attributes
    ----------
    question : what was searched for
    columns : features of the search's data as indices of the user's
    ranker : the user's, not fitted
    training : the user's data, without the queries that certify
    validation : queries that choose the number of rounds, or None
    folds : of the searched queries
    """

    question: Question
    columns: NDArray[np.int64]
    ranker: Ranker
    training: RankingData
    validation: RankingData | None
    folds: Folds

    def fitted(self, selected: NDArray[np.bool_]) -> Any:
        """Return the ranker, fitted on the features that a mask of the search's data selects."""
        own = self.question.data
        features = np.sort(self.columns[selected])
        ranker = self.ranker.tuned(own)
        training = self.training.features(features)
        if self.validation is not None and ranker.stops_early:
            watched: Any = ranker
            return watched.fit(training, validation=self.validation.features(features))
        if not needs_sample(self.question.counting):
            part = own.features(np.flatnonzero(selected))
            ranker = ranker.with_settled_rounds(part, self.folds.of_query[0])
        if self.validation is not None:
            training = training.joined(self.validation.features(features))
        return clone(ranker).fit(training)
