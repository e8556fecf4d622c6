"""Trainings of the search: on all folds but one, judged on that one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.importance.permutation import features_used, permutation_losses, usual_shuffles
from ranksieve.measures import Measure
from ranksieve.progress import silent
from ranksieve.sieve.search.elimination import Task, Verdict
from ranksieve.threads import side_by_side, threads


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Does the tasks of an elimination, several at a time, with one thread each.

    Attributes
    ----------
    data : documents in an order of their own, see `ranksieve.data.canonical`
    fold_of_query : (n_queries,) array
    ranker : a ranker of which quick copies are trained
    measure : with a rule for ties that does not look at the order of rows
    random_state : int
    """

    data: RankingData
    fold_of_query: NDArray[np.int64]
    ranker: Any
    measure: Measure
    random_state: int

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Verdict]:
        """Yield the verdicts in the order of the tasks."""
        yield from side_by_side(self._verdict, tasks)

    def _verdict(self, task: Task) -> Verdict:
        columns = np.flatnonzero(task.selected)
        inside = self.fold_of_query != task.fold
        training = self.data.queries(inside).features(columns).gathered()
        aside = self.data.queries(~inside).features(columns).gathered()
        with silent(), threads(1):
            model = clone(self.ranker).fit(training)
            values = np.mean(
                [
                    self.measure.values(aside.y, scores, aside.query_ptr)
                    for scores in model.staged_predict(aside)
                ],
                axis=0,
            )
            losses = np.zeros((aside.n_queries, len(task.selected)))
            losses[:, columns] = permutation_losses(
                model,
                aside,
                self.measure,
                seed=[self.random_state, task.fold, len(columns)],
                times=usual_shuffles(len(columns)),
                used=features_used(model, len(columns)),
            )
        return Verdict(values, losses)
